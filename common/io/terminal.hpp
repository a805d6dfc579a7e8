// What a terminal can show.
#pragma once

#include <cstddef>

constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

// Characters per line: COLUMNS if it is set, otherwise the width of the terminal behind the descriptor; no_limit if
// there is none.
std::size_t line_width(int descriptor);

// Lines of the terminal behind the descriptor; no_limit if there is none.
std::size_t line_count(int descriptor);

// Whether the terminal shows only plain characters: TERM is "dumb".
bool is_dumb_terminal();

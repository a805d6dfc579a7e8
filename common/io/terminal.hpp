// How wide a line for a person may be.
#pragma once

#include <cstddef>

constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

// Characters in a line: what COLUMNS says, or else the width of the terminal behind the descriptor; no_limit where it is
// none.
std::size_t line_width(int descriptor);

// Lines of the terminal behind the descriptor; no_limit where it is none.
std::size_t line_count(int descriptor);

// A terminal that shows characters and nothing else: TERM is "dumb".
bool is_dumb_terminal();

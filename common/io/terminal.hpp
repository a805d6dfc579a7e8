// SPDX-License-Identifier: MIT
// What a terminal can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

// Characters per line: COLUMNS if it is set, otherwise the width of the terminal behind the descriptor; no_limit if
// there is none.
std::size_t line_width(int descriptor);
// For a program's help: eighty columns, or those of a narrower terminal, unless COLUMNS asks for another width.
std::size_t help_width();

// Lines of the terminal behind the descriptor; no_limit if there is none.
std::size_t line_count(int descriptor);

// The character at the beginning of a text in UTF-8: how many bytes it has, 0 if they are not valid, and how many columns
// a terminal gives it: 2 for East Asian wide characters and emoji, 0 for those that combine with the one before.
struct CharacterSize {
    std::size_t bytes, columns;
};
CharacterSize size_of_first(std::string_view text);
// The columns of all; what is not valid counts a column for each byte.
std::size_t terminal_columns(std::string_view text);

// Breaks `words` at blanks into lines of at most `width` columns. The lines after the first begin with `indent`
// blanks; the first is assumed to begin after `used` characters. A word is never broken.
std::string wrapped(const std::string& words, std::size_t width, std::size_t indent = 0, std::size_t used = 0);

// Whether the terminal shows only plain characters: TERM is "dumb".
bool is_dumb_terminal();

// SPDX-License-Identifier: MIT
// Words from a file as they may be shown: in a terminal, in XML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plot {

// Valid UTF-8 without control characters: everything else becomes question marks. At most `most`
// columns of a terminal, and dots if there is more.
std::string clean(std::string_view text, std::size_t most = 10000);
// Clean, and with dots at its end if it is wider than so many columns.
std::string fitting(std::string_view text, std::size_t width);
// How many columns a terminal shows it in.
std::size_t width_of(std::string_view text);
// Escaped for an attribute or the text of an element; line ends are kept.
std::string xml(std::string_view text);
// Padded with blanks to so many columns.
std::string padded(const std::string& text, std::size_t width, bool to_the_right = false);

}  // namespace plot

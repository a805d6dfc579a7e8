// SPDX-License-Identifier: MIT
#include "tools/plot/words.hpp"

#include <algorithm>

#include "common/io/terminal.hpp"

namespace plot {
std::string clean(std::string_view text, std::size_t most) {
    std::string shown;
    std::size_t columns = 0;
    while (!text.empty()) {
        const CharacterSize size = size_of_first(text);
        columns += size.columns;
        if (columns > most) return shown + "...";
        if (size.bytes == 0) shown += '?';
        else shown += text.substr(0, size.bytes);
        text.remove_prefix(std::max<std::size_t>(size.bytes, 1));
    }
    return shown;
}

std::string fitting(std::string_view text, std::size_t width) {
    const std::string whole = clean(text);
    if (width_of(whole) <= width) return whole;
    if (width > 3) return clean(text, width - 3);
    const std::string dots = "...", cut = clean(text, width);
    return cut.substr(0, cut.size() - dots.size());
}

std::size_t width_of(std::string_view text) { return terminal_columns(text); }

std::string xml(std::string_view text) {
    std::string escaped;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        for (const char c : clean(text.substr(begin, end - begin))) {
            switch (c) {
                case '&': escaped += "&amp;"; break;
                case '<': escaped += "&lt;"; break;
                case '>': escaped += "&gt;"; break;
                case '"': escaped += "&quot;"; break;
                default: escaped += c;
            }
        }
        if (end < text.size()) escaped += '\n';
        begin = end + 1;
    }
    return escaped;
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
    const std::size_t own = width_of(text);
    const std::string blanks(width > own ? width - own : 0, ' ');
    return to_the_right ? blanks + text : text + blanks;
}

}  // namespace plot

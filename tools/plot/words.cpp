// SPDX-License-Identifier: MIT
#include "tools/plot/words.hpp"

#include <algorithm>

namespace plot {
namespace {

// How many bytes the character at the beginning has; 0 if it is not valid.
std::size_t length_of_first(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    // Overlong forms, surrogates, code points beyond the last one, and the C1 control characters.
    const unsigned char second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f) || (first == 0xc2 && second < 0xa0))
        return 0;
    return length;
}

}  // namespace

std::string clean(std::string_view text, std::size_t most) {
    std::string shown;
    std::size_t characters = 0;
    while (!text.empty()) {
        if (++characters > most) return shown + "...";
        const std::size_t length = length_of_first(text);
        if (length == 0) shown += '?';
        else shown += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return shown;
}

std::string fitting(std::string_view text, std::size_t width) {
    const std::string whole = clean(text);
    if (width_of(whole) <= width) return whole;
    return width > 3 ? clean(text, width - 3) : clean(text, width).substr(0, width);
}

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

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

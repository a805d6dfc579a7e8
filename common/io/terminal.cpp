// SPDX-License-Identifier: MIT
// make: simcc (which links this file without the rest of the room, and so without its libraries)
#include "common/io/terminal.hpp"

#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

std::size_t line_width(int descriptor) {
    if (const char* columns = std::getenv("COLUMNS")) {
        char* end = nullptr;
        const long width = std::strtol(columns, &end, 10);
        if (end != columns && *end == '\0' && width > 0) return static_cast<std::size_t>(width);
    }
    winsize size{};
    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return no_limit;
    return size.ws_col;
}

std::size_t help_width() {
    constexpr std::size_t usual = 80;
    const std::size_t width = line_width(STDOUT_FILENO);
    return std::getenv("COLUMNS") ? width : std::min(width, usual);
}

std::size_t line_count(int descriptor) {
    winsize size{};
    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return no_limit;
    return size.ws_row;
}

bool is_dumb_terminal() {
    const char* terminal = std::getenv("TERM");
    return terminal && std::strcmp(terminal, "dumb") == 0;
}

namespace {

// As the C library knows it, in a locale of its own: the program's does not matter. Where there is none, all are narrow.
class WidthLocale {
public:
    WidthLocale() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
    ~WidthLocale() {
        if (locale_) freelocale(locale_);
    }
    WidthLocale(const WidthLocale&) = delete;
    WidthLocale& operator=(const WidthLocale&) = delete;

    std::size_t columns_of(char32_t character) const {
        if (!locale_) return 1;
        const locale_t before = uselocale(locale_);
        const int columns = wcwidth(static_cast<wchar_t>(character));
        uselocale(before);
        if (columns >= 0) return static_cast<std::size_t>(columns);
        // Later versions of Unicode have more emoji and ideographs.
        const bool is_wide =
            (character >= 0x1f300 && character < 0x1fb00) || (character >= 0x20000 && character < 0x3fffe);
        return is_wide ? 2 : 1;
    }

private:
    locale_t locale_;
};

}  // namespace

CharacterSize size_of_first(std::string_view text) {
    static const WidthLocale widths;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first >= ' ' && first != 0x7f ? std::size_t{1} : 0, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return {0, 1};
    char32_t character = first & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {0, 1};
        character = character << 6 | (byte(i) & 0x3fu);
    }
    // Overlong forms, surrogates, code points beyond the last one, and the C1 control characters.
    constexpr char32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
    if (character < least[length] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return {0, 1};
    return {length, widths.columns_of(character)};
}

std::size_t terminal_columns(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const CharacterSize size = size_of_first(text);
        columns += size.columns;
        text.remove_prefix(std::max<std::size_t>(size.bytes, 1));
    }
    return columns;
}

std::string wrapped(const std::string& words, std::size_t width, std::size_t indent, std::size_t used) {
    std::string result;
    std::size_t at = used;
    bool begins_line = true;
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t blank = std::min(words.find(' ', begin), words.size());
        const std::size_t length = terminal_columns(std::string_view(words).substr(begin, blank - begin));
        if (!begins_line && at + 1 + length > width) {
            result += '\n' + std::string(indent, ' ');
            at = indent;
            begins_line = true;
        }
        if (!begins_line) result += ' ', ++at;
        result.append(words, begin, blank - begin);
        at += length;
        begins_line = false;
        begin = blank + 1;
    }
    return result;
}

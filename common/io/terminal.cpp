// SPDX-License-Identifier: MIT
// make: simcc (which links this file without the rest of the room, and so without its libraries)
#include "common/io/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

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

std::string wrapped(const std::string& words, std::size_t width, std::size_t indent, std::size_t used) {
    std::string result;
    std::size_t at = used;
    bool begins_line = true;
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t blank = std::min(words.find(' ', begin), words.size());
        const std::size_t length = blank - begin;
        if (!begins_line && at + 1 + length > width) {
            result += '\n' + std::string(indent, ' ');
            at = indent;
            begins_line = true;
        }
        if (!begins_line) result += ' ', ++at;
        result.append(words, begin, length);
        at += length;
        begins_line = false;
        begin = blank + 1;
    }
    return result;
}

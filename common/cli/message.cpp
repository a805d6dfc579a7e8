// SPDX-License-Identifier: MIT
#include "common/cli/message.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "common/io/process.hpp"
#include "common/io/terminal.hpp"

bool use_color(When color, bool is_terminal) {
    if (color != When::automatic) return color == When::always;
    const char* no_color = std::getenv("NO_COLOR");
    return is_terminal && !(no_color && *no_color) && !is_dumb_terminal();
}

void print_message(const char* program, const std::string& message, When color, Weight weight) {
    const bool colored = use_color(color, isatty(STDERR_FILENO));
    const char* begin = !colored ? "" : weight == Weight::error ? "\033[1;31m" : "\033[1m";
    std::fprintf(stderr, "%s%s:%s %s\n", begin, called(program).c_str(), colored ? "\033[0m" : "", message.c_str());
}

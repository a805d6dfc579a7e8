#include "common/cli/message.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

bool use_color(When color) {
    if (color != When::automatic) return color == When::always;
    const char* no_color = std::getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && !(no_color && *no_color);
}

void print_message(const char* program, const std::string& message, When color) {
    const bool colored = use_color(color);
    std::fprintf(stderr, "%s%s:%s %s\n", colored ? "\033[1;31m" : "", program, colored ? "\033[0m" : "",
                 message.c_str());
}

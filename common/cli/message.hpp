// Messages on standard error: "reduce: ...", the name in bold red where --color allows it.
#pragma once

#include <string>

#include "common/cli/options.hpp"

// Colour only on a terminal whose user has not set NO_COLOR (no-color.org), unless --color says otherwise.
bool use_color(When color);

void print_message(const char* program, const std::string& message, When color);

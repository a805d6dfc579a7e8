// Messages on standard error: "reduce: ...", where --color allows it an error's name in bold red, a notice's in bold.
#pragma once

#include <string>

#include "common/cli/options.hpp"

enum class Weight { notice, error };

// Color only on a terminal that has it, whose user has not set NO_COLOR (no-color.org), unless --color says otherwise.
bool use_color(When color, bool is_terminal);

void print_message(const char* program, const std::string& message, When color, Weight weight);

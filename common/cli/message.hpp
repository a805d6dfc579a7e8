// SPDX-License-Identifier: MIT
// Messages on standard error: "reduce: ...". If --color allows, an error's name is bold red, a notice's is bold.
#pragma once

#include <string>

#include "common/cli/options.hpp"

enum class Weight { notice, error };

// Unless --color decides: only on a terminal that has color, and if the user has not set NO_COLOR (no-color.org).
bool use_color(When color, bool is_terminal);

void print_message(const char* program, const std::string& message, When color, Weight weight);

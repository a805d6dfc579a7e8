// SPDX-License-Identifier: MIT
// In a file of its own, so that only programs with kernels need the simulator.
#include "common/cli/options.hpp"
#include "common/io/text.hpp"

void add_check_rows(Options& options, OptionTable& table) { options.add_check_options(table); }

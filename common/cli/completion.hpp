// SPDX-License-Identifier: MIT
// Completions of a command line's last word, from the option table. PROGRAM --complete WORD... prints them.
#pragma once

#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/program.hpp"

struct Candidate {
    std::string word, help;
};

// `words` are those after the program's name; the last one, which may be empty, is completed. If nothing is known about
// it, there are no candidates, and the shell offers files.
std::vector<Candidate> completions(const Program& program, const OptionTable& table,
                                   const std::vector<std::string>& words);

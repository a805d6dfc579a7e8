// What a shell offers for the last word of a command line. PROGRAM --complete WORD... prints it, from the option table.
#pragma once

#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/program.hpp"

struct Candidate {
    std::string word, help;
};

// `words` are those after the program's name; the last one is to be completed and may be empty. Where nothing is known,
// there are no candidates, and the shell offers files.
std::vector<Candidate> completions(const Program& program, const OptionTable& table,
                                   const std::vector<std::string>& words);

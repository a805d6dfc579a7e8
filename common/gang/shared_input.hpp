// A file that several processes read together, each some of its pieces.
#pragma once

#include <string>

#include "common/io/numbers.hpp"
#include "common/measure/team.hpp"

// Failure(usage) for an input whose numbers cannot be read at any place.
[[noreturn]] void refuse_sharing(const std::string& input);

// Failure for standard input and pipes, before they are opened.
void expect_file(const std::string& path);

// Failure unless all processes see the same numbers, any of which can be read first.
void expect_shared(Team& team, const NumberReader& reader, const std::string& path);

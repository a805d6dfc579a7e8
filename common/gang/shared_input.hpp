// SPDX-License-Identifier: MIT
// A file that several processes read together: each reads some of its pieces.
#pragma once

#include <string>

#include "common/io/number_reader.hpp"
#include "common/measure/team.hpp"

// Throws Failure(usage) for an input that can only be read from the beginning.
[[noreturn]] void refuse_sharing(const std::string& input);

// Throws Failure(usage) for standard input and pipes, before they are opened.
void expect_file(const std::string& path);

// Throws Failure unless numbers can be read in any order, and all processes see the same count, type and shape.
void expect_shared(Team& team, const NumberReader& reader, const std::string& path);

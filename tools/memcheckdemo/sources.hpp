// SPDX-License-Identifier: MIT
// The sources of the plants, as the build found them: what --reveal names, --export writes and --grade-fix compares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// The text of a file below kernels/memcheckdemo, by its name in the project.
std::string_view plant_source(std::string_view file);

// The lines of a plant that a report names, from 1 on.
std::vector<unsigned> lines_named(std::string_view file, bool by_simulator);

// A program of one file: a plant, faulty or corrected, and a main() that checks its result. `asked` is how the plant is
// called on the command line.
std::string exported_program(std::string_view file, bool fixed, const std::string& asked);

// The program that calls run() of a corrected copy. Its main() is its own, and so is the kernel named `proof`.
std::string grading_program(const std::string& proof);

// How an exported program asks to be graded: a plant's name, or "--mystery SEED"; "" if it does not say.
std::string arguments_in(std::string_view program);

// C++ without comments, and with one blank for any white space: only what matters to a compiler. If `in_place`, the
// characters of comments become blanks, and all others keep their places.
std::string without_comments(std::string_view source, bool in_place = false);

// The part of an exported program that is to be corrected: what comes before the input and the right result.
std::string to_be_corrected(std::string_view program);

// The same source, but every kernel returns at once. `kernels` is how many there are.
std::string with_empty_kernels(std::string_view source, int& kernels);

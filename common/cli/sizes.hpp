// SPDX-License-Identifier: MIT
// Reading counts and lists of sizes.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

// Parses a count with an optional suffix: k M G T are powers of 1000, Ki Mi Gi Ti of 1024. Failure(usage), in which
// `what` names the count, if it is malformed or above `largest`.
std::size_t parse_count(const std::string& text, const std::string& what,
                        std::size_t largest = std::numeric_limits<std::size_t>::max());

// Far beyond any memory, but small enough that the bytes of a few arrays of this size do not overflow.
constexpr std::size_t largest_size = std::size_t{1} << 56;

// The most elements that --offset can move an array by: more than any alignment needs.
constexpr std::size_t largest_offset = std::size_t{1} << 20;

// "1Ki,4Mi", "A:B:xF" (geometric), "A:B:+S" (arithmetic, both ends included) or "A:B" (by steps of 1).
std::vector<std::size_t> parse_sizes(const std::string& list);

// The same for other counts, which `what` names in errors: each from `smallest` to `largest`.
std::vector<std::size_t> parse_counts(const std::string& list, const std::string& what, std::size_t smallest,
                                      std::size_t largest);

// The same, each one of `allowed`.
std::vector<std::size_t> parse_counts(const std::string& list, const std::string& what,
                                      const std::vector<std::size_t>& allowed);

// Shapes of `count` extents: "1000x333x77"; a single number, alone or in a range, stands for all of them. `form` is how
// an error shows a shape: "MxNxK".
std::vector<std::vector<std::size_t>> parse_extents(const std::string& list, std::size_t count, const char* form);

struct MatrixShape {
    std::size_t rows = 0, columns = 0;

    std::size_t elements() const { return rows * columns; }
    std::string name() const { return std::to_string(rows) + "x" + std::to_string(columns); }
};

// "1000x333": rows and columns. "4096", alone or in a range, is a square. None has more than largest_size elements.
std::vector<MatrixShape> parse_matrix_shapes(const std::string& list);

// A block of x * y threads.
struct BlockShape {
    unsigned x = 1, y = 1;
};

constexpr unsigned most_threads_per_block = 1024;

// "32x8", or "256" for a block of one row. `what` names the option in errors, and `others` what else it takes, such as
// ", nor all". Failure(usage) if it is malformed, or has no thread or more than most_threads_per_block.
BlockShape parse_block_shape(const std::string& text, const std::string& what, const std::string& others = "");

// SPDX-License-Identifier: MIT
// A file with the sum of two files, written in parts by several processes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/number_reader.hpp"

// Failure unless several processes can read any piece of both.
void expect_sharable(Team& team, const std::vector<std::string>& operands, const NumberReader& a,
                     const NumberReader& b);

class SharedSum {
public:
    // `count` elements in the format of `layout`. All types that they may turn out to have are as large as its type.
    SharedSum(Session& session, const NumberLayout& layout, std::size_t count);

    // Writes the sums that begin with element `first`.
    void append(const Piece& sum, std::size_t first);
    // Waits for the other processes.
    void finish();

private:
    [[noreturn]] void refuse_types(std::size_t first, DType before, DType dtype) const;

    Session& session_;
    NumberLayout layout_;
    std::size_t header_bytes_ = 0;
    struct Begin {
        std::size_t first;
        DType dtype;
    };
    std::optional<Begin> begin_;  // of this process's part
};

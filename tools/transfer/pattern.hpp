// SPDX-License-Identifier: MIT
// The bytes that are copied, and the comparison of every one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/measure/verify.hpp"

// Bytes that follow from the seed and their place. Those that start on the host and those that start on a device differ
// in every byte: ones are the others with all bits flipped.
struct Pattern {
    std::uint64_t seed = 0, flipped = 0;

    void write(unsigned char* bytes, std::size_t n) const;
    Verdict compare(const unsigned char* bytes, std::size_t n) const;
};

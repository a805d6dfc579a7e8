// The bytes that are copied, and how every one of them is compared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/measure/verify.hpp"

// Bytes as they follow from the seed and their place. What starts on the host and what starts on a device differ in every
// byte: one is the other with all bits flipped.
struct Pattern {
    std::uint64_t seed = 0, flipped = 0;

    void write(unsigned char* bytes, std::size_t n) const;
    Verdict compare(const unsigned char* bytes, std::size_t n) const;
};

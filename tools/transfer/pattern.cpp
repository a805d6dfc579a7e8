// SPDX-License-Identifier: MIT
#include "tools/transfer/pattern.hpp"

#include <algorithm>
#include <cstring>

#include "common/measure/parallel.hpp"
#include "common/measure/random.hpp"

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

static std::size_t words_of(std::size_t n) { return n / word_bytes + (n % word_bytes != 0); }

static std::uint64_t word(const Pattern& pattern, std::size_t i) {
    return random_bits(pattern.seed, i) ^ pattern.flipped;
}

void Pattern::write(unsigned char* bytes, std::size_t n) const {
    parallel_for(words_of(n), [=, *this](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t value = word(*this, i);
            std::memcpy(bytes + i * word_bytes, &value, std::min(word_bytes, n - i * word_bytes));
        }
    });
}

Verdict Pattern::compare(const unsigned char* bytes, std::size_t n) const {
    const std::size_t words = words_of(n);
    const auto first_wrong = [=, *this](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t value = word(*this, i);
            if (std::memcmp(bytes + i * word_bytes, &value, std::min(word_bytes, n - i * word_bytes)) != 0) return i;
        }
        return words;
    };
    const std::size_t wrong =
        parallel_reduce(words, words, first_wrong, [](std::size_t a, std::size_t b) { return a < b ? a : b; });
    if (wrong == words) return {};
    const std::uint64_t value = word(*this, wrong);
    unsigned char expected[word_bytes];
    std::memcpy(expected, &value, word_bytes);
    std::size_t k = 0;
    while (bytes[wrong * word_bytes + k] == expected[k]) ++k;
    return {false, text("byte {}: got {}, expected {}", wrong * word_bytes + k, unsigned(bytes[wrong * word_bytes + k]),
                        unsigned(expected[k]))};
}

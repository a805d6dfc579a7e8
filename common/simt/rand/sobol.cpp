// SPDX-License-Identifier: MIT
#include "common/simt/rand/sobol.hpp"

#include <cstddef>
#include <vector>

namespace simt::rand {
namespace {

/// A primitive polynomial over the bits 0 and 1, by its degree and its inner coefficients, and the first odd integers.
struct Polynomial {
    unsigned degree, coefficients;
    std::vector<unsigned> first;
};

// Joe and Kuo, new-joe-kuo-6, from the second dimension on.
const std::vector<Polynomial>& polynomials() {
    static const auto& list = *new std::vector<Polynomial>{
        {1, 0, {1}},
        {2, 1, {1, 3}},
        {3, 1, {1, 3, 1}},
        {3, 2, {1, 1, 1}},
        {4, 1, {1, 1, 3, 3}},
        {4, 4, {1, 3, 5, 13}},
        {5, 2, {1, 1, 5, 5, 17}},
        {5, 4, {1, 1, 5, 5, 5}},
        {5, 7, {1, 1, 7, 11, 19}},
        {5, 11, {1, 1, 5, 1, 1}},
        {5, 13, {1, 1, 1, 3, 11}},
        {5, 14, {1, 3, 5, 5, 31}},
        {6, 1, {1, 3, 3, 9, 7, 49}},
        {6, 13, {1, 1, 1, 15, 21, 21}},
        {6, 16, {1, 3, 1, 13, 27, 49}},
        {6, 19, {1, 1, 1, 15, 7, 5}},
        {6, 22, {1, 3, 1, 15, 13, 25}},
        {6, 25, {1, 1, 5, 5, 19, 61}},
        {7, 1, {1, 3, 7, 11, 23, 15, 103}},
        {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    };
    return list;
}

}  // namespace

unsigned most_dimensions() { return static_cast<unsigned>(polynomials().size()) + 1; }

std::array<uint64_t, 64> direction_vectors(unsigned dimension) {
    std::array<uint64_t, 64> vectors;
    if (dimension == 0) {
        for (size_t k = 0; k < 64; ++k) vectors[k] = uint64_t{1} << (63 - k);
        return vectors;
    }
    const Polynomial& p = polynomials()[dimension - 1];
    for (size_t k = 0; k < 64; ++k) {
        if (k < p.degree) {
            vectors[k] = static_cast<uint64_t>(p.first[k]) << (63 - k);
            continue;
        }
        vectors[k] = vectors[k - p.degree] ^ (vectors[k - p.degree] >> p.degree);
        for (size_t j = 1; j < p.degree; ++j) {
            if (p.coefficients >> (p.degree - 1 - j) & 1) vectors[k] ^= vectors[k - j];
        }
    }
    return vectors;
}

}  // namespace simt::rand

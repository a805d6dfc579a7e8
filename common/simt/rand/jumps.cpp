// SPDX-License-Identifier: MIT
// Jumps of the generators over many numbers: a step is a matrix, so n steps are its n-th power.
#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "common/simt/include/curand_kernel.h"

namespace simt::rand {
namespace {

// ---- XORWOW: 160 bits, each of which is a sum of others after a step

using Words = std::array<uint32_t, 5>;
using BitMatrix = std::vector<Words>;  // what becomes of each bit

Words product(const Words& words, const BitMatrix& matrix) {
    Words sum = {};
    for (size_t bit = 0; bit < matrix.size(); ++bit) {
        if ((words[bit / 32] >> (bit % 32) & 1) == 0) continue;
        for (size_t i = 0; i < sum.size(); ++i) sum[i] ^= matrix[bit][i];
    }
    return sum;
}

BitMatrix step_of_xorwow() {
    BitMatrix matrix(160);
    for (size_t bit = 0; bit < matrix.size(); ++bit) {
        curandStateXORWOW_t state = {};
        state.v[bit / 32] = 1u << (bit % 32);
        curand(&state);
        for (size_t i = 0; i < 5; ++i) matrix[bit][i] = state.v[i];
    }
    return matrix;
}

BitMatrix square(const BitMatrix& matrix) {
    BitMatrix result;
    for (const Words& row : matrix) result.push_back(product(row, matrix));
    return result;
}

// ---- MRG32k3a: two matrices of integers

using Row = std::array<uint64_t, 3>;
using Matrix = std::array<Row, 3>;
constexpr uint64_t moduli[2] = {4294967087u, 4294944443u};

Matrix step_of_mrg32k3a(size_t which) {
    const uint64_t m = moduli[which];
    const Row last = which == 0 ? Row{m - 810728, 1403580, 0} : Row{m - 1370589, 0, 527612};
    return {Row{0, 1, 0}, Row{0, 0, 1}, last};
}

Matrix square(const Matrix& matrix, uint64_t modulus) {
    Matrix result = {};
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            for (size_t k = 0; k < 3; ++k) {
                result[i][j] = (result[i][j] + matrix[i][k] * matrix[k][j] % modulus) % modulus;
            }
        }
    }
    return result;
}

// The step's powers with exponents 2^i, as far as they have been needed.
template <typename Matrix, typename Square>
const Matrix& power(std::vector<Matrix>& powers, size_t i, Square square_of) {
    while (powers.size() <= i) powers.push_back(square_of(powers.back()));
    return powers[i];
}

std::mutex& powers_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

}  // namespace
}  // namespace simt::rand

using namespace simt::rand;

void simt_curand_skip_xorwow(unsigned int v[5], unsigned long long n, int log2_steps) {
    if (n == 0) return;
    const std::lock_guard lock(powers_mutex());
    static auto& powers = *new std::vector<BitMatrix>{step_of_xorwow()};
    Words words = {v[0], v[1], v[2], v[3], v[4]};
    for (auto i = static_cast<size_t>(log2_steps); n != 0; ++i, n >>= 1) {
        if ((n & 1) == 0) continue;
        words = product(words, power(powers, i, [](const BitMatrix& matrix) { return square(matrix); }));
    }
    for (size_t i = 0; i < 5; ++i) v[i] = words[i];
}

void simt_curand_skip_mrg32k3a(unsigned int s1[3], unsigned int s2[3], unsigned long long n, int log2_steps) {
    const std::lock_guard lock(powers_mutex());
    static auto& all = *new std::array<std::vector<Matrix>, 2>{{{step_of_mrg32k3a(0)}, {step_of_mrg32k3a(1)}}};
    for (auto i = static_cast<size_t>(log2_steps); n != 0; ++i, n >>= 1) {
        for (size_t which = 0; (n & 1) != 0 && which < 2; ++which) {
            unsigned int* const state = which == 0 ? s1 : s2;
            const uint64_t m = moduli[which];
            const Matrix& matrix = power(all[which], i, [m](const Matrix& from) { return square(from, m); });
            uint64_t sums[3] = {};
            for (size_t row = 0; row < 3; ++row) {
                for (size_t k = 0; k < 3; ++k) sums[row] = (sums[row] + matrix[row][k] * state[k] % m) % m;
            }
            for (size_t row = 0; row < 3; ++row) state[row] = static_cast<unsigned int>(sums[row]);
        }
    }
}

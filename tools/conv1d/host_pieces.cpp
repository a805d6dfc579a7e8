// SPDX-License-Identifier: MIT
// Products and sums are rounded separately, as on processors without a fused multiply-add.
// make: -O3 (its time goes into loops over numbers)
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#include "tools/conv1d/host_pieces.hpp"

#include <cmath>
#include <limits>

#include "common/measure/vector_units.hpp"

namespace {

// Outputs that stay in registers while the taps are applied.
constexpr std::size_t outputs_at_once = 64;

template <typename T>
struct Convolution {
    IN_EVERY_CALLER static void run(const T* inputs, const T* taps, unsigned width, T* output, std::size_t n) {
        std::size_t first = 0;
        for (; first + outputs_at_once <= n; first += outputs_at_once) {
            T sums[outputs_at_once] = {};
            for (unsigned j = 0; j < width; ++j)
                for (std::size_t i = 0; i < outputs_at_once; ++i) sums[i] += taps[j] * inputs[first + i + j];
            for (std::size_t i = 0; i < outputs_at_once; ++i) output[first + i] = sums[i];
        }
        for (; first < n; ++first) {
            T sum = 0;
            for (unsigned j = 0; j < width; ++j) sum += taps[j] * inputs[first + j];
            output[first] = sum;
        }
    }
};

template <typename T>
struct Finiteness {
    IN_EVERY_CALLER static bool run(const T* values, std::size_t n) {
        unsigned others = 0;
        for (std::size_t i = 0; i < n; ++i) others |= !(std::fabs(values[i]) <= std::numeric_limits<T>::max());
        return others == 0;
    }
};

}  // namespace

template <typename T>
void convolve_piece(const T* inputs, const T* taps, unsigned width, T* output, std::size_t n) {
    run_on_vector_units<Convolution<T>>(inputs, taps, width, output, n);
}

template <typename T>
bool is_all_finite(const T* values, std::size_t n) {
    return run_on_vector_units<Finiteness<T>>(values, n);
}

#define INSTANTIATE(T)                                                              \
    template void convolve_piece<T>(const T*, const T*, unsigned, T*, std::size_t); \
    template bool is_all_finite<T>(const T*, std::size_t);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

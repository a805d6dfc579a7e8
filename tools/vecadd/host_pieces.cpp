// SPDX-License-Identifier: MIT
// make: -O3 (its time goes into loops over numbers)
#include "tools/vecadd/host_pieces.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/measure/vector_units.hpp"

namespace {

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Not 0 if the sum may have overflowed: an integer's sign differs from both summands', or a sum is not finite.
template <typename T>
IN_EVERY_CALLER Bits<T> doubt(T a, T b, T c) {
    if constexpr (std::is_integral_v<T>) return static_cast<Bits<T>>(((a ^ c) & (b ^ c)) < 0);
    else return static_cast<Bits<T>>(!(std::fabs(c) <= std::numeric_limits<T>::max()));
}

template <typename T>
bool is_sum(T a, T b, T c) {
    if constexpr (std::is_integral_v<T>) return doubt(a, b, c) == 0;
    else return std::isfinite(c) || !std::isfinite(a) || !std::isfinite(b);
}

template <typename T>
IN_EVERY_CALLER T sum_of(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Bits<T>(a) + Bits<T>(b));
    else return a + b;
}

template <typename T>
std::size_t first_that_is_none(const T* a, const T* b, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        if (!is_sum(a[i], b[i], sum_of(a[i], b[i]))) return i;
    return n;
}

template <typename T>
struct Addition {
    IN_EVERY_CALLER static bool run(const T* a, const T* b, T* c, std::size_t n) {
        Bits<T> doubts = 0;
        for (std::size_t i = 0; i < n; ++i) {
            c[i] = sum_of(a[i], b[i]);
            doubts |= doubt(a[i], b[i], c[i]);
        }
        return doubts != 0;
    }
};

template <typename T>
struct Doubts {
    IN_EVERY_CALLER static bool run(const T* a, const T* b, std::size_t n) {
        Bits<T> doubts = 0;
        for (std::size_t i = 0; i < n; ++i) doubts |= doubt(a[i], b[i], sum_of(a[i], b[i]));
        return doubts != 0;
    }
};

}  // namespace

template <typename T>
std::size_t add_pieces(const T* a, const T* b, T* c, std::size_t n) {
    return run_on_vector_units<Addition<T>>(a, b, c, n) ? first_that_is_none(a, b, n) : n;
}

template <typename T>
std::size_t find_overflow(const T* a, const T* b, std::size_t n) {
    return run_on_vector_units<Doubts<T>>(a, b, n) ? first_that_is_none(a, b, n) : n;
}

#define INSTANTIATE(T)                                                       \
    template std::size_t add_pieces<T>(const T*, const T*, T*, std::size_t); \
    template std::size_t find_overflow<T>(const T*, const T*, std::size_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
#undef INSTANTIATE

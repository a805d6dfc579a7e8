#pragma once
// The operations a reduction can apply: sum, minimum and maximum of float, double, int32_t and int64_t.
// Each is a type with three static members, so that a kernel template needs nothing but the type:
//     identity()                   the value that changes nothing, and the result of reducing no elements
//     combine(a, b)                associative and commutative (for floating sums up to rounding)
//     combine_atomically(p, v)     *p = combine(*p, v), indivisible, on global or shared memory
// A floating minimum or maximum over a NaN is NaN, whatever the order, as a sum is: bad data must not look good.
// An integer sum wraps around, as the hardware's adder does, also where C++ leaves signed overflow undefined.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace BACKEND {

/// Whether T is a type the operations below support.
template <typename T>
inline constexpr bool is_reducible = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                     std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;

/// The value no other is above, and the value no other is below: infinities where T has them. Constants rather than
/// calls, because device code may not call std::numeric_limits.
template <typename T>
inline constexpr T largest_value =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <typename T>
inline constexpr T smallest_value =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

/// The unsigned integer as wide as T: what atomicCAS compares and what a shift takes apart.
template <typename T> using BitsOf = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;

template <typename T> __host__ __device__ inline BitsOf<T> to_bits(T value) {
    BitsOf<T> bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <typename T> __host__ __device__ inline T from_bits(BitsOf<T> bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// The atomic for operations the hardware has none for: compute the new value from the one last seen, and write it
/// only if nobody wrote in between. The first guess is the identity: reading the address first would be one more
/// access, and an unprotected one.
template <typename Operator, typename T> __device__ inline void combine_by_compare_and_swap(T* address, T value) {
    auto* word = reinterpret_cast<BitsOf<T>*>(address);
    BitsOf<T> seen = to_bits(Operator::identity());
    for (;;) {
        const BitsOf<T> combined = to_bits<T>(Operator::combine(from_bits<T>(seen), value));
        const BitsOf<T> found = atomicCAS(word, seen, combined);
        if (found == seen) return;
        seen = found;
    }
}

template <typename T> struct Sum {
    static_assert(is_reducible<T>);

    static __host__ __device__ constexpr T identity() { return T(0); }

    static __host__ __device__ constexpr T combine(T a, T b) {
        if constexpr (std::is_integral_v<T>) {
            using Unsigned = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
        } else {
            return a + b;
        }
    }

    static __device__ void combine_atomically(T* address, T value) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
            atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
        } else if constexpr (std::is_same_v<T, double>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600 // atomicAdd of double came with sm_60
            combine_by_compare_and_swap<Sum>(address, value);
#else
            atomicAdd(address, value);
#endif
        } else {
            atomicAdd(address, value);
        }
    }
};

template <typename T> struct Min {
    static_assert(is_reducible<T>);

    static __host__ __device__ constexpr T identity() { return largest_value<T>; }

    static __host__ __device__ constexpr T combine(T a, T b) { return b < a || b != b ? b : a; }

    static __device__ void combine_atomically(T* address, T value) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
            atomicMin(reinterpret_cast<long long*>(address), static_cast<long long>(value));
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            atomicMin(address, value);
        } else {
            combine_by_compare_and_swap<Min>(address, value);
        }
    }
};

template <typename T> struct Max {
    static_assert(is_reducible<T>);

    static __host__ __device__ constexpr T identity() { return smallest_value<T>; }

    static __host__ __device__ constexpr T combine(T a, T b) { return b > a || b != b ? b : a; }

    static __device__ void combine_atomically(T* address, T value) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
            atomicMax(reinterpret_cast<long long*>(address), static_cast<long long>(value));
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            atomicMax(address, value);
        } else {
            combine_by_compare_and_swap<Max>(address, value);
        }
    }
};

} // namespace BACKEND

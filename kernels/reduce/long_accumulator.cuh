// SPDX-License-Identifier: MIT
#pragma once
// The exact sum of floating-point numbers: a fixed-point number that spans the whole range of T, after Kulisch. Each
// digit has spare bits at the top, so adding a number takes one or two integer additions and carries can wait, after
// Neal (Fast exact summation using small and large superaccumulators, 2015). Integers add up to the same bits in any
// order, so the rounded sum is the same on every device, for every grid, block and order.
#include "common/cuda/bits.cuh"

#include <cuda_runtime.h>

namespace BACKEND {

using Digit = unsigned long long;  // in two's complement: between carries a digit may be negative

/// Digit j of the sum of T counts units of 2^(smallest_exponent + j * digit_bits). A number's significand begins at the
/// bit that its exponent field names; a subnormal's at bit 1, so that bit 0 is never used.
///     digits                 the last one is never carried out of, and holds sums of 2^40 times the largest number
///     adds_before_carry      how many numbers may be added before carry() must make room again
template <typename T>
struct LongFormat;
template <>
struct LongFormat<float> {
    static constexpr unsigned digit_bits = 16, digits = 17, fraction_bits = 23, exponent_bits = 8;
    static constexpr int smallest_exponent = -150;
    static constexpr unsigned adds_before_carry = 1U << 23;  // each less than 2^(24 + 15)
};
template <>
struct LongFormat<double> {
    static constexpr unsigned digit_bits = 32, digits = 66, fraction_bits = 52, exponent_bits = 11;
    static constexpr int smallest_exponent = -1075;
    static constexpr unsigned adds_before_carry = 2000;  // each less than 2^52
};

/// Both factors and the product are signed. (Without the asm, nvcc sees that one factor is never negative and emits two
/// multiplications.)
__host__ __device__ __forceinline__ long long multiply_wide(int a, int b) {
#if defined(__CUDA_ARCH__) && !defined(__SIMCC__)
    long long product;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return static_cast<long long>(a) * b;
#endif
}

/// Adds a number to the digits that it reaches; `digits` is anything with an index operator. An infinity or a NaN adds
/// meaningless bits: Sightings decide the sum then.
template <typename Digits>
__host__ __device__ __forceinline__ void add_to_digits(float value, Digits& digits) {
    const unsigned bits = to_bits(value);
    const unsigned fraction = bits & 0x7fffff;
    const unsigned magnitude = fraction + ((bits & 0x7f800000) != 0 ? 0x800000 : fraction);  // a subnormal is at bit 1
    const unsigned sign = static_cast<unsigned>(static_cast<int>(bits) >> 31 | 1);
    const int factor = static_cast<int>(sign << (bits >> 23 & 15));
    digits[bits >> 27 & 15] += static_cast<Digit>(multiply_wide(static_cast<int>(magnitude), factor));
}
template <typename Digits>
__host__ __device__ __forceinline__ void add_to_digits(double value, Digits& digits) {
    const Digit bits = to_bits(value);
    const auto upper_bits = static_cast<unsigned>(bits >> 32);
    const unsigned field = upper_bits >> 20 & 0x7ff;
    const unsigned shift = (field != 0 ? field : 1) & 31;
    const unsigned digit = upper_bits >> 25 & 63;
    const Digit magnitude = (bits & 0xfffffffffffffULL) | (field != 0 ? 0x10000000000000ULL : 0);
    const Digit sign = static_cast<Digit>(static_cast<long long>(bits) >> 63);
    const Digit significand = (magnitude ^ sign) - sign;
    // In halves: the shifted significand is 2^32 times its signed upper half plus its lower half. Both digits are read
    // before either is written: the compiler cannot know that they are distinct, and would make one wait for the other.
    Digit &lower = digits[digit], &upper = digits[digit + 1];
    const Digit old_lower = lower, old_upper = upper;
    lower = old_lower + ((significand << shift) & 0xffffffffU);
    upper = old_upper + static_cast<Digit>(static_cast<long long>(significand) >> (32 - shift));
}

/// Adds an f64 that is a sum of numbers of type T. For f32 it is added in pieces of 16 bits; those above the last digit
/// go to that one.
template <typename T, typename Digits>
__host__ __device__ void add_sum_to_digits(double value, Digits& digits) {
    using Format = LongFormat<T>;
    if constexpr (sizeof(T) == sizeof(double)) {
        add_to_digits(value, digits);
    } else {
        const Digit bits = to_bits(value);
        Digit significand = (bits & 0xfffffffffffffULL) | 0x10000000000000ULL;
        // As a sum of f32 it is 0 or normal, and a multiple of the first digit's unit.
        int position = static_cast<int>(bits >> 52 & 0x7ff) - (1023 + 52) - Format::smallest_exponent;
        if (position < -52) return;
        if (position < 0) {
            significand >>= -position;
            position = 0;
        }
        const Digit sign = static_cast<Digit>(static_cast<long long>(bits) >> 63);
#if defined(__CUDA_ARCH__) && !defined(__SIMCC__)
#pragma unroll 1
#endif
        for (; significand != 0; significand >>= Format::digit_bits, position += Format::digit_bits) {
            const auto wanted = static_cast<unsigned>(position) / Format::digit_bits;
            const unsigned digit = wanted < Format::digits ? wanted : Format::digits - 1;
            const unsigned shift = static_cast<unsigned>(position) - digit * Format::digit_bits;
            const Digit piece = (significand & ((Digit{1} << Format::digit_bits) - 1)) << (shift & 63);
            digits[digit] += (piece ^ sign) - sign;
        }
    }
}

/// What a sum must know beside its digits.
enum : unsigned { saw_nan = 1, saw_infinity = 2, saw_negative_infinity = 4, saw_not_negative_zero = 8 };

/// The largest bit pattern seen, as a signed and as an unsigned integer: these are the positive and the negative number
/// farthest from 0. The bits of -0 are the smallest signed integer. (For f64 these are the upper 32 bits.)
template <typename T>
class Sightings {
public:
    __host__ __device__ __forceinline__ void note(T value) {
        unsigned bits;
        if constexpr (sizeof(T) == 4) {
            bits = to_bits(value);
        } else {
            bits = static_cast<unsigned>(to_bits(value) >> 32);
            lower_bits_ |= static_cast<unsigned>(to_bits(value));
            nan_ |= value != value;
        }
        positive_ = static_cast<int>(bits) > positive_ ? static_cast<int>(bits) : positive_;
        negative_ = bits > negative_ ? bits : negative_;
    }

    __host__ __device__ unsigned seen() const {
        constexpr unsigned infinity = sizeof(T) == 4 ? 0x7f800000 : 0x7ff00000, sign = 1U << 31;
        unsigned seen = positive_ != none || lower_bits_ != 0 ? saw_not_negative_zero : 0U;
        if (positive_ == static_cast<int>(infinity)) seen |= saw_infinity;
        if (negative_ == (infinity | sign)) seen |= saw_negative_infinity;
        if (nan_ || positive_ > static_cast<int>(infinity) || negative_ > (infinity | sign)) seen |= saw_nan;
        return seen;
    }

private:
    static constexpr int none = -0x7fffffff - 1;
    int positive_ = none;
    unsigned negative_ = 0, lower_bits_ = 0;
    bool nan_ = false;
};

/// Carries, so that every digit is less than 2^digit_bits, except the last, which then has the sign of the sum.
template <typename T, typename Digits>
__host__ __device__ void carry(Digits& digits) {
    using Format = LongFormat<T>;
    long long carried = 0;
#if defined(__CUDA_ARCH__) && !defined(__SIMCC__)
#pragma unroll 2  // more would cost time: instructions are fetched from memory, too
#endif
    for (unsigned j = 0; j + 1 < Format::digits; ++j) {
        const auto value = static_cast<long long>(digits[j] + static_cast<Digit>(carried));
        digits[j] = static_cast<Digit>(value) & ((Digit{1} << Format::digit_bits) - 1);
        carried = value >> Format::digit_bits;
    }
    digits[Format::digits - 1] += static_cast<Digit>(carried);
}

__host__ __device__ inline unsigned highest_bit(Digit value) {
#if defined(__CUDA_ARCH__) && !defined(__SIMCC__)
    return 63U - static_cast<unsigned>(__clzll(static_cast<long long>(value)));
#else
    return 63U - static_cast<unsigned>(__builtin_clzll(value));
#endif
}

/// A sum's magnitude, rounded: significand * 2^(smallest_exponent + position).
struct RoundedMagnitude {
    Digit significand = 0;
    unsigned position = 0;
};

template <typename T>
struct LongAccumulator {
    using Format = LongFormat<T>;

    Digit digits[Format::digits];
    unsigned seen;

    __host__ __device__ static LongAccumulator zero() {
        LongAccumulator sum;
        for (Digit& digit : sum.digits) digit = 0;
        sum.seen = 0;
        return sum;
    }

    /// The caller must call carry() after adds_before_carry calls.
    __host__ __device__ void add(T value, Sightings<T>& sightings) {
        sightings.note(value);
        add_to_digits(value, digits);
    }
    __host__ __device__ void carry() { BACKEND::carry<T>(digits); }

    /// Both must have been carried; the result is carried, too.
    __host__ __device__ void merge(const LongAccumulator& other) {
        for (unsigned j = 0; j < Format::digits; ++j) digits[j] += other.digits[j];
        seen |= other.seen;
        carry();
    }

    /// The nearest T, ties to even; an infinity beyond the largest. Destroys the accumulator.
    __host__ __device__ T take_rounded() {
        constexpr auto infinity = BitsOf<T>{(1U << Format::exponent_bits) - 1} << Format::fraction_bits;
        constexpr auto sign = BitsOf<T>{1} << (8 * sizeof(T) - 1);
        const unsigned infinities = seen & (saw_infinity | saw_negative_infinity);
        if ((seen & saw_nan) != 0 || infinities == (saw_infinity | saw_negative_infinity)) {
            return from_bits<T>(infinity | (infinity >> 1));
        }
        if (infinities != 0) return from_bits<T>(infinities == saw_infinity ? infinity : infinity | sign);
        const bool negative = make_magnitude();
        // A subnormal has field 0 and position 1; for all others the implicit bit carries into the field and adds 1.
        const RoundedMagnitude rounded = round_magnitude(Format::fraction_bits + 1, 1);
        if (rounded.significand == 0) return seen == 0 ? from_bits<T>(sign) : T(0);
        Digit bits = (static_cast<Digit>(rounded.position - 1) << Format::fraction_bits) + rounded.significand;
        if (bits > infinity) bits = infinity;
        return from_bits<T>(static_cast<BitsOf<T>>(bits) | (negative ? sign : 0));
    }

    /// Replaces the sum by its magnitude. Returns whether it was negative.
    __host__ __device__ bool make_magnitude() {
        if (static_cast<long long>(digits[Format::digits - 1]) >= 0) return false;
        for (Digit& digit : digits) digit = Digit{0} - digit;
        carry();
        return true;
    }

    /// The magnitude rounded to `bits` bits, none of them below bit `lowest`. The digits must be those of a magnitude.
    __host__ __device__ RoundedMagnitude round_magnitude(unsigned bits, unsigned lowest) const {
        unsigned top = Format::digits;
        while (top > 0 && digits[top - 1] == 0) --top;
        if (top == 0) return {};
        const unsigned highest = (top - 1) * Format::digit_bits + highest_bit(digits[top - 1]);
        const unsigned cut = highest >= lowest + bits - 1 ? highest - bits + 1 : lowest;
        RoundedMagnitude result{0, cut};
        bool half = false, below_half = false;
        for (unsigned j = top; j-- > 0;) {
            const unsigned first = j * Format::digit_bits;
            if (first >= cut) {
                result.significand += digits[j] << (first - cut);
            } else if (cut - first < 64) {
                const Digit below = digits[j] & ((Digit{1} << (cut - first)) - 1);
                const Digit half_bit = Digit{1} << (cut - first - 1);
                result.significand += digits[j] >> (cut - first);
                // (Only the first digit below the cut can hold the half bit: the next ones end below it.)
                half |= (below & half_bit) != 0;
                below_half |= (below & ~half_bit) != 0;
            } else {
                below_half |= digits[j] != 0;
            }
        }
        result.significand += half && (below_half || (result.significand & 1) != 0) ? 1 : 0;
        return result;
    }
};

}  // namespace BACKEND

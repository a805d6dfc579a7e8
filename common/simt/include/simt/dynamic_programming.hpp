// SPDX-License-Identifier: MIT
// DPX: the additions, minima and maxima of dynamic programming (__viaddmax_s32, __vimax3_s16x2_relu, ...), on a 32-bit
// integer or two of 16 bits.
#pragma once

#include "simt/minmax.hpp"
#include "simt/packed_integers.hpp"

namespace simt::arithmetic {

SIMT_INLINE int wrapped_sum(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
SIMT_INLINE unsigned wrapped_sum(unsigned a, unsigned b) { return a + b; }
// Whether the choice between two took the first (`of`), for each half.
SIMT_INLINE bool is_high_half(unsigned result, unsigned of) { return result >> 16 == of >> 16; }
SIMT_INLINE bool is_low_half(unsigned result, unsigned of) { return (result & 0xffffu) == (of & 0xffffu); }

}  // namespace simt::arithmetic

// For max or min of one kind of integer: of three values, and of a sum and a third value.
#define SIMT_DPX(choice, suffix, type, choose, add)                                                       \
    SIMT_INLINE type __vi##choice##3_##suffix(type a, type b, type c) { return choose(choose(a, b), c); } \
    SIMT_INLINE type __viadd##choice##_##suffix(type a, type b, type c) { return choose(add(a, b), c); }
// The same, but no result is below zero.
#define SIMT_DPX_RELU(choice, suffix, type, choose, above)                                                   \
    SIMT_INLINE type __vi##choice##_##suffix##_relu(type a, type b) { return above(choose(a, b), type(0)); } \
    SIMT_INLINE type __vi##choice##3_##suffix##_relu(type a, type b, type c) {                               \
        return above(__vi##choice##3_##suffix(a, b, c), type(0));                                            \
    }                                                                                                        \
    SIMT_INLINE type __viadd##choice##_##suffix##_relu(type a, type b, type c) {                             \
        return above(__viadd##choice##_##suffix(a, b, c), type(0));                                          \
    }
#define SIMT_DPX_CHOICE(choice, suffix, type, choose)                           \
    SIMT_INLINE type __vib##choice##_##suffix(type a, type b, bool* is_first) { \
        const type result = choose(a, b);                                       \
        *is_first = result == a;                                                \
        return result;                                                          \
    }
#define SIMT_DPX_CHOICES(choice, suffix, choose)                                                                     \
    SIMT_INLINE unsigned __vib##choice##_##suffix(unsigned a, unsigned b, bool* is_first_high, bool* is_first_low) { \
        const unsigned result = choose(a, b);                                                                        \
        *is_first_high = simt::arithmetic::is_high_half(result, a);                                                  \
        *is_first_low = simt::arithmetic::is_low_half(result, a);                                                    \
        return result;                                                                                               \
    }
#define SIMT_DPX_FUNCTIONS(choice)                                         \
    SIMT_DPX(choice, s32, int, choice, simt::arithmetic::wrapped_sum)      \
    SIMT_DPX(choice, u32, unsigned, choice, simt::arithmetic::wrapped_sum) \
    SIMT_DPX(choice, s16x2, unsigned, __v##choice##s2, __vadd2)            \
    SIMT_DPX(choice, u16x2, unsigned, __v##choice##u2, __vadd2)            \
    SIMT_DPX_RELU(choice, s32, int, choice, max)                           \
    SIMT_DPX_RELU(choice, s16x2, unsigned, __v##choice##s2, __vmaxs2)      \
    SIMT_DPX_CHOICE(choice, s32, int, choice)                              \
    SIMT_DPX_CHOICE(choice, u32, unsigned, choice)                         \
    SIMT_DPX_CHOICES(choice, s16x2, __v##choice##s2)                       \
    SIMT_DPX_CHOICES(choice, u16x2, __v##choice##u2)
SIMT_DPX_FUNCTIONS(max)
SIMT_DPX_FUNCTIONS(min)
#undef SIMT_DPX_FUNCTIONS
#undef SIMT_DPX_CHOICES
#undef SIMT_DPX_CHOICE
#undef SIMT_DPX_RELU
#undef SIMT_DPX

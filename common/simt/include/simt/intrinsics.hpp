// SPDX-License-Identifier: MIT
// CUDA's intrinsic functions that are arithmetic only: bits and integers, conversions, rounding modes, fast and special
// functions, cache hints, special registers. Results are CUDA's where it defines them exactly; functions that trade
// accuracy for speed on a GPU (__sinf, __expf, ...) are as accurate here as the host's library.
#pragma once

#include "simt/builtins.hpp"
#include "simt/conversions.hpp"
#include "simt/declare.h"
#include "simt/math_functions.hpp"
#include "simt/rounding.hpp"
#include "simt/shared_index.hpp"
#include "simt/shifts.hpp"

// Hints to nvcc's optimizer.
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)

// ---- bits and integers: counting, reversing, permuting, products of 24 and 64 bits, funnel shifts

SIMT_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
SIMT_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

/// Leading zeros; the width if x is 0, for which the host's instruction is undefined.
SIMT_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
SIMT_INLINE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }

/// Position of the lowest set bit, from 1; 0 when there is none.
SIMT_INLINE int __ffs(int x) { return __builtin_ffs(x); }
SIMT_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }

SIMT_INLINE unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
SIMT_INLINE unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}

/// Position of the offset-th set bit of mask, counted upwards from bit `base` (offset > 0), downwards (offset < 0), or
/// bit `base` itself (0); 0xffffffff when there is none.
SIMT_INLINE unsigned __fns(unsigned mask, unsigned base, int offset) {
    const int step = offset < 0 ? -1 : 1;
    int remaining = offset == 0 ? 1 : offset * step;
    for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
        if ((mask >> bit & 1u) != 0 && --remaining == 0) return static_cast<unsigned>(bit);
        if (offset == 0) break;
    }
    return 0xffffffffu;
}

/// The low three bits of each hexadecimal digit of the selector pick one byte of y:x.
SIMT_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned digit = selector >> 4 * i & 7u;
        result |= (static_cast<unsigned>(bytes >> 8 * digit) & 0xffu) << 8 * i;
    }
    return result;
}

/// The upper or lower word of hi:lo shifted; the c forms clamp the shift to 32 where the others take it modulo 32.
SIMT_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) << (shift & 31u) >> 32);
}
SIMT_INLINE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
    return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
SIMT_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) >> (shift & 31u));
}
SIMT_INLINE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
    return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

/// Products of the low 24 bits, and the upper halves of full products.
SIMT_INLINE int __mul24(int x, int y) {
    const auto low24 = [](int v) { return static_cast<int>(static_cast<unsigned>(v) << 8) >> 8; };
    return static_cast<int>(static_cast<unsigned>(low24(x)) * static_cast<unsigned>(low24(y)));
}
SIMT_INLINE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
SIMT_INLINE int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
SIMT_INLINE unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
SIMT_INLINE long long __mul64hi(long long x, long long y) {
    return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
SIMT_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
SIMT_INLINE int mul24(int x, int y) { return __mul24(x, y); }
SIMT_INLINE unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }
SIMT_INLINE int mulhi(int x, int y) { return __mulhi(x, y); }
SIMT_INLINE unsigned umulhi(unsigned x, unsigned y) { return __umulhi(x, y); }
SIMT_INLINE long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
SIMT_INLINE unsigned long long umul64hi(unsigned long long x, unsigned long long y) { return __umul64hi(x, y); }

/// |x - y| + z, and means without overflow (r: rounded up).
SIMT_INLINE unsigned __sad(int x, int y, unsigned z) {
    return static_cast<unsigned>(x < y ? static_cast<long long>(y) - x : static_cast<long long>(x) - y) + z;
}
SIMT_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
SIMT_INLINE int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
SIMT_INLINE int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
SIMT_INLINE unsigned __uhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
SIMT_INLINE unsigned __urhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// ---- two 16-bit or four 8-bit integers in one register: the v functions (__vadd4, __vmaxs2, ...) and the dot products

namespace simt::arithmetic {

/// Applies `operation` to the pairs of elements of x and y; each result is truncated to an element's bits.
template <typename Element, typename Operation>
SIMT_INLINE unsigned for_each_element(unsigned x, unsigned y, Operation operation) {
    constexpr unsigned width = 8 * sizeof(Element), mask = width == 8 ? 0xffu : 0xffffu;
    unsigned result = 0;
    for (unsigned shift = 0; shift < 32; shift += width) {
        const int value = operation(static_cast<Element>(x >> shift), static_cast<Element>(y >> shift));
        result |= (static_cast<unsigned>(value) & mask) << shift;
    }
    return result;
}

/// Adds up the results of `operation` on the pairs of elements.
template <typename Element, typename Operation>
SIMT_INLINE unsigned sum_elements(unsigned x, unsigned y, Operation operation) {
    unsigned sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Element)) {
        sum += static_cast<unsigned>(operation(static_cast<Element>(x >> shift), static_cast<Element>(y >> shift)));
    }
    return sum;
}

template <typename Element>
SIMT_INLINE int saturated(int value) {
    constexpr bool is_signed = static_cast<Element>(-1) < 0;
    constexpr int bits = 8 * static_cast<int>(sizeof(Element)), highest = (1 << (bits - is_signed)) - 1,
                  lowest = is_signed ? -highest - 1 : 0;
    return value < lowest ? lowest : value > highest ? highest : value;
}

SIMT_INLINE int distance(int x, int y) { return x < y ? y - x : x - y; }

}  // namespace simt::arithmetic

// For elements of type S (signed) or U (unsigned), n of them: x and y are int inside `expression`.
#define SIMT_PACKED(name, element, expression)                                                                    \
    SIMT_INLINE unsigned name(unsigned a, unsigned b) {                                                           \
        return simt::arithmetic::for_each_element<element>(a, b, [](int x, int y) -> int { return expression; }); \
    }
#define SIMT_PACKED_FUNCTIONS(n, S, U)                                              \
    SIMT_PACKED(__vadd##n, U, x + y)                                                \
    SIMT_PACKED(__vsub##n, U, x - y)                                                \
    SIMT_PACKED(__vaddss##n, S, simt::arithmetic::saturated<S>(x + y))              \
    SIMT_PACKED(__vaddus##n, U, simt::arithmetic::saturated<U>(x + y))              \
    SIMT_PACKED(__vsubss##n, S, simt::arithmetic::saturated<S>(x - y))              \
    SIMT_PACKED(__vsubus##n, U, simt::arithmetic::saturated<U>(x - y))              \
    SIMT_PACKED(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                         \
    SIMT_PACKED(__vavgu##n, U, (x + y + 1) >> 1)                                    \
    SIMT_PACKED(__vhaddu##n, U, (x + y) >> 1)                                       \
    SIMT_PACKED(__vabsdiffs##n, S, simt::arithmetic::distance(x, y))                \
    SIMT_PACKED(__vabsdiffu##n, U, simt::arithmetic::distance(x, y))                \
    SIMT_PACKED(__vmins##n, S, x < y ? x : y)                                       \
    SIMT_PACKED(__vminu##n, U, x < y ? x : y)                                       \
    SIMT_PACKED(__vmaxs##n, S, x < y ? y : x)                                       \
    SIMT_PACKED(__vmaxu##n, U, x < y ? y : x)                                       \
    SIMT_PACKED(__vcmpeq##n, U, x == y ? -1 : 0)                                    \
    SIMT_PACKED(__vcmpne##n, U, x != y ? -1 : 0)                                    \
    SIMT_PACKED(__vcmpgts##n, S, x > y ? -1 : 0)                                    \
    SIMT_PACKED(__vcmpgtu##n, U, x > y ? -1 : 0)                                    \
    SIMT_PACKED(__vcmpges##n, S, x >= y ? -1 : 0)                                   \
    SIMT_PACKED(__vcmpgeu##n, U, x >= y ? -1 : 0)                                   \
    SIMT_PACKED(__vcmplts##n, S, x < y ? -1 : 0)                                    \
    SIMT_PACKED(__vcmpltu##n, U, x < y ? -1 : 0)                                    \
    SIMT_PACKED(__vcmples##n, S, x <= y ? -1 : 0)                                   \
    SIMT_PACKED(__vcmpleu##n, U, x <= y ? -1 : 0)                                   \
    SIMT_PACKED(__vseteq##n, U, x == y)                                             \
    SIMT_PACKED(__vsetne##n, U, x != y)                                             \
    SIMT_PACKED(__vsetgts##n, S, x > y)                                             \
    SIMT_PACKED(__vsetgtu##n, U, x > y)                                             \
    SIMT_PACKED(__vsetges##n, S, x >= y)                                            \
    SIMT_PACKED(__vsetgeu##n, U, x >= y)                                            \
    SIMT_PACKED(__vsetlts##n, S, x < y)                                             \
    SIMT_PACKED(__vsetltu##n, U, x < y)                                             \
    SIMT_PACKED(__vsetles##n, S, x <= y)                                            \
    SIMT_PACKED(__vsetleu##n, U, x <= y)                                            \
    SIMT_INLINE unsigned __vsads##n(unsigned a, unsigned b) {                       \
        return simt::arithmetic::sum_elements<S>(a, b, simt::arithmetic::distance); \
    }                                                                               \
    SIMT_INLINE unsigned __vsadu##n(unsigned a, unsigned b) {                       \
        return simt::arithmetic::sum_elements<U>(a, b, simt::arithmetic::distance); \
    }                                                                               \
    SIMT_INLINE unsigned __vneg##n(unsigned a) { return __vsub##n(0, a); }          \
    SIMT_INLINE unsigned __vabs##n(unsigned a) { return __vabsdiffs##n(a, 0); }     \
    SIMT_INLINE unsigned __vnegss##n(unsigned a) { return __vsubss##n(0, a); }      \
    SIMT_INLINE unsigned __vabsss##n(unsigned a) { return __vmaxs##n(a, __vnegss##n(a)); }
SIMT_PACKED_FUNCTIONS(2, short, unsigned short)
SIMT_PACKED_FUNCTIONS(4, signed char, unsigned char)
#undef SIMT_PACKED_FUNCTIONS
#undef SIMT_PACKED

/// Dot products of packed bytes (dp4a), or of packed 16-bit integers with the low or the high two bytes of b (dp2a),
/// plus c.
SIMT_INLINE int __dp4a(int a, int b, int c) {
    return c + static_cast<int>(simt::arithmetic::sum_elements<signed char>(
                   static_cast<unsigned>(a), static_cast<unsigned>(b), [](int x, int y) { return x * y; }));
}
SIMT_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return c + simt::arithmetic::sum_elements<unsigned char>(a, b, [](unsigned x, unsigned y) { return x * y; });
}
SIMT_INLINE int __dp2a_lo(int a, int b, int c) {
    return c + static_cast<short>(a) * static_cast<signed char>(b) +
           static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
SIMT_INLINE int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
SIMT_INLINE unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return c + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu);
}
SIMT_INLINE unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }

// ---- DPX

// These are the additions, minima and maxima of dynamic programming (__viaddmax_s32, __vimax3_s16x2_relu, ...), on a
// 32-bit integer or two of 16 bits.

namespace simt::arithmetic {

SIMT_INLINE int wrapped_sum(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
SIMT_INLINE unsigned wrapped_sum(unsigned a, unsigned b) { return a + b; }
/// Whether the choice between two took the first (`of`), for each half.
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

// ---- loads and stores with a cache hint

// The simulator has no caches: they are plain accesses, except those that no cache
// may serve (ld.cv) or hold back (st.wt), which are volatile.

namespace simt::arithmetic {
/// Keeps a parameter out of template argument deduction, so that __stcs(float*, 0) stores a float.
template <typename T>
struct NotDeduced {
    typedef T type;
};

/// The integer type of a volatile access to a value: classes such as float4 cannot be copied as volatile.
template <unsigned bytes>
struct VolatileWord;
// clang-format off
#define SIMT_VOLATILE_WORD(bytes, T) \
    template <> struct VolatileWord<bytes> { __extension__ typedef T type __attribute__((may_alias)); };
SIMT_VOLATILE_WORD(1, unsigned char) SIMT_VOLATILE_WORD(2, unsigned short) SIMT_VOLATILE_WORD(4, unsigned)
SIMT_VOLATILE_WORD(8, unsigned long long) SIMT_VOLATILE_WORD(16, unsigned __int128)
#undef SIMT_VOLATILE_WORD
// clang-format on
}  // namespace simt::arithmetic

#define SIMT_HINTED_LOAD(name)          \
    template <typename T>               \
    SIMT_INLINE T name(const T* from) { \
        return *from;                   \
    }
SIMT_HINTED_LOAD(__ldg)
SIMT_HINTED_LOAD(__ldca)
SIMT_HINTED_LOAD(__ldcg)
SIMT_HINTED_LOAD(__ldcs)
SIMT_HINTED_LOAD(__ldlu)
#undef SIMT_HINTED_LOAD

#define SIMT_HINTED_STORE(name)                                                          \
    template <typename T>                                                                \
    SIMT_INLINE void name(T* to, typename simt::arithmetic::NotDeduced<T>::type value) { \
        *to = value;                                                                     \
    }
SIMT_HINTED_STORE(__stwb)
SIMT_HINTED_STORE(__stcg)
SIMT_HINTED_STORE(__stcs)
#undef SIMT_HINTED_STORE

template <typename T>
SIMT_INLINE T __ldcv(const T* from) {
    typedef typename simt::arithmetic::VolatileWord<sizeof(T)>::type Word;
    const Word word = *reinterpret_cast<const volatile Word*>(from);
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
}
template <typename T>
SIMT_INLINE void __stwt(T* to, typename simt::arithmetic::NotDeduced<T>::type value) {
    typedef typename simt::arithmetic::VolatileWord<sizeof(T)>::type Word;
    Word word;
    __builtin_memcpy(&word, &value, sizeof value);
    *reinterpret_cast<volatile Word*>(to) = word;
}

// ---- special registers that inline PTX reads; simcc rewrites such statements into calls of these functions

namespace simt {

int multiprocessor_count();  // of the simulated device; in the runtime

namespace special_register {

#define SIMT_SPECIAL_REGISTER(name, expression) \
    SIMT_INLINE unsigned name() { return expression; }
SIMT_SPECIAL_REGISTER(tid_x, thread_index().x)
SIMT_SPECIAL_REGISTER(tid_y, thread_index().y)
SIMT_SPECIAL_REGISTER(tid_z, thread_index().z)
SIMT_SPECIAL_REGISTER(ntid_x, block_dim().x)
SIMT_SPECIAL_REGISTER(ntid_y, block_dim().y)
SIMT_SPECIAL_REGISTER(ntid_z, block_dim().z)
SIMT_SPECIAL_REGISTER(ctaid_x, block_index().x)
SIMT_SPECIAL_REGISTER(ctaid_y, block_index().y)
SIMT_SPECIAL_REGISTER(ctaid_z, block_index().z)
SIMT_SPECIAL_REGISTER(nctaid_x, grid_dim().x)
SIMT_SPECIAL_REGISTER(nctaid_y, grid_dim().y)
SIMT_SPECIAL_REGISTER(nctaid_z, grid_dim().z)
SIMT_SPECIAL_REGISTER(laneid, thread_rank() % 32)
SIMT_SPECIAL_REGISTER(warpid, thread_rank() / 32)
SIMT_SPECIAL_REGISTER(nwarpid, 64)
/// A multiprocessor is a worker thread.
SIMT_SPECIAL_REGISTER(nsmid, static_cast<unsigned>(multiprocessor_count()))
SIMT_SPECIAL_REGISTER(smid, worker_index())
SIMT_SPECIAL_REGISTER(lanemask_eq, 1u << laneid())
SIMT_SPECIAL_REGISTER(lanemask_lt, lanemask_eq() - 1)
SIMT_SPECIAL_REGISTER(lanemask_le, lanemask_lt() | lanemask_eq())
SIMT_SPECIAL_REGISTER(lanemask_gt, ~lanemask_le())
SIMT_SPECIAL_REGISTER(lanemask_ge, ~lanemask_lt())
SIMT_SPECIAL_REGISTER(clock, static_cast<unsigned>(clock64()))
#undef SIMT_SPECIAL_REGISTER
SIMT_INLINE unsigned long long clock64() { return static_cast<unsigned long long>(::clock64()); }
SIMT_INLINE unsigned long long globaltimer(Site site = Site::here()) {
    return static_cast<unsigned long long>(read_clock(CLOCK_REALTIME, site));
}

}  // namespace special_register

/// Ends the kernel when it reaches inline PTX without a counterpart.
[[noreturn]] SIMT_INLINE void unsupported_assembly(const char* instructions) { fail_lane(instructions); }

}  // namespace simt

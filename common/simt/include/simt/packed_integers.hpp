// SPDX-License-Identifier: MIT
// Two 16-bit or four 8-bit integers in one register: the v functions (__vadd4, __vmaxs2, ...) and the dot products.
#pragma once

#include "simt/declare.h"

namespace simt::arithmetic {

// Applies `operation` to the pairs of elements of x and y; each result is truncated to an element's bits.
template <class Element, class Operation>
SIMT_INLINE unsigned for_each_element(unsigned x, unsigned y, Operation operation) {
    constexpr unsigned width = 8 * sizeof(Element), mask = width == 8 ? 0xffu : 0xffffu;
    unsigned result = 0;
    for (unsigned shift = 0; shift < 32; shift += width) {
        const int value = operation(static_cast<Element>(x >> shift), static_cast<Element>(y >> shift));
        result |= (static_cast<unsigned>(value) & mask) << shift;
    }
    return result;
}

// Adds up the results of `operation` on the pairs of elements.
template <class Element, class Operation>
SIMT_INLINE unsigned sum_elements(unsigned x, unsigned y, Operation operation) {
    unsigned sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Element)) {
        sum += static_cast<unsigned>(operation(static_cast<Element>(x >> shift), static_cast<Element>(y >> shift)));
    }
    return sum;
}

template <class Element>
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

// Dot products of packed bytes (dp4a), or of packed 16-bit integers with the low or the high two bytes of b (dp2a),
// plus c.
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

// SPDX-License-Identifier: MIT
// Bits and integers: counting, reversing, permuting, products of 24 and 64 bits, funnel shifts.
#pragma once

#include "simt/declare.h"

SIMT_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
SIMT_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// Leading zeros; the width if x is 0, for which the host's instruction is undefined.
SIMT_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
SIMT_INLINE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }

// Position of the lowest set bit, from 1; 0 when there is none.
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

// Position of the offset-th set bit of mask, counted upwards from bit `base` (offset > 0), downwards (offset < 0), or
// bit `base` itself (0); 0xffffffff when there is none.
SIMT_INLINE unsigned __fns(unsigned mask, unsigned base, int offset) {
    const int step = offset < 0 ? -1 : 1;
    int remaining = offset == 0 ? 1 : offset * step;
    for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
        if ((mask >> bit & 1u) != 0 && --remaining == 0) return static_cast<unsigned>(bit);
        if (offset == 0) break;
    }
    return 0xffffffffu;
}

// The low three bits of each hexadecimal digit of the selector pick one byte of y:x.
SIMT_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned digit = selector >> 4 * i & 7u;
        result |= (static_cast<unsigned>(bytes >> 8 * digit) & 0xffu) << 8 * i;
    }
    return result;
}

// The upper or lower word of hi:lo shifted; the c forms clamp the shift to 32 where the others take it modulo 32.
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

// Products of the low 24 bits, and the upper halves of full products.
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

// |x - y| + z, and means without overflow (r: rounded up).
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

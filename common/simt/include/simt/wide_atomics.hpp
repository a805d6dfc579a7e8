// SPDX-License-Identifier: MIT
// Compare-and-swap of 16 bytes, for which the compiler's own atomic functions would call a library.
#pragma once

#include "declare.h"

namespace simt {
inline namespace SIMT_FLAVOR {

__extension__ typedef unsigned __int128 WideWord __attribute__((may_alias));

// Writes `desired` if *address equals `expected`, and puts the old value into `expected`.
SIMT_UNCHECKED bool swap_if_equal_wide(WideWord* address, WideWord& expected, WideWord desired) {
#if defined(__x86_64__)
    bool is_swapped;
    asm volatile("lock cmpxchg16b %0"
                 : "+m"(*address), "=@ccz"(is_swapped), "+A"(expected)
                 : "b"(static_cast<unsigned long long>(desired)), "c"(static_cast<unsigned long long>(desired >> 64))
                 : "memory");
    return is_swapped;
#elif defined(__aarch64__)
    const WideWord wanted = expected;
    unsigned has_failed;
    do {
        unsigned long long low, high;
        asm volatile("ldaxp %0, %1, %2" : "=&r"(low), "=&r"(high) : "Q"(*address) : "memory");
        expected = static_cast<WideWord>(high) << 64 | low;
        // (Only a store shows that both halves were read at once.)
        const WideWord next = expected == wanted ? desired : expected;
        asm volatile("stlxp %w0, %2, %3, %1"
                     : "=&r"(has_failed), "=Q"(*address)
                     : "r"(static_cast<unsigned long long>(next)), "r"(static_cast<unsigned long long>(next >> 64))
                     : "memory");
    } while (has_failed);
    return expected == wanted;
#else
#error simcc: no compare-and-swap of 16 bytes for this processor
#endif
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

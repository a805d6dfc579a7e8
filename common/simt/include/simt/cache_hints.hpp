// SPDX-License-Identifier: MIT
// Loads and stores with a cache hint. The simulator has no caches: they are plain accesses, except those that no cache
// may serve (ld.cv) or hold back (st.wt), which are volatile.
#pragma once

#include "simt/declare.h"

namespace simt::arithmetic {
// Keeps a parameter out of template argument deduction, so that __stcs(float*, 0) stores a float.
template <class T>
struct NotDeduced {
    typedef T type;
};

// The integer type of a volatile access to a value: classes such as float4 cannot be copied as volatile.
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
    template <class T>                  \
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
    template <class T>                                                                   \
    SIMT_INLINE void name(T* to, typename simt::arithmetic::NotDeduced<T>::type value) { \
        *to = value;                                                                     \
    }
SIMT_HINTED_STORE(__stwb)
SIMT_HINTED_STORE(__stcg)
SIMT_HINTED_STORE(__stcs)
#undef SIMT_HINTED_STORE

template <class T>
SIMT_INLINE T __ldcv(const T* from) {
    typedef typename simt::arithmetic::VolatileWord<sizeof(T)>::type Word;
    const Word word = *reinterpret_cast<const volatile Word*>(from);
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
}
template <class T>
SIMT_INLINE void __stwt(T* to, typename simt::arithmetic::NotDeduced<T>::type value) {
    typedef typename simt::arithmetic::VolatileWord<sizeof(T)>::type Word;
    Word word;
    __builtin_memcpy(&word, &value, sizeof value);
    *reinterpret_cast<volatile Word*>(to) = word;
}

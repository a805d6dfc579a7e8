// Loads and stores with a cache hint. The simulator has no caches to hint at: they are plain accesses.
#pragma once

#include "simt/declare.h"

namespace simt::arithmetic {
// Keeps a parameter out of template argument deduction, so that __stcs(float*, 0) stores a float.
template <class T>
struct NotDeduced {
    typedef T type;
};
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
SIMT_HINTED_LOAD(__ldcv)
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
SIMT_HINTED_STORE(__stwt)
#undef SIMT_HINTED_STORE

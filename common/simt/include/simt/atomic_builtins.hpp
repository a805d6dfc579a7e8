// SPDX-License-Identifier: MIT
// nvcc's atomic built-in functions: __nv_atomic_fetch_add(&x, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) and its
// relatives, for values of 1, 2, 4 or 8 bytes. Memory orders have the compiler's numbers.
#pragma once

#include "barrier.hpp"
#include "scoped_atomic.hpp"

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

namespace simt {
inline namespace SIMT_FLAVOR {

// Calls use(ScopedAtomic) for the scope with this number. (A cluster is more than a block.)
template <class T, class Use>
SIMT_INLINE auto in_scope(int scope, Use use) {
    switch (scope) {
        case __NV_THREAD_SCOPE_THREAD:
        case __NV_THREAD_SCOPE_BLOCK: return use(ScopedAtomic<T, Scope::block>());
        case __NV_THREAD_SCOPE_SYSTEM: return use(ScopedAtomic<T, Scope::system>());
        default: return use(ScopedAtomic<T, Scope::device>());
    }
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

template <class T>
SIMT_INLINE T __nv_atomic_load_n(T* address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return ::simt::in_scope<T>(scope, [=](auto atomic) { return atomic.load(address, order); });
}
template <class T>
SIMT_INLINE void __nv_atomic_load(T* address, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    *result = __nv_atomic_load_n(address, order, scope);
}
template <class T>
SIMT_INLINE void __nv_atomic_store_n(T* address, ::simt::same_as<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
    ::simt::in_scope<T>(scope, [=](auto atomic) { atomic.store(address, value, order); });
}
template <class T>
SIMT_INLINE void __nv_atomic_store(T* address, T* value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __nv_atomic_store_n(address, *value, order, scope);
}
template <class T>
SIMT_INLINE T __nv_atomic_exchange_n(T* address, ::simt::same_as<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM, ::simt::Site site = ::simt::Site::here()) {
    return ::simt::in_scope<T>(scope, [=](auto atomic) { return atomic.exchange(address, value, order, site); });
}
template <class T>
SIMT_INLINE void __nv_atomic_exchange(T* address, T* value, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM,
                                      ::simt::Site site = ::simt::Site::here()) {
    *result = __nv_atomic_exchange_n(address, *value, order, scope, site);
}
template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* address, T* expected, ::simt::same_as<T> desired, bool, int order,
                                                int, int scope = __NV_THREAD_SCOPE_SYSTEM,
                                                ::simt::Site site = ::simt::Site::here()) {
    return ::simt::in_scope<T>(
        scope, [=](auto atomic) { return atomic.compare_exchange(address, *expected, desired, order, site); });
}
template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange(T* address, T* expected, T* desired, bool weak, int order, int failure,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM,
                                              ::simt::Site site = ::simt::Site::here()) {
    return __nv_atomic_compare_exchange_n(address, expected, *desired, weak, order, failure, scope, site);
}

// Operations that combine a value with the one in memory, in two forms: with the old value as the result, and without a
// result. (Adding zero is a way to poll, so the other lanes go first.)
#define SIMT_NV_ATOMIC(name, expression)                                                                          \
    template <class T>                                                                                            \
    SIMT_INLINE T __nv_atomic_fetch_##name(T* address, ::simt::same_as<T> value, int order,                       \
                                           int scope = __NV_THREAD_SCOPE_SYSTEM,                                  \
                                           ::simt::Site site = ::simt::Site::here()) {                            \
        ::simt::yield_to_poll(value, site);                                                                       \
        return ::simt::polled(                                                                                    \
            value, ::simt::in_scope<T>(scope, [=](auto atomic) {                                                  \
                return atomic.update(                                                                             \
                    address, [value](T before) SIMT_UNCHECKED_LAMBDA -> T { return static_cast<T>(expression); }, \
                    order, site);                                                                                 \
            }));                                                                                                  \
    }                                                                                                             \
    template <class T>                                                                                            \
    SIMT_INLINE void __nv_atomic_##name(T* address, ::simt::same_as<T> value, int order,                          \
                                        int scope = __NV_THREAD_SCOPE_SYSTEM,                                     \
                                        ::simt::Site site = ::simt::Site::here()) {                               \
        __nv_atomic_fetch_##name(address, value, order, scope, site);                                             \
    }
SIMT_NV_ATOMIC(add, before + value)
SIMT_NV_ATOMIC(sub, before - value)
SIMT_NV_ATOMIC(and, before& value)
SIMT_NV_ATOMIC(or, before | value)
SIMT_NV_ATOMIC(xor, before ^ value)
SIMT_NV_ATOMIC(min, value < before ? value : before)
SIMT_NV_ATOMIC(max, before < value ? value : before)
#undef SIMT_NV_ATOMIC

SIMT_INLINE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
    if (scope == __NV_THREAD_SCOPE_BLOCK) __threadfence_block();
    else if (scope == __NV_THREAD_SCOPE_SYSTEM) __threadfence_system();
    else __threadfence();
}

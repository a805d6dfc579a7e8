// SPDX-License-Identifier: MIT
// The operations behind cuda::atomic and cuda::atomic_ref, on a value in memory. Memory orders are the compiler's
// (__ATOMIC_ACQUIRE and so on): any but the relaxed one makes the operation a fence in both directions.
#pragma once

#include "simt/atomics.hpp"
#include "simt/device_functions.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

/// The type that is added to values of type T.
template <typename T>
struct DifferenceOf {
    using type = T;
};
template <typename T>
struct DifferenceOf<T*> {
    using type = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
};

/// Keeps accesses from moving across an operation.
class OrderedAround {
public:
    SIMT_INLINE explicit OrderedAround(int order) : orders_(order != __ATOMIC_RELAXED) {
        if (orders_) fence();
    }
    SIMT_INLINE ~OrderedAround() {
        if (orders_) fence();
    }

private:
    static SIMT_UNCHECKED void fence() {
        if (block_identity.sums) add_pending_sums();
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
    }
    const bool orders_;
};

template <typename T, Scope scope>
class ScopedAtomic {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                  "simcc: cuda::atomic supports only types of 1, 2, 4 or 8 bytes");
    using Bits = word_of<T>;

public:
    using Difference = typename DifferenceOf<T>::type;

    static SIMT_UNCHECKED void store(T* address, T value, int order) {
        const CheckedAtomic checked(address, sizeof(T), scope, SIMT_CALLER, {}, check::AtomicKind::store,
                                    check::order_of(order));
        const OrderedAround ordered(order);
        __atomic_store_n(reinterpret_cast<Bits*>(address), simt::same_bits<Bits>(value), __ATOMIC_RELAXED);
    }

    static SIMT_UNCHECKED T load(T* address, int order) {
        const CheckedAtomic checked(address, sizeof(T), scope, SIMT_CALLER, {}, check::AtomicKind::load,
                                    check::order_of(order));
        const OrderedAround ordered(order);
        // A store before it, to another variable, must have reached the other workers: x86-64 lets a load overtake it.
        if (order == __ATOMIC_SEQ_CST) __atomic_thread_fence(__ATOMIC_SEQ_CST);
        return simt::same_bits<T>(__atomic_load_n(reinterpret_cast<Bits*>(address), __ATOMIC_RELAXED));
    }

    template <typename Operation>
    static SIMT_INLINE T update(T* address, Operation operation, int order, Site site) {
        const OrderedAround ordered(order);
        return ::simt::update<scope>(address, operation, site, check::order_of(order));
    }

    static SIMT_INLINE T exchange(T* address, T value, int order, Site site) {
        const T before = update(
            address, [value](T) SIMT_UNCHECKED_LAMBDA -> T { return value; }, order, site);
        if (simt::same_bits<Bits>(before) == simt::same_bits<Bits>(value)) {  // like a lane that finds a lock taken
            yield(site, simt::same_bits<Bits>(before));
        } else {
            note_change();
        }
        return before;
    }

    static SIMT_INLINE bool compare_exchange(T* address, T& expected, T desired, int order, Site site) {
        const Bits wanted = simt::same_bits<Bits>(expected);
        const OrderedAround ordered(order);
        const Bits before = swap_if_equal<scope>(reinterpret_cast<Bits*>(address), wanted,
                                                 simt::same_bits<Bits>(desired), site, check::order_of(order));
        if (before == wanted) {
            note_change();
            return true;
        }
        expected = simt::same_bits<T>(before);
        yield(site, before);
        return false;
    }

    static SIMT_INLINE void wait(T* address, T old, int order, Site site) {
        const Polling polling;
        while (simt::same_bits<Bits>(load(address, order)) == simt::same_bits<Bits>(old)) yield(site);
    }
};

}  // namespace SIMT_FLAVOR
}  // namespace simt

// ---- nvcc's atomic built-in functions

// These are __nv_atomic_fetch_add(&x, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) and its
// relatives, for values of 1, 2, 4 or 8 bytes. Memory orders have the compiler's numbers.

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

/// Calls use(ScopedAtomic) for the scope with this number. (A cluster is more than a block.)
template <typename T, typename Use>
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

template <typename T>
SIMT_INLINE T __nv_atomic_load_n(T* address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return ::simt::in_scope<T>(scope, [=](auto atomic) { return atomic.load(address, order); });
}
template <typename T>
SIMT_INLINE void __nv_atomic_load(T* address, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    *result = __nv_atomic_load_n(address, order, scope);
}
template <typename T>
SIMT_INLINE void __nv_atomic_store_n(T* address, ::simt::same_as<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
    ::simt::in_scope<T>(scope, [=](auto atomic) { atomic.store(address, value, order); });
}
template <typename T>
SIMT_INLINE void __nv_atomic_store(T* address, T* value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __nv_atomic_store_n(address, *value, order, scope);
}
template <typename T>
SIMT_INLINE T __nv_atomic_exchange_n(T* address, ::simt::same_as<T> value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM, ::simt::Site site = ::simt::Site::here()) {
    return ::simt::in_scope<T>(scope, [=](auto atomic) { return atomic.exchange(address, value, order, site); });
}
template <typename T>
SIMT_INLINE void __nv_atomic_exchange(T* address, T* value, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM,
                                      ::simt::Site site = ::simt::Site::here()) {
    *result = __nv_atomic_exchange_n(address, *value, order, scope, site);
}
template <typename T>
SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* address, T* expected, ::simt::same_as<T> desired, bool, int order,
                                                int, int scope = __NV_THREAD_SCOPE_SYSTEM,
                                                ::simt::Site site = ::simt::Site::here()) {
    return ::simt::in_scope<T>(
        scope, [=](auto atomic) { return atomic.compare_exchange(address, *expected, desired, order, site); });
}
template <typename T>
SIMT_INLINE bool __nv_atomic_compare_exchange(T* address, T* expected, T* desired, bool weak, int order, int failure,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM,
                                              ::simt::Site site = ::simt::Site::here()) {
    return __nv_atomic_compare_exchange_n(address, expected, *desired, weak, order, failure, scope, site);
}

// Operations that combine a value with the one in memory, in two forms: with the old value as the result, and without a
// result. (Adding zero is a way to poll, so the other lanes go first.)
#define SIMT_NV_ATOMIC(name, expression)                                                                          \
    template <typename T>                                                                                         \
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
    template <typename T>                                                                                         \
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

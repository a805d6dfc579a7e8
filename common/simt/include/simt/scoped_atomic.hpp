// SPDX-License-Identifier: MIT
// The operations behind cuda::atomic and cuda::atomic_ref, on a value in memory. Memory orders are the compiler's
// (__ATOMIC_ACQUIRE and so on): any but the relaxed one makes the operation a fence in both directions.
#pragma once

#include "atomics.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

// The type that is added to values of type T.
template <class T>
struct DifferenceOf {
    using type = T;
};
template <class T>
struct DifferenceOf<T*> {
    using type = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
};

// Keeps accesses from moving across an operation.
class OrderedAround {
public:
    SIMT_INLINE explicit OrderedAround(int order) : orders_(order != __ATOMIC_RELAXED) {
        if (orders_) fence();
    }
    SIMT_INLINE ~OrderedAround() {
        if (orders_) fence();
    }

private:
    static SIMT_UNCHECKED void fence() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
    const bool orders_;
};

template <class T, Scope scope>
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

    template <class Operation>
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

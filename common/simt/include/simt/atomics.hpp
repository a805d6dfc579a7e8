// SPDX-License-Identifier: MIT
// Atomic operations on device memory.
//
// Each is atomic for every simulated thread, so the _block and _system forms do the same as the plain ones; only the
// checked simulator distinguishes them. If a single worker runs all device code, only the _system forms are atomic with
// respect to host threads, since the others need not be. An operation that a lane can poll with (a compare-and-swap
// that fails, an exchange that changes nothing, adding zero) lets the other lanes go first, so a lane that waits for a
// lock cannot block its holder.
#pragma once

#include "simt/declare.h"
#include "simt/wait.hpp"

namespace simt {

// ---- compare-and-swap of 16 bytes, for which the compiler's own atomic functions would call a library

inline namespace SIMT_FLAVOR {

__extension__ typedef unsigned __int128 WideWord __attribute__((may_alias));

/// Writes `desired` if *address equals `expected`, and puts the old value into `expected`.
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

// ---- atomic functions

/// A parameter type that is not deduced: atomicAdd(float*, 1) adds 1.0f.
template <typename T>
struct SameAs {
    using type = T;
};
template <typename T>
using same_as = typename SameAs<T>::type;

template <typename T>
constexpr bool is_integer = false;
template <>
inline constexpr bool is_integer<int> = true;
template <>
inline constexpr bool is_integer<unsigned> = true;
template <>
inline constexpr bool is_integer<long> = true;
template <>
inline constexpr bool is_integer<unsigned long> = true;
template <>
inline constexpr bool is_integer<long long> = true;
template <>
inline constexpr bool is_integer<unsigned long long> = true;

/// The unsigned integer of a type's size, to which compare-and-swap applies.
template <unsigned bytes>
struct Word;
template <>
struct Word<1> {
    typedef unsigned char type __attribute__((may_alias));
};
template <>
struct Word<2> {
    typedef unsigned short type __attribute__((may_alias));
};
template <>
struct Word<4> {
    typedef unsigned type __attribute__((may_alias));
};
template <>
struct Word<8> {
    typedef unsigned long long type __attribute__((may_alias));
};
template <>
struct Word<16> {
    using type = WideWord;
};
template <typename T>
using word_of = typename Word<sizeof(T)>::type;

template <typename To, typename From>
SIMT_INLINE To same_bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(static_cast<void*>(&to), &from, sizeof to);
    return to;
}

using Scope = check::Reach;

template <Scope scope>
SIMT_UNCHECKED bool plain_suffices() {
    return scope != Scope::system && block_identity.one_worker;
}

/// Announces an operation on an address to the checked simulator, from its start to its end.
class CheckedAtomic {
public:
    SIMT_INLINE CheckedAtomic(const volatile void* address, unsigned bytes, Scope scope, const void* pc, Site site,
                              check::AtomicKind kind = check::AtomicKind::update,
                              check::Order order = check::Order::relaxed)
        : address_(address) {
        if constexpr (is_checked) {
            check::begin_atomic(address, bytes, kind, order, scope, pc, site);
        }
    }
    SIMT_INLINE ~CheckedAtomic() {
        if constexpr (is_checked) check::end_atomic(address_, has_written_);
    }
    /// The operation leaves the address as it is.
    SIMT_INLINE void writes_nothing() { has_written_ = false; }

private:
    const volatile void* address_;
    bool has_written_ = true;
};

// The place where the kernel calls the surrounding function: known only if that is not inlined.
#ifdef SIMT_CHECKED
#define SIMT_CALLER __builtin_return_address(0)
#else
#define SIMT_CALLER nullptr
#endif

/// Writes `desired` if *address equals `expected`; otherwise, or sometimes anyway if `may_fail`, puts the current value
/// into `expected`.
template <typename Bits>
SIMT_UNCHECKED bool compare_exchange(Bits* address, Bits& expected, Bits desired, bool may_fail = false) {
    if constexpr (sizeof(Bits) == 16) {
        return swap_if_equal_wide(address, expected, desired);
    } else {
        return __atomic_compare_exchange_n(address, &expected, desired, may_fail, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

/// Replaces *address with operation(*address) and returns the old value. Reports nothing to the checkers.
template <Scope scope, typename T, typename Operation>
SIMT_UNCHECKED T replace(T* address, Operation operation) {
    if (plain_suffices<scope>()) {
        const T before = *address;
        *address = operation(before);
        return before;
    }
    using Bits = word_of<T>;
    Bits* word = reinterpret_cast<Bits*>(address);
    Bits before = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        const Bits after = simt::same_bits<Bits>(operation(simt::same_bits<T>(before)));
        if (__atomic_compare_exchange_n(word, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            return simt::same_bits<T>(before);
        }
    }
}

template <Scope scope, typename T, typename Operation>
SIMT_UNCHECKED T update(T* address, Operation operation, Site site, check::Order order = check::Order::relaxed) {
    constexpr auto kind = is_integer<T> ? check::AtomicKind::update : check::AtomicKind::floating_update;
    const CheckedAtomic checked(address, sizeof(T), scope, SIMT_CALLER, site, kind, order);
    return simt::replace<scope>(address, operation);
}

/// Adds to the elements of a vector, each of which is atomic by itself: one operation to the checked simulator.
template <Scope scope, typename Vector, typename... Element>
SIMT_UNCHECKED Vector fetch_add_elements(Vector* address, Vector value, Site site, Element Vector::*... elements) {
    const CheckedAtomic checked(address, sizeof(Vector), scope, SIMT_CALLER, site);
    const auto add = [&](auto Vector::*element) SIMT_UNCHECKED_LAMBDA {
        const auto more = value.*element;
        return simt::replace<scope>(&(address->*element),
                                    [more](auto before) SIMT_UNCHECKED_LAMBDA { return before + more; });
    };
    return {add(elements)...};
}

/// Adding, subtracting or OR-ing a literal zero is a read. In a loop it is polling, so the other lanes go first.
/// Without optimization no value counts as constant, so any zero does.
template <typename T>
SIMT_INLINE bool may_poll(T value) {
#ifdef __OPTIMIZE__
    if (!__builtin_constant_p(value)) return false;
#endif
    return value == T(0);
}
template <typename T>
SIMT_INLINE void yield_to_poll(T value, Site site) {
    if (simt::may_poll(value)) yield(site);
}
/// Call it after the operation, which found `before`.
template <typename T, typename Found>
SIMT_INLINE Found polled(T value, Found before) {
    if (simt::may_poll(value)) note_value_seen(simt::same_bits<word_of<Found>>(before));
    return before;
}

/// `before` is what an addition of this worker has found. Where other workers have added in between all the time, they
/// take turns: a cache line that every addition has to fetch from another processor costs twenty times as much.
template <typename T>
SIMT_UNCHECKED void take_turns(PendingSums* worker, const T* address, T before, T value) {
    if (!worker) return;
    SharedCounter& counter = worker->counter;
    if (counter.address != address) {
        counter = {address, 0, 0, 0};
    } else if (before != static_cast<T>(counter.next) && ++counter.interruptions >= SharedCounter::patience) {
        simt::begin_turn(counter);
    } else if (counter.turns != 0 && --counter.turns == 0) {
        simt::end_turn(counter);
    }
    counter.next = static_cast<unsigned long long>(before) + static_cast<unsigned long long>(value);
}

template <Scope scope, typename T>
SIMT_UNCHECKED T fetch_add_integer(T* address, T value, Site site) {
    const CheckedAtomic checked(address, sizeof(T), scope, SIMT_CALLER, site);
    if (!plain_suffices<scope>()) {
        const T before = __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
        if constexpr (!is_checked) simt::take_turns(block_identity.sums, address, before, value);
        return before;
    }
    const T before = *address;
    __builtin_add_overflow(before, value, address);  // wraps around
    return before;
}

template <Scope scope, typename T>
SIMT_INLINE T fetch_add(T* address, T value, Site site) {
    if constexpr (is_integer<T>) {
        return fetch_add_integer<scope>(address, value, site);
    } else {
        return simt::update<scope>(
            address, [value](T before) SIMT_UNCHECKED_LAMBDA -> T { return before + value; }, site);
    }
}

template <Scope scope, typename T>
SIMT_UNCHECKED T swap_value(T* address, T value, Site site) {
    const CheckedAtomic checked(address, sizeof(T), scope, SIMT_CALLER, site);
    if (plain_suffices<scope>()) {
        const T before = *address;
        *address = value;
        return before;
    }
    using Bits = word_of<T>;
    Bits* word = reinterpret_cast<Bits*>(address);
    const Bits bits = simt::same_bits<Bits>(value);
    if constexpr (sizeof(T) == 16) {
        Bits before = *word;
        while (!compare_exchange(word, before, bits)) {}
        return simt::same_bits<T>(before);
    } else {
        return simt::same_bits<T>(__atomic_exchange_n(word, bits, __ATOMIC_SEQ_CST));
    }
}

/// Eight bytes that differ for most different words.
template <typename Bits>
SIMT_INLINE unsigned long long short_of(Bits bits) {
    if constexpr (sizeof(Bits) == 16) return static_cast<unsigned long long>(bits ^ bits >> 64);
    else return bits;
}

template <Scope scope, typename T>
SIMT_INLINE T exchange_value(T* address, T value, Site site) {
    const T before = simt::swap_value<scope>(address, value, site);
    const auto seen = simt::same_bits<word_of<T>>(before);
    if (seen == simt::same_bits<word_of<T>>(value)) {
        yield(site, short_of(seen));
    } else {
        note_change();
    }
    return before;
}

/// Writes `desired` if *address has the bits of `expected`; returns the bits before.
template <Scope scope, typename Bits>
SIMT_UNCHECKED Bits swap_if_equal(Bits* word, Bits expected, Bits desired, Site site,
                                  check::Order order = check::Order::relaxed) {
    CheckedAtomic checked(word, sizeof(Bits), scope, SIMT_CALLER, site, check::AtomicKind::compare_and_swap, order);
    Bits before = expected;
    if (plain_suffices<scope>()) {
        before = *word;
        if (before == expected) *word = desired;
    } else {
        compare_exchange(word, before, desired);
    }
    if (before != expected) checked.writes_nothing();
    return before;
}

template <Scope scope, typename T>
SIMT_INLINE T compare_and_swap(T* address, T expected, T desired, Site site) {
    using Bits = word_of<T>;
    const Bits wanted = simt::same_bits<Bits>(expected);
    const Bits before =
        swap_if_equal<scope>(reinterpret_cast<Bits*>(address), wanted, simt::same_bits<Bits>(desired), site);
    if (__builtin_expect(before != wanted, 0)) {
        yield(site, short_of(before));
    } else {
        note_change();
    }
    return simt::same_bits<T>(before);
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

// A function of a pointer and a value in its three scopes. `value` converts to the type that the pointer points to.
#define SIMT_ATOMIC(name, body)                     \
    SIMT_ATOMIC_IN_SCOPE(name, device, body)        \
    SIMT_ATOMIC_IN_SCOPE(name##_block, block, body) \
    SIMT_ATOMIC_IN_SCOPE(name##_system, system, body)
#define SIMT_ATOMIC_IN_SCOPE(name, scope_, body)                                                         \
    template <typename T>                                                                                \
    SIMT_INLINE T name(T* address, ::simt::same_as<T> value, ::simt::Site site = ::simt::Site::here()) { \
        constexpr ::simt::Scope scope = ::simt::Scope::scope_;                                           \
        body;                                                                                            \
    }
#define SIMT_UPDATE(expression) \
    ::simt::update<scope>(      \
        address, [value](T before) SIMT_UNCHECKED_LAMBDA -> T { return static_cast<T>(expression); }, site)

#define SIMT_POLL(operation)            \
    ::simt::yield_to_poll(value, site); \
    return ::simt::polled(value, operation)

SIMT_ATOMIC(atomicAdd, SIMT_POLL(::simt::fetch_add<scope>(address, value, site)))
SIMT_ATOMIC(atomicSub, SIMT_POLL(SIMT_UPDATE(before - value)))
SIMT_ATOMIC(atomicOr, SIMT_POLL(SIMT_UPDATE(before | value)))
SIMT_ATOMIC(atomicXor, SIMT_POLL(SIMT_UPDATE(before ^ value)))
SIMT_ATOMIC(atomicExch, return ::simt::exchange_value<scope>(address, value, site))
SIMT_ATOMIC(atomicAnd, return SIMT_UPDATE(before & value))
SIMT_ATOMIC(atomicMin, return SIMT_UPDATE(value < before ? value : before))
SIMT_ATOMIC(atomicMax, return SIMT_UPDATE(before < value ? value : before))
/// Counts up to `value` and then restarts at zero; counts down to zero and then restarts at `value`.
SIMT_ATOMIC(atomicInc, return SIMT_UPDATE(before >= value ? 0 : before + 1))
SIMT_ATOMIC(atomicDec, return SIMT_UPDATE(before == 0 || before > value ? value : before - 1))

#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_IN_SCOPE
#undef SIMT_UPDATE
#undef SIMT_POLL

// float2 and float4: each element is atomic by itself.
#define SIMT_ATOMIC_ADD(name, scope)                                                                           \
    SIMT_INLINE float2 name(float2* address, float2 value, ::simt::Site site = ::simt::Site::here()) {         \
        return ::simt::fetch_add_elements<::simt::Scope::scope>(address, value, site, &float2::x, &float2::y); \
    }                                                                                                          \
    SIMT_INLINE float4 name(float4* address, float4 value, ::simt::Site site = ::simt::Site::here()) {         \
        return ::simt::fetch_add_elements<::simt::Scope::scope>(address, value, site, &float4::x, &float4::y,  \
                                                                &float4::z, &float4::w);                       \
    }
SIMT_ATOMIC_ADD(atomicAdd, device)
SIMT_ATOMIC_ADD(atomicAdd_block, block)
SIMT_ATOMIC_ADD(atomicAdd_system, system)
#undef SIMT_ATOMIC_ADD

// Writes `desired` if *address equals `expected`; returns the value before. For 2, 4, 8 and 16 bytes.
#define SIMT_ATOMIC_CAS(name, scope)                                                             \
    template <typename T>                                                                        \
    SIMT_INLINE T name(T* address, ::simt::same_as<T> expected, ::simt::same_as<T> desired,      \
                       ::simt::Site site = ::simt::Site::here()) {                               \
        return ::simt::compare_and_swap<::simt::Scope::scope>(address, expected, desired, site); \
    }
SIMT_ATOMIC_CAS(atomicCAS, device)
SIMT_ATOMIC_CAS(atomicCAS_block, block)
SIMT_ATOMIC_CAS(atomicCAS_system, system)
#undef SIMT_ATOMIC_CAS

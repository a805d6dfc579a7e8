// SPDX-License-Identifier: MIT
// Atomic additions whose results nobody reads. If every block adds to one address, the workers of the simulator would
// pass the cache line of that address from one to the next with each addition. So a worker adds up what goes to an
// address, and adds the sum there when its block pauses or ends, or a lane comes to a fence. simcc calls add_only() in
// place of atomicAdd() where a kernel does nothing else with the address (rewrite/lone_additions.cpp), unless it has
// another pointer into the same allocation.
#pragma once

#include "simt/atomics.hpp"

namespace simt {

inline namespace SIMT_FLAVOR {

template <typename T>
constexpr bool has_pending_sums = is_integer<T>;
template <>
inline constexpr bool has_pending_sums<float> = true;
template <>
inline constexpr bool has_pending_sums<double> = true;

template <typename T>
T sum_of_bits(unsigned long long bits) {
    T sum;
    __builtin_memcpy(&sum, &bits, sizeof sum);
    return sum;
}

template <typename T>
unsigned long long bits_of_sum(T sum) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &sum, sizeof sum);
    return bits;
}

template <typename T>
SIMT_OUT_OF_LINE void add_sum(void* address, unsigned long long bits) {
    simt::replace<Scope::device>(static_cast<T*>(address), [sum = sum_of_bits<T>(bits)](T before) -> T {
        if constexpr (is_integer<T>) return static_cast<T>(static_cast<unsigned long long>(before) + sum);
        else return before + sum;
    });
}

/// The other pointers of a kernel.
struct NothingBeside {
    static constexpr unsigned count = 0;
    static constexpr const void* const* pointers = nullptr;
};
template <unsigned n>
struct BesidePointers {
    static constexpr unsigned count = n;
    const void* pointers[n];
};
template <typename... T>
SIMT_INLINE auto Beside(T*... pointers) {
    return BesidePointers<sizeof...(T)>{{const_cast<const void*>(static_cast<const volatile void*>(pointers))...}};
}

/// Takes the place of another sum, or if a pointer beside it may lead to it, adds at once. The first addition goes to the address at once, so that one out of bounds fails here.
template <typename T>
SIMT_OUT_OF_LINE void begin_sum(PendingSums& pending, PendingSum& place, T* address, T value, const void* const* beside,
                                unsigned count) {
    const auto begin = reinterpret_cast<size_t>(address);
    if (count != 0) {
        if (begin < pending.known_begin || begin >= pending.known_end)
            find_pointers_beside(pending, address, beside, count);
        if (!pending.is_apart) return add_sum<T>(address, bits_of_sum(value));
    }
    pending.are_any = true;
    if (place.bits != 0) place.add(place.address, place.bits);
    add_sum<T>(address, bits_of_sum(value));
    place = {address, 0, &add_sum<T>};
}

/// atomicAdd(address, value), in device code that uses the address for nothing else.
template <typename T, typename Value, typename Others = NothingBeside>
SIMT_INLINE void add_only(T* address, const Value& value, const Others& beside = Others(), Site site = Site::here()) {
    if constexpr (!has_pending_sums<T>) {
        atomicAdd(address, value);
    } else if (PendingSums* const pending = block_identity.sums) {
        PendingSum& place = pending->sums[reinterpret_cast<size_t>(address) / sizeof(T) % PendingSums::places];
        if (__builtin_expect(place.address == address && place.add == &add_sum<T>, 1)) {
            const T sum = sum_of_bits<T>(place.bits), more = static_cast<T>(value);
            if constexpr (is_integer<T>)
                place.bits = bits_of_sum(static_cast<T>(static_cast<unsigned long long>(sum) + more));
            else place.bits = bits_of_sum<T>(sum + more);
        } else {
            begin_sum<T>(*pending, place, address, static_cast<T>(value), beside.pointers, beside.count);
        }
    } else {
        simt::fetch_add<Scope::device>(address, static_cast<T>(value), site);
    }
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

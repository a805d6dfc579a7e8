// SPDX-License-Identifier: MIT
// What the collectives of cub/ share. A block of the simulator runs on one thread of the host, so the fastest way to
// combine what its threads have is that each puts it into shared memory and thread 0 does the rest.
#pragma once

#include <assert.h>  // IWYU pragma: export
#include <stdint.h>  // IWYU pragma: export
#include <stdio.h>   // IWYU pragma: export

#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "cuda_runtime.h"

#define CUB_NAMESPACE_OPEN \
    namespace cub {        \
    inline namespace SIMT_FLAVOR {
#define CUB_NAMESPACE_CLOSE \
    }                       \
    }

CUB_NAMESPACE_OPEN

/// Names that are no part of CUB.
namespace simt_parts {

/// Room for objects in shared memory, where no constructor runs.
template <typename T, int count>
struct Slots {
    alignas(T) unsigned char bytes[sizeof(T) * (count > 0 ? count : 1)];

    SIMT_INLINE T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
    SIMT_INLINE void put(int i, const T& value) { new (static_cast<void*>(bytes + sizeof(T) * i)) T(value); }
};

/// The shared memory of a collective that the program gives none.
template <typename Storage>
SIMT_INLINE Storage& storage_of_block() {
    __shared__ Storage storage;
    return storage;
}

SIMT_INLINE int thread_rank() { return static_cast<int>(::simt::thread_rank()); }

/// The lanes of a logical warp, of which a warp has as many as fit.
template <int threads>
struct LogicalWarp {
    static_assert(threads >= 1 && threads <= 32, "a logical warp has 1 to 32 threads");
    static constexpr bool shares_warp = (threads & (threads - 1)) == 0;

    SIMT_INLINE static int first_lane() {
        const int lane = static_cast<int>(::simt::lane_in_warp());
        return shares_warp ? lane - lane % threads : 0;
    }
    SIMT_INLINE static int rank() { return static_cast<int>(::simt::lane_in_warp()) - first_lane(); }
    SIMT_INLINE static unsigned mask() { return (~0u >> (32 - threads)) << first_lane(); }
    SIMT_INLINE static void sync(::simt::Site site) { ::simt::warp_barrier(mask(), site); }
};

/// The values that the lanes of a logical warp give, by rank.
template <typename T, int threads>
class LaneValues {
public:
    SIMT_UNCHECKED LaneValues(const T& value, ::simt::Site site) : first_(LogicalWarp<threads>::first_lane()) {
        const unsigned mask = LogicalWarp<threads>::mask();
        unsigned long long bits[pieces] = {};
        __builtin_memcpy(bits, static_cast<const void*>(__builtin_addressof(value)), sizeof(T));
        for (int piece = 0; piece < pieces; ++piece) {
            const unsigned long long* const all = ::simt::exchange(mask, bits[piece], site);
            for (int rank = 0; rank < threads; ++rank) bits_[rank][piece] = all[first_ + rank];
        }
        present_ = (mask & ::simt::present_lanes()) >> first_;
    }

    SIMT_INLINE T operator[](int rank) const {
        Slots<T, 1> value;
        __builtin_memcpy(value.bytes, bits_[rank], sizeof(T));
        return value[0];
    }
    SIMT_INLINE bool has(int rank) const { return present_ >> rank & 1; }

private:
    static constexpr int pieces = (sizeof(T) + 7) / 8;
    unsigned long long bits_[threads][pieces];
    int first_;
    unsigned present_;
};

template <typename Iterator>
using ValueOf = typename std::iterator_traits<Iterator>::value_type;

/// The type that an output iterator takes; Otherwise, if it does not say.
template <typename Iterator, typename Otherwise>
using OutputOf = std::conditional_t<std::is_void_v<ValueOf<Iterator>>, Otherwise, ValueOf<Iterator>>;

template <typename Operator, typename First, typename Second = First>
using Accumulator = std::decay_t<decltype(std::declval<Operator&>()(std::declval<First>(), std::declval<Second>()))>;

}  // namespace simt_parts

CUB_NAMESPACE_CLOSE

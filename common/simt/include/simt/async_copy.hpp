// SPDX-License-Identifier: MIT
// Copies that a thread starts now and may use after a wait. Here they are made at the wait, not before, so reading too
// early returns the old data, as it may on a GPU.
//
// A copy belongs to the thread that started it, and to the group that its next commit ends. The runtime keeps the lists
// (common/simt/exec/resident_block.hpp); the copies are made here, where the instrumented build sees them.
#pragma once

#include "simt/async_copy_list.hpp"
#include "simt/identity.hpp"
#include "simt/vector_copy.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

SIMT_INLINE void copy_bytes(char* target, const char* source, size_t bytes) {
    const size_t addresses = reinterpret_cast<size_t>(target) | reinterpret_cast<size_t>(source);
    size_t i = 0;
    if (addresses % 16 == 0)
        for (; i + 16 <= bytes; i += 16) copy_vector<16>(target + i, source + i);
    if (addresses % 4 == 0)
        for (; i + 4 <= bytes; i += 4) copy_vector<4>(target + i, source + i);
    for (; i < bytes; ++i) target[i] = source[i];
}

SIMT_INLINE void make_copy(const AsyncCopy& copy) {
    const size_t read = copy.bytes - copy.zeros;
    char* target = static_cast<char*>(copy.target);
    copy_bytes(target, static_cast<const char*>(copy.source), read);
    for (size_t i = read; i < copy.bytes; ++i) target[i] = 0;
}

SIMT_INLINE void finish_copies(unsigned groups) {
    AsyncCopy copy;
    while (take_copy(thread_rank(), groups, copy)) make_copy(copy);
}

/// The thread is about to arrive at the barrier: threads that wait for the phase also wait for its copies.
SIMT_INLINE void finish_copies_of(const void* barrier) {
    AsyncCopy copy;
    while (take_copy_of(thread_rank(), barrier, copy)) make_copy(copy);
}

/// The members of the group start a copy together, up to 16 bytes at a time.
template <typename Group>
SIMT_INLINE void start_copy_of_group(const Group& group, void* target, const void* source, size_t bytes,
                                     const void* barrier = nullptr) {
    constexpr size_t piece = 16;
    for (size_t begin = group.thread_rank() * piece; begin < bytes; begin += group.size() * piece) {
        start_copy(thread_rank(), {static_cast<char*>(target) + begin, static_cast<const char*>(source) + begin,
                                   bytes - begin < piece ? bytes - begin : piece, 0, barrier});
    }
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

// SPDX-License-Identifier: MIT
// cooperative_groups::memcpy_async: the members of a group copy together and may use the data after wait().
#pragma once

#include "../cooperative_groups.h"
#include "simt/async_copy.hpp"

namespace cooperative_groups {
inline namespace SIMT_FLAVOR {

/// Copies `bytes` bytes (a size_t or cuda::aligned_size_t).
template <typename Group, typename T, typename Size>
SIMT_INLINE void memcpy_async(const Group& group, T* target, const T* source, const Size& bytes) {
    ::simt::start_copy_of_group(group, target, source, static_cast<size_t>(bytes));
    ::simt::commit_copies(::simt::thread_rank());
}

/// Copies as many elements as the shorter side has.
template <typename Group, typename T, typename TargetCount, typename SourceCount>
SIMT_INLINE void memcpy_async(const Group& group, T* target, const TargetCount& target_count, const T* source,
                              const SourceCount& source_count) {
    const size_t targets = target_count, sources = source_count;
    memcpy_async(group, target, source, (targets < sources ? targets : sources) * sizeof(T));
}

/// Waits until all but the newest `copies` copies of the group are done.
template <unsigned copies, typename Group>
SIMT_INLINE void wait_prior(const Group& group, ::simt::Site site = ::simt::Site::here()) {
    ::simt::finish_copies(copies);
    group.sync(site);
}

template <typename Group>
SIMT_INLINE void wait(const Group& group, ::simt::Site site = ::simt::Site::here()) {
    wait_prior<0>(group, site);
}

}  // namespace SIMT_FLAVOR
}  // namespace cooperative_groups

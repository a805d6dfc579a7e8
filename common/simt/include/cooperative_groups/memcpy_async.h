// cooperative_groups::memcpy_async: the members of a group copy together. Here the copy is done when the call returns,
// and wait() is the group's barrier, without which other members' parts may be missing.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {
inline namespace SIMT_FLAVOUR {

// Copies `bytes` bytes (a size_t or cuda::aligned_size_t).
template <class Group, class T, class Size>
SIMT_INLINE void memcpy_async(const Group& group, T* target, const T* source, const Size& bytes) {
    const size_t count = static_cast<size_t>(bytes) / sizeof(T);
    for (size_t i = group.thread_rank(); i < count; i += group.size()) target[i] = source[i];
}

// Copies as many elements as both sides have.
template <class Group, class T, class TargetCount, class SourceCount>
SIMT_INLINE void memcpy_async(const Group& group, T* target, const TargetCount& target_count, const T* source,
                              const SourceCount& source_count) {
    const size_t targets = target_count, sources = source_count;
    memcpy_async(group, target, source, (targets < sources ? targets : sources) * sizeof(T));
}

template <class Group>
SIMT_INLINE void wait(const Group& group, ::simt::Site site = ::simt::Site::here()) { group.sync(site); }

template <unsigned stages, class Group>
SIMT_INLINE void wait_prior(const Group& group, ::simt::Site site = ::simt::Site::here()) { group.sync(site); }

}  // namespace SIMT_FLAVOUR
}  // namespace cooperative_groups

// SPDX-License-Identifier: MIT
// Races of kernels with other uses of device memory: copies and fills in other streams, host accesses, and
// stream-ordered allocation and freeing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/runtime/copy.hpp"

namespace simt::check {

/// The operation that the calling thread carries out is this copy or fill. Strided ones of more than 1024 rows are not
/// checked.
void operation_touches(const BlockCopy& copy);
void operation_touches(const BlockFill& fill);

/// The host itself touches managed or pinned memory, at `pc`.
void host_touches(uintptr_t begin, size_t bytes, bool is_write, const void* pc);

/// cudaMallocAsync and cudaFreeAsync, as these operations of their streams, and the actual release of the memory.
void allocated_in_stream(uintptr_t begin, size_t bytes, const OrderPointer& allocation);
void freed_in_stream(uintptr_t begin, const OrderPointer& free);
void released(uintptr_t begin);

/// Tells a launch, as it begins, which ranges it must not touch.
void add_foreign_ranges(RaceLaunch& launch);

}  // namespace simt::check

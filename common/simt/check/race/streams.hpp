// Races of kernels with what else happens to device memory: copies and fills in other streams, accesses of the host, and
// memory that is allocated and freed in the order of a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/runtime/copy.hpp"

namespace simt::check {

// The operation that the calling thread carries out is this copy or fill. Strided copies and fills of more than 1024 rows
// are not checked.
void operation_touches(const BlockCopy& copy);
void operation_touches(const BlockFill& fill);

// So does the host itself, at `pc`: managed or pinned memory.
void host_touches(uintptr_t begin, size_t bytes, bool is_write, const void* pc);

// cudaMallocAsync and cudaFreeAsync, as the given operations of their streams; and the end of the memory.
void allocated_in_stream(uintptr_t begin, size_t bytes, const OrderPointer& allocation);
void freed_in_stream(uintptr_t begin, const OrderPointer& free);
void released(uintptr_t begin);

// Tells a launch that begins what it must not touch.
void add_foreign_ranges(RaceLaunch& launch);

}  // namespace simt::check

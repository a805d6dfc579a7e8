// SPDX-License-Identifier: MIT
// CUB: collectives of warps and blocks, and algorithms of whole devices. All of them are the simulator's own.
#pragma once

// Programs rely on what CUB's own headers bring along.
#include <array>      // IWYU pragma: export
#include <iostream>   // IWYU pragma: export
#include <limits>     // IWYU pragma: export
#include <map>        // IWYU pragma: export
#include <memory>     // IWYU pragma: export
#include <mutex>      // IWYU pragma: export
#include <set>        // IWYU pragma: export
#include <stdexcept>  // IWYU pragma: export
#include <string>     // IWYU pragma: export
#include <tuple>      // IWYU pragma: export

#include "block/block_adjacent_difference.cuh"
#include "block/block_discontinuity.cuh"
#include "block/block_exchange.cuh"
#include "block/block_histogram.cuh"
#include "block/block_load.cuh"
#include "block/block_merge_sort.cuh"
#include "block/block_radix_sort.cuh"
#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "block/block_shuffle.cuh"
#include "block/block_store.cuh"
#include "device/device_adjacent_difference.cuh"
#include "device/device_copy.cuh"
#include "device/device_for.cuh"
#include "device/device_histogram.cuh"
#include "device/device_memcpy.cuh"
#include "device/device_merge.cuh"
#include "device/device_merge_sort.cuh"
#include "device/device_partition.cuh"
#include "device/device_radix_sort.cuh"
#include "device/device_reduce.cuh"
#include "device/device_run_length_encode.cuh"
#include "device/device_scan.cuh"
#include "device/device_segmented_radix_sort.cuh"
#include "device/device_segmented_reduce.cuh"
#include "device/device_segmented_sort.cuh"
#include "device/device_select.cuh"
#include "iterator/arg_index_input_iterator.cuh"
#include "iterator/cache_modified_input_iterator.cuh"
#include "iterator/cache_modified_output_iterator.cuh"
#include "iterator/constant_input_iterator.cuh"
#include "iterator/counting_input_iterator.cuh"
#include "iterator/discard_output_iterator.cuh"
#include "iterator/tex_obj_input_iterator.cuh"
#include "iterator/transform_input_iterator.cuh"
#include "thread/thread_load.cuh"
#include "thread/thread_operators.cuh"
#include "thread/thread_reduce.cuh"
#include "thread/thread_scan.cuh"
#include "thread/thread_search.cuh"
#include "thread/thread_sort.cuh"
#include "thread/thread_store.cuh"
#include "util_allocator.cuh"
#include "util_debug.cuh"
#include "util_device.cuh"
#include "util_macro.cuh"
#include "util_ptx.cuh"
#include "util_type.cuh"
#include "version.cuh"
#include "warp/warp_exchange.cuh"
#include "warp/warp_merge_sort.cuh"
#include "warp/warp_reduce.cuh"
#include "warp/warp_scan.cuh"

// The same, where a toolkit is installed.
#if __has_include(<thrust/iterator/constant_iterator.h>)
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <cuda/functional>
#endif

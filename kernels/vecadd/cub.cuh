// SPDX-License-Identifier: MIT
#pragma once
// The peer: CUB's DeviceTransform, if the toolkit has its final form (CUDA 13 and later). Only for nvcc.
//   vecadd_cub   on Hopper, cp.async.bulk copies tiles into shared memory, with at least 48 KiB in flight per SM
#include "common/cuda/cub_settings.hpp"
#include "common/cuda/launch_shape.cuh"
#include "kernels/vecadd/arguments.cuh"

#include <cuda_runtime.h>
#include <cub/version.cuh>

#if CUB_VERSION >= 300000
#define HAVE_CUB_TRANSFORM 1
#include <cub/device/device_transform.cuh>
#include <cuda/std/functional>
#include <cuda/std/tuple>
#else
#define HAVE_CUB_TRANSFORM 0
#endif

#include <cstdint>

namespace BACKEND {

#if HAVE_CUB_TRANSFORM
/// Any n, any alignment; CUB chooses block and grid. 32-bit indices if they suffice, as its users would write it.
template <typename T>
LaunchShape launch_vecadd_cub(const VecaddArguments<T>& arguments) {
    const auto transform = [&](auto n) {
        cub::DeviceTransform::Transform(::cuda::std::make_tuple(arguments.d_a, arguments.d_b), arguments.d_c, n,
                                        ::cuda::std::plus<T>{}, arguments.stream);
    };
    if (arguments.n <= INT32_MAX) {
        transform(static_cast<std::int32_t>(arguments.n));
    } else {
        transform(static_cast<std::int64_t>(arguments.n));
    }
    return {};
}
#endif

}  // namespace BACKEND

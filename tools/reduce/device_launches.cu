// SPDX-License-Identifier: MIT
// The reductions whose kernels launch kernels, for all element types: see LAUNCHING in common/cuda/nvcc.mk.
#include <cstdint>

#include "kernels/reduce/nested.cuh"

namespace BACKEND {

#define INSTANTIATE(T)                                                             \
    template LaunchShape launch_reduce_nested<T>(const ReduceArguments<T>&, bool); \
    template LaunchShape launch_reduce_nested_together<T>(const ReduceArguments<T>&);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
#undef INSTANTIATE

}  // namespace BACKEND

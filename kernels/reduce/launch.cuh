// SPDX-License-Identifier: MIT
#pragma once
// What the launch functions of the reductions share: their arguments, a kernel for either operator, and the further
// launches that reduce the blocks' partials. The ladders, each from slow to fast:
//   atomic.cuh                         a tutorial's: one atomic per block
//   shared.cuh, shared_unrolled.cuh    a course's: a tree in shared memory
//   in_place.cuh, in_place_unrolled.cuh, nested.cuh    a book's: a tree in global memory; kernels that launch kernels
//   grid_stride.cuh, single_pass.cuh, tagged.cuh       our own; tagged.cuh is the fastest
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

template <typename T>
struct Found;

/// Reduce n elements of d_input into *d_result, on `stream`.
/// d_input: aligned as T is, not more. Only the in-place and nested kernels write to it; they say so.
/// d_workspace: workspace_bytes bytes, 16-byte aligned, at least as many as the kernel's workspace function asks for.
///     The caller ZEROES IT ONCE after allocation (some kernels keep a counter or flags there). Every kernel leaves
///     it ready for its own next launch of any size, but not for another kernel's. Launches that share a workspace
///     must not overlap.
/// d_found: kernels that find more than one value write here, not to d_result. `wanted` names the values; the moments
///     are those of the numbers times `scale`, a power of two.
/// block_size: a request, 1 to 1024; each kernel says how it rounds it. multiprocessors: of the device in use.
template <typename T>
struct ReduceArguments {
    const T* d_input = nullptr;
    size_t n = 0;
    T* d_result = nullptr;
    Found<T>* d_found = nullptr;
    void* d_workspace = nullptr;
    size_t workspace_bytes = 0;
    Operation operation = Operation::sum;
    Wanted wanted = wants_sum;
    double scale = 1;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

/// A kernel template's two instances, one per operator on T. Both pointers are made from the template's name:
/// {reduce_sequential, reduce_sequential}. A launch through a pointer costs the same as a launch by name, and the code
/// around it is compiled once for all kernels that take the same parameters.
template <typename T, typename... Parameters>
struct OperatorKernel {
    void (*sum)(Parameters..., Sum<T>);
    void (*extreme)(Parameters..., Extreme<T>);
};

/// Launches the kernel for the arguments' operation.
template <typename T, typename... Parameters>
void launch_operator_kernel(const OperatorKernel<T, Parameters...>& kernel, const LaunchShape& shape,
                            const ReduceArguments<T>& arguments, Parameters... parameters) {
    if (arguments.operation == Operation::sum) {
        const auto sum = kernel.sum;
        sum<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(parameters..., Sum<T>{});
    } else {
        const auto extreme = kernel.extreme;
        extreme<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(
            parameters..., Extreme<T>{arguments.operation == Operation::maximum});
    }
}

/// The parameters of most kernels: the input, the number of its elements, and where the total or the blocks' partials
/// go.
template <typename T>
using ReduceKernel = OperatorKernel<T, const T*, size_t, T*>;
/// The same for a kernel that reduces within its input.
template <typename T>
using InPlaceKernel = OperatorKernel<T, T*, size_t, T*>;

/// One thread. Sets the value that the blocks will add their totals to.
template <typename T>
__global__ void store_value(T* result, T value) {
    *result = value;
}

/// Sets the result to the identity, then launches `kernel`, whose blocks each end in one atomic on the result.
template <typename T>
LaunchShape launch_onto_identity(const ReduceKernel<T>& kernel, const LaunchShape& shape,
                                 const ReduceArguments<T>& arguments) {
    store_value<T><<<1, 1, 0, arguments.stream>>>(arguments.d_result, identity_of<T>(arguments.operation));
    launch_operator_kernel<T>(kernel, shape, arguments, arguments.d_input, arguments.n, arguments.d_result);
    return shape;
}

/// How a launch divides n values: a block takes block_size * items_per_thread of them, or more if that would make more
/// than most_blocks blocks.
struct PassPlan {
    unsigned block_size;
    unsigned items_per_thread = 1;
    size_t dynamic_shared_bytes = 0;
    unsigned most_blocks = ~0U;

    unsigned grid_of(size_t n) const {
        const unsigned needed = grid_for(n, static_cast<size_t>(block_size) * items_per_thread);
        return needed < most_blocks ? needed : most_blocks;
    }
};

/// Reduces by repeated launches: the input to one partial per block, then the partials, until one value remains.
/// Returns the shape of the first. These kernels know no barrier between blocks but the end of a launch, so they need
/// more than one.
template <typename T, typename Input>
LaunchShape launch_passes(const OperatorKernel<T, Input*, size_t, T*>& kernel, const PassPlan& plan,
                          const ReduceArguments<T>& arguments) {
    // The Input of the in-place kernels is not const: their caller has agreed to lose it.
    auto* input = const_cast<Input*>(arguments.d_input);
    size_t n = arguments.n;
    T* free_workspace = static_cast<T*>(arguments.d_workspace);
    const LaunchShape first_shape{dim3(plan.grid_of(n)), dim3(plan.block_size), plan.dynamic_shared_bytes};
    for (;;) {
        LaunchShape shape = first_shape;
        shape.grid.x = plan.grid_of(n);
        T* output = shape.grid.x == 1 ? arguments.d_result : free_workspace;
        launch_operator_kernel<T>(kernel, shape, arguments, input, n, output);
        if (shape.grid.x == 1) return first_shape;
        input = output;
        n = shape.grid.x;
        free_workspace += n;
    }
}

/// Bytes of workspace for launch_passes: the partials of all passes but the last. Enough for every kernel, since it
/// counts one element per thread and the smallest block to which any of them rounds the arguments' block size.
template <typename T>
size_t passes_workspace(const ReduceArguments<T>& arguments) {
    const PassPlan plan{power_of_two_block(arguments.block_size)};
    size_t partials = 0;
    for (unsigned grid = plan.grid_of(arguments.n); grid > 1; grid = plan.grid_of(grid)) partials += grid;
    return partials * sizeof(T);
}

/// The smallest block of the kernels in which one warp combines the last 64 values.
constexpr unsigned smallest_unrolled_block = 64;

/// Of the instances for block sizes 64, 128, ... 1024, the one for `block_size`.
template <typename Kernel>
const Kernel& kernel_of_block_size(const Kernel (&kernels)[5], unsigned block_size) {
    unsigned index = 0;
    while ((smallest_unrolled_block << index) < block_size) ++index;
    return kernels[index];
}

}  // namespace BACKEND

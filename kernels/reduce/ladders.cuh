// SPDX-License-Identifier: MIT
#pragma once
// How the kernels of textbook/ are launched: for every type and operation, and again for what their blocks leave.
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/addends.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/textbook/atomic.cuh"
#include "kernels/reduce/textbook/in_place.cuh"
#include "kernels/reduce/textbook/shared.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

/// A kernel template's instances for the operations on T, made from its name: INSTANCES(reduce_sequential).
#define INSTANCES(kernel) \
    { kernel, kernel, kernel }
template <typename T, bool changes_input = false>
struct TextbookKernel {
    template <typename A>
    using Instance = void (*)(std::conditional_t<changes_input, A, const A>*, size_t, A*);
    Instance<Addend<T>> sum;
    Instance<Least<T>> minimum;
    Instance<Greatest<T>> maximum;

    void launch(const LaunchShape& shape, const ReduceArguments<T>& arguments, const T* input, size_t n,
                T* output) const {
        void* parameters[] = {&input, &n, &output};
        const auto launch_instance = [&](auto instance) {
            CHECK(cudaLaunchKernel(instance, shape.grid, shape.block, parameters, shape.dynamic_shared_bytes,
                                   arguments.stream));
        };
        switch (arguments.operation) {
            case Operation::sum: launch_instance(sum); break;
            case Operation::minimum: launch_instance(minimum); break;
            case Operation::maximum: launch_instance(maximum); break;
        }
    }
};

/// Launches a kernel whose blocks each end in one atomic on the result.
template <typename T>
LaunchShape launch_onto_identity(const TextbookKernel<T>& kernel, const PassPlan& plan,
                                 const ReduceArguments<T>& arguments) {
    const LaunchShape shape{dim3(plan.grid_of(arguments.n)), dim3(plan.block_size), plan.dynamic_shared_bytes};
    launch_store_identity(arguments);
    kernel.launch(shape, arguments, arguments.d_input, arguments.n, arguments.d_result);
    return shape;
}

/// Reduces by repeated launches: the input to one partial per block, then the partials, until one value remains.
/// Returns the shape of the first. These kernels know no barrier between blocks but the end of a launch, so they need
/// more than one.
template <typename T, bool changes_input>
LaunchShape launch_passes(const TextbookKernel<T, changes_input>& kernel, const PassPlan& plan,
                          const ReduceArguments<T>& arguments) {
    const T* input = arguments.d_input;
    size_t n = arguments.n;
    T* free_workspace = static_cast<T*>(arguments.d_workspace);
    const LaunchShape first_shape{dim3(plan.grid_of(n)), dim3(plan.block_size), plan.dynamic_shared_bytes};
    if (n == 0) launch_store_identity(arguments);
    while (n > 0) {
        LaunchShape shape = first_shape;
        shape.grid.x = plan.grid_of(n);
        T* output = shape.grid.x == 1 ? arguments.d_result : free_workspace;
        kernel.launch(shape, arguments, input, n, output);
        if (shape.grid.x == 1) break;
        input = output;
        n = shape.grid.x;
        free_workspace += n;
    }
    return first_shape;
}

/// Bytes of workspace for launch_passes: the partials of all passes but the last. Enough for every kernel, since it
/// counts one element per thread and the smallest block to which any of them rounds the arguments' block size.
template <typename T>
size_t passes_workspace(const ReduceArguments<T>& arguments) {
    const PassPlan plan{power_of_two_block(arguments.block_size, arguments.smallest_block)};
    size_t partials = 0;
    for (unsigned grid = plan.grid_of(arguments.n); grid > 1; grid = plan.grid_of(grid)) partials += grid;
    return partials * sizeof(T);
}

/// Calls launch with the block size as a constant: the arguments' rounded down to a power of two from 64.
template <typename T, typename Launch>
LaunchShape launch_with_static_block(const ReduceArguments<T>& arguments, Launch launch) {
    switch (power_of_two_block(arguments.block_size, 64)) {
        case 64: return launch(std::integral_constant<unsigned, 64>());
        case 128: return launch(std::integral_constant<unsigned, 128>());
        case 256: return launch(std::integral_constant<unsigned, 256>());
        case 512: return launch(std::integral_constant<unsigned, 512>());
        default: return launch(std::integral_constant<unsigned, 1024>());
    }
}

// ---- the tutorial's: one launch

template <typename T>
LaunchShape launch_reduce_atomic_global(const ReduceArguments<T>& arguments) {
    return launch_onto_identity(INSTANCES(reduce_atomic_global), {arguments.block_size}, arguments);
}

template <typename T>
LaunchShape launch_reduce_atomic_shared(const ReduceArguments<T>& arguments) {
    return launch_onto_identity(INSTANCES(reduce_atomic_shared), {arguments.block_size}, arguments);
}

template <typename T>
LaunchShape launch_reduce_shared_tree(const ReduceArguments<T>& arguments) {
    const unsigned block = power_of_two_block(arguments.block_size, arguments.smallest_block);
    return launch_onto_identity(INSTANCES(reduce_shared_tree), {block, 1, block * sizeof(T)}, arguments);
}

template <typename T>
LaunchShape launch_reduce_shared_shuffle(const ReduceArguments<T>& arguments) {
    const unsigned block = power_of_two_block(arguments.block_size);
    return launch_onto_identity(INSTANCES(reduce_shared_shuffle), {block, 1, block * sizeof(T)}, arguments);
}

// ---- beyond the tutorial's, also in one launch

template <typename T>
LaunchShape launch_reduce_shuffle_tree(const ReduceArguments<T>& arguments) {
    return launch_onto_identity(INSTANCES(reduce_shuffle_tree), {whole_warps(arguments.block_size)}, arguments);
}

/// At most as many blocks as the device holds at once.
template <typename T>
LaunchShape launch_reduce_grid_stride(const ReduceArguments<T>& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    return launch_onto_identity(INSTANCES(reduce_grid_stride), {block, 1, 0, most_blocks_of(arguments, block)},
                                arguments);
}

// ---- the course's: a T of shared memory per thread

template <typename T>
LaunchShape launch_shared_passes(const TextbookKernel<T>& kernel, unsigned items_per_thread,
                                 const ReduceArguments<T>& arguments, unsigned smallest_block = 0) {
    const unsigned block =
        power_of_two_block(arguments.block_size, smallest_block > 0 ? smallest_block : arguments.smallest_block);
    return launch_passes(kernel, {block, items_per_thread, block * sizeof(T)}, arguments);
}

template <typename T>
LaunchShape launch_reduce_interleaved_divergent(const ReduceArguments<T>& arguments) {
    return launch_shared_passes(INSTANCES(reduce_interleaved_divergent), 1, arguments);
}

template <typename T>
LaunchShape launch_reduce_interleaved_conflicts(const ReduceArguments<T>& arguments) {
    return launch_shared_passes(INSTANCES(reduce_interleaved_conflicts), 1, arguments);
}

template <typename T>
LaunchShape launch_reduce_sequential(const ReduceArguments<T>& arguments) {
    return launch_shared_passes(INSTANCES(reduce_sequential), 1, arguments);
}

template <typename T>
LaunchShape launch_reduce_first_add(const ReduceArguments<T>& arguments) {
    return launch_shared_passes(INSTANCES(reduce_first_add), 2, arguments);
}

template <typename T>
LaunchShape launch_reduce_unrolled_warp(const ReduceArguments<T>& arguments) {
    return launch_shared_passes(INSTANCES(reduce_unrolled_warp), 2, arguments, 64);
}

template <typename T>
LaunchShape launch_reduce_unrolled_block(const ReduceArguments<T>& arguments) {
    return launch_with_static_block(arguments, [&](auto block) {
        constexpr unsigned size = decltype(block)::value;
        return launch_shared_passes(INSTANCES(reduce_unrolled_block<size>), 2, arguments, 64);
    });
}

/// At most as many blocks as the device holds at once.
template <typename T>
LaunchShape launch_reduce_multiple_elements(const ReduceArguments<T>& arguments) {
    return launch_with_static_block(arguments, [&](auto block) {
        constexpr unsigned size = decltype(block)::value;
        return launch_passes<T, false>(INSTANCES(reduce_multiple_elements<size>),
                                       {size, 2, size * sizeof(T), most_blocks_of(arguments, size)}, arguments);
    });
}

// ---- the book's: they destroy their input

/// In whole warps, unless the caller wants fewer threads than one.
template <typename T>
unsigned any_block(const ReduceArguments<T>& arguments) {
    return arguments.block_size < lanes_per_warp && arguments.block_size >= arguments.smallest_block
               ? arguments.block_size
               : whole_warps(arguments.block_size);
}

template <typename T>
LaunchShape launch_reduce_neighbored(const ReduceArguments<T>& arguments) {
    return launch_passes<T, true>(INSTANCES(reduce_neighbored), {any_block(arguments)}, arguments);
}

template <typename T>
LaunchShape launch_reduce_neighbored_dense(const ReduceArguments<T>& arguments) {
    return launch_passes<T, true>(INSTANCES(reduce_neighbored_dense), {any_block(arguments)}, arguments);
}

template <typename T>
LaunchShape launch_reduce_interleaved_pairs(const ReduceArguments<T>& arguments) {
    return launch_passes<T, true>(INSTANCES(reduce_interleaved_pairs),
                                  {power_of_two_block(arguments.block_size, arguments.smallest_block)}, arguments);
}

template <unsigned pieces, typename T>
LaunchShape launch_reduce_unroll(const ReduceArguments<T>& arguments) {
    return launch_passes<T, true>(INSTANCES(reduce_unroll<pieces>),
                                  {power_of_two_block(arguments.block_size, arguments.smallest_block), pieces},
                                  arguments);
}

template <typename T>
LaunchShape launch_reduce_unroll8_warp(const ReduceArguments<T>& arguments) {
    return launch_passes<T, true>(INSTANCES(reduce_unroll8_warp), {power_of_two_block(arguments.block_size, 64), 8},
                                  arguments);
}

template <typename T>
LaunchShape launch_reduce_unroll8_complete(const ReduceArguments<T>& arguments) {
    return launch_passes<T, true>(INSTANCES(reduce_unroll8_complete), {power_of_two_block(arguments.block_size, 64), 8},
                                  arguments);
}

template <typename T>
LaunchShape launch_reduce_unroll8_complete_static(const ReduceArguments<T>& arguments) {
    return launch_with_static_block(arguments, [&](auto block) {
        constexpr unsigned size = decltype(block)::value;
        return launch_passes<T, true>(INSTANCES(reduce_unroll8_complete_static<size>), {size, 8}, arguments);
    });
}

#undef INSTANCES

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
#pragma once
// How the kernel of textbook/grid_sync.cuh is launched: cooperatively.
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/addends.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/textbook/grid_sync.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// As many blocks as the input needs, but no more than the device holds at once, or than the arguments' grid.
template <typename T>
LaunchShape grid_sync_shape(const ReduceArguments<T>& arguments) {
    const unsigned block = power_of_two_block(arguments.block_size, 1);
    const size_t shared_bytes = block * sizeof(T);
    int resident = 0;  // blocks per multiprocessor
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, reduce_grid_sync<Addend<T>>, static_cast<int>(block),
                                                        shared_bytes));
    unsigned most = static_cast<unsigned>(resident) * arguments.multiprocessors;
    if (arguments.grid > 0 && arguments.grid < most) most = arguments.grid;
    const unsigned needed = grid_for(arguments.n, block);
    return {dim3(needed < most ? needed : most), dim3(block), shared_bytes};
}

/// Bytes of workspace: a partial for each block.
template <typename T>
size_t grid_sync_workspace(const ReduceArguments<T>& arguments) {
    return grid_sync_shape(arguments).grid.x * sizeof(T);
}

template <typename A, typename T>
LaunchShape launch_grid_sync_of(const ReduceArguments<T>& arguments) {
    const LaunchShape shape = grid_sync_shape(arguments);
    const A* input = reinterpret_cast<const A*>(arguments.d_input);
    size_t n = arguments.n;
    A* partials = static_cast<A*>(arguments.d_workspace);
    A* result = reinterpret_cast<A*>(arguments.d_result);
    void* parameters[] = {&input, &n, &partials, &result};
    CHECK(cudaLaunchCooperativeKernel(reduce_grid_sync<A>, shape.grid, shape.block, parameters,
                                      shape.dynamic_shared_bytes, arguments.stream));
    return shape;
}

template <typename T>
LaunchShape launch_reduce_grid_sync(const ReduceArguments<T>& arguments) {
    switch (arguments.operation) {
        case Operation::minimum: return launch_grid_sync_of<Least<T>>(arguments);
        case Operation::maximum: return launch_grid_sync_of<Greatest<T>>(arguments);
        default: return launch_grid_sync_of<Addend<T>>(arguments);
    }
}

}  // namespace BACKEND

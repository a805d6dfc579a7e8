// SPDX-License-Identifier: MIT
#pragma once
// How the kernels of textbook/nested.cuh are launched, for every type and operation.
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/addends.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/nested_launches.cuh"
#include "kernels/reduce/textbook/nested.cuh"

#include <cuda_runtime.h>

namespace BACKEND {

/// Launches the first level, which launches all others, then reduces the blocks' partials. A grid ends only after its
/// children, so the stream's next launch sees what they wrote.
template <typename T, typename First>
LaunchShape launch_nested(const ReduceArguments<T>& arguments, First launch_first) {
    constexpr unsigned finishing_threads = 128;
    const unsigned block_size = power_of_two_block(arguments.block_size);
    const LaunchShape shape{dim3(nested_grid(arguments.n, block_size)), dim3(block_size)};
    const auto reduce = [&](auto zero) {
        using A = decltype(zero);
        A* values = reinterpret_cast<A*>(const_cast<T*>(arguments.d_input));  // the caller has agreed to lose it
        A* partials = static_cast<A*>(arguments.d_workspace);
        launch_first(shape, values, partials);
        reduce_nested_partials<<<1, finishing_threads, 0, arguments.stream>>>(partials, shape.grid.x,
                                                                              reinterpret_cast<A*>(arguments.d_result));
    };
    if (arguments.n == 0) launch_store_identity(arguments);
    else if (arguments.operation == Operation::sum) reduce(Addend<T>(0));
    else if (arguments.operation == Operation::minimum) reduce(Least<T>(0));
    else reduce(Greatest<T>(0));
    return shape;
}

template <typename T>
LaunchShape launch_reduce_nested(const ReduceArguments<T>& arguments, bool waits) {
    return launch_nested(arguments, [&](const LaunchShape& shape, auto* values, auto* partials) {
        reduce_nested<<<shape.grid, shape.block, 0, arguments.stream>>>(values, arguments.n, partials, waits);
    });
}

template <typename T>
LaunchShape launch_reduce_nested_together(const ReduceArguments<T>& arguments) {
    return launch_nested(arguments, [&](const LaunchShape& shape, auto* values, auto* partials) {
        reduce_nested_together<<<shape.grid, shape.block, 0, arguments.stream>>>(values, arguments.n, partials,
                                                                                 shape.block.x);
    });
}

}  // namespace BACKEND

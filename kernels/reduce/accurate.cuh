// SPDX-License-Identifier: MIT
#pragma once
// A compensated sum: a second number accumulates the rounding errors of the first. The operator AccurateSum takes the
// place of Sum in the tagged kernels. (Ogita, Rump, Oishi: Accurate sum and dot product, 2005.)
// Let k be the most additions that any number goes through, and S the sum of all magnitudes. The error is at most
//     f64   half a unit in the last place of the result, plus S * k^2 * 2^-106
//     f32   half a unit in the last place, plus S * k * 2^-53: added as f64, which is more accurate than pairs of f32
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/mailbox.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/double_double.cuh"
#include "kernels/reduce/found.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/statistics.cuh"
#include "kernels/reduce/tagged.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

template <typename T>
struct AccurateSum {
    static constexpr bool has_warp_instruction = false;
    using Value = std::conditional_t<std::is_same_v<T, float>, double, DoubleDouble>;

    __host__ __device__ constexpr Value identity() const { return {}; }
    __host__ __device__ constexpr T nothing() const { return T(0); }

    template <typename Addend>
    __host__ __device__ __forceinline__ Value combine(Value sum, const Addend& addend) const {
        if constexpr (std::is_same_v<Value, double>) sum += addend;
        else sum.add(addend);
        return sum;
    }
};

/// Bytes of workspace, zeroed once by the caller: the mailboxes, followed by a summary's workspace.
template <typename T>
size_t accurate_mailbox_bytes(const ReduceArguments<T>& arguments) {
    return most_blocks_per_multiprocessor * arguments.multiprocessors * sizeof(Mailbox<DoubleDouble>);
}
template <typename T>
size_t reduce_accurate_workspace(const ReduceArguments<T>& arguments) {
    return accurate_mailbox_bytes(arguments) + reduce_statistics_workspace(arguments);
}

/// Integers, and requests for more than the sum, go to reduce_statistics: integer sums are exact anyway, and the sum in
/// a summary is as accurate as this one.
template <typename T>
LaunchShape launch_reduce_accurate(const ReduceArguments<T>& arguments) {
    constexpr unsigned block_size = 512, loads = 8;
    if constexpr (std::is_floating_point_v<T>) {
        if (arguments.wanted == wants_sum) {
            const VectorSpan<T> span = split_into_vectors(arguments.d_input, arguments.n);
            const unsigned tiles = grid_for(span.vectors, block_size * loads);
            // Two blocks are resident. More blocks than that balance the load between multiprocessors, but the end of a
            // block is expensive if it adds pairs of f64 across the warps.
            constexpr unsigned few = sizeof(T) == 4 ? 4 : 2, many = 4 * few;
            const unsigned per_multiprocessor = tiles < 4 * many * arguments.multiprocessors ? few : many;
            const LaunchShape shape{dim3(tagged_loop_grid(tiles, arguments.multiprocessors, per_multiprocessor)),
                                    dim3(block_size), 0};
            const auto kernel = reduce_tagged_tiles<block_size, loads, T, AccurateSum<T>, DoubleDouble>;
            kernel<<<shape.grid, shape.block, 0, arguments.stream>>>(
                arguments.d_input, span, static_cast<Mailbox<ValueOf<AccurateSum<T>>>*>(arguments.d_workspace),
                &arguments.d_found->summary.sum, AccurateSum<T>{});
            return shape;
        }
    }
    ReduceArguments<T> rest = arguments;
    rest.d_workspace = static_cast<unsigned char*>(arguments.d_workspace) + accurate_mailbox_bytes(arguments);
    return launch_reduce_statistics(rest);
}

}  // namespace BACKEND

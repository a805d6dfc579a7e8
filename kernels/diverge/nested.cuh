// SPDX-License-Identifier: MIT
#pragma once
// Nested branches: at each level one bit of the path decides, the highest first.
//   diverge_nested   any n; any block; grid ceil(n / block)
#include "kernels/diverge/arguments.cuh"

namespace BACKEND {

/// The `levels` levels of branches below those that have led to `path`.
template <unsigned levels, unsigned path>
__device__ __forceinline__ unsigned take_path(unsigned wanted, unsigned value, unsigned word) {
    if constexpr (levels == 0) {
        return diverge_body<diverge_body_operations, path>(value, word);
    } else {
        constexpr unsigned bit = 1u << (levels - 1);
        if (wanted & bit) return take_path<levels - 1, path + bit>(wanted, value, word);
        return take_path<levels - 1, path>(wanted, value, word);
    }
}

/// depth: 1 to 5.
template <unsigned depth>
struct NestedRound {
    const DivergePlaces& places;

    __device__ __forceinline__ unsigned operator()(unsigned value, unsigned word, unsigned place,
                                                   unsigned round) const {
        return take_path<depth, 0>(places.path_of(place, round, 1u << depth), value, word);
    }
};

template <unsigned depth>
__global__ void diverge_nested(const DivergeArguments arguments) {
    take_rounds(arguments, NestedRound<depth>{arguments.places});
}

template <unsigned depth>
LaunchShape launch_diverge_nested(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_nested<depth>, arguments, arguments.block_size);
}

inline DivergeLaunch* diverge_nested_launch(size_t depth) {
    return diverge_launch_of<1, 2, 3, 4, 5>(depth, [](auto number) { return launch_diverge_nested<number>; });
}

}  // namespace BACKEND

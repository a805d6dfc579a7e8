// SPDX-License-Identifier: MIT
#pragma once
// A branch with two sides of equal length. Short sides need no branch: with predication, all lanes run both sides and
// discard the results of one.
//   diverge_branch   any n; any block; grid ceil(n / block)
#include "kernels/diverge/arguments.cuh"

namespace BACKEND {

template <unsigned operations>
struct BranchRound {
    const DivergePlaces& places;

    __device__ __forceinline__ unsigned operator()(unsigned value, unsigned word, unsigned place,
                                                   unsigned round) const {
        if (places.side_of(place, round)) return diverge_body<operations, 1>(value, word);
        return diverge_body<operations, 0>(value, word);
    }
};

template <unsigned operations>
__global__ void diverge_branch(const DivergeArguments arguments) {
    take_rounds(arguments, BranchRound<operations>{arguments.places});
}

template <unsigned operations>
LaunchShape launch_diverge_branch(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_branch<operations>, arguments, arguments.block_size);
}

/// operations: a power of two up to 256.
inline DivergeLaunch* diverge_branch_launch(size_t operations) {
    return diverge_launch_of<1, 2, 4, 8, 16, 32, 64, 128, 256>(
        operations, [](auto number) { return launch_diverge_branch<number>; });
}

}  // namespace BACKEND

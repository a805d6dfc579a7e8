#pragma once
// What thin products cost in cycles on an H200. `staging` is an estimate that no script has fitted yet.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cstddef>

namespace BACKEND {

struct ThinRoundCost {
    static constexpr double loading = 1200;  // of loads in flight together
    static constexpr double staging = 900;   // of thin_in_flight elements per thread, on their way to shared memory
    static constexpr double waiting = 4000;  // until the last block begins to add the other blocks' sums
};

/// If `shares` blocks share k: the cycles until the last one has added `sums` sums of each.
template <typename T>
double sharing_cycles(unsigned shares, size_t sums) {
    if (shares == 1) return 0;
    const size_t rounds =
        divide_up(shares, thin_in_flight) * divide_up(sums, size_t{thin_block} * Vector<SumOf<T>>::length);
    return ThinRoundCost::waiting + ThinRoundCost::loading * double(rounds);
}

}  // namespace BACKEND

#pragma once
// What thin products cost in cycles on an H200. `staging` is an estimate that no script has fitted yet.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cstddef>

namespace BACKEND {

/// The value for T: a 16-bit type, f32 or f64.
template <typename T>
constexpr double by_size(double of_16_bits, double of_32_bits, double of_64_bits) {
    return sizeof(T) == 2 ? of_16_bits : sizeof(T) == 4 ? of_32_bits : of_64_bits;
}

struct ThinRoundCost {
    static constexpr double loading = 1200;  // of loads in flight together
    static constexpr double staging = 900;   // of thin_in_flight elements per thread, on their way to shared memory
    static constexpr double waiting = 4000;  // until the last block begins to add the other blocks' sums
};

/// If `shares` blocks share k: the cycles until the last one has added `sums` sums of each.
template <typename T>
double sharing_cycles(unsigned shares, size_t sums) {
    if (shares == 1) return 0;
    const size_t vectors = divide_up(sums, size_t{Vector<SumOf<T>>::length});
    const size_t of_thread = divide_up(shares, adding_threads(static_cast<unsigned>(vectors), shares));
    const size_t rounds = divide_up(of_thread, thin_in_flight) * divide_up(vectors, size_t{thin_block});
    return ThinRoundCost::waiting + ThinRoundCost::loading * double(rounds);
}

}  // namespace BACKEND

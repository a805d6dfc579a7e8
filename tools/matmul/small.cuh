// Small products whose blocks share nothing: kernels/matmul/thin/patches.cuh and fragments.cuh.
#pragma once

#include <string>

#include "common/io/text.hpp"
#include "kernels/matmul/thin/patches.cuh"
#include "kernels/matmul/thin/steps.cuh"
#include "tools/matmul/method.cuh"

#ifndef __SIMCC__
#include "kernels/matmul/thin/fragments.cuh"
#endif

namespace BACKEND {

// The value for T: a 16-bit type, f32 or f64.
template <typename T>
constexpr double by_size(double of_16_bits, double of_32_bits, double of_64_bits) {
    return sizeof(T) == 2 ? of_16_bits : sizeof(T) == 4 ? of_32_bits : of_64_bits;
}

// The name of a tile, with the blocks that share k if there are several.
inline std::string thin_tile(size_t m, size_t n, size_t k, unsigned shares) {
    return text("{}x{}x{}", m, n, k) + (shares > 1 ? text("/{}", shares) : "");
}

// What a product costs in cycles if lanes or warps load the elements of their part of C's tile for themselves, in
// rounds of a few steps along k. (Fitted to 29 to 65 products of each type on an H200 and an H100, the caches
// cold: half of them are within 4 to 11 % of their times.)
struct RoundsCost {
    double fixed;        // until the first loads, and from the last ones on
    double of_wave;      // a round of a wave of blocks
    double of_block;     // a round of each block of a multiprocessor
    double stored_even;  // a byte of C, for each multiprocessor, if rows have an even number of elements
    double stored_odd;

    template <typename Shape>
    double cycles(const ProductShape& shape, size_t element_bytes, unsigned multiprocessors) const {
        const size_t tiles = divide_up(shape.m, Shape::tile_m) * divide_up(shape.n, Shape::tile_n),
                     of_each = divide_up(tiles, multiprocessors), waves = divide_up(of_each, Shape::resident);
        const double rounds = double(divide_up(shape.k, Shape::steps)),
                     bytes = double(shape.m) * double(shape.n) * double(element_bytes) / multiprocessors;
        const double storing = shape.n % 2 == 1 ? stored_odd : stored_even;
        return fixed + rounds * (of_wave * double(waves) + of_block * double(of_each)) + bytes * storing;
    }
};

template <typename Kernel, typename T>
ProductMethod rounds_method(const ProductProblem& problem, const RoundsCost& cost) {
    using Shape = typename Kernel::Shape;
    const auto [m, n, k] = problem.shape;
    const SmallPlan plan{unsigned(m), unsigned(n), unsigned(k)};
    ProductMethod method;
    method.cycles = cost.cycles<Shape>(problem.shape, sizeof(T), unsigned(problem.device->multiprocessors));
    method.launch = [plan](const MatmulArguments<void>& arguments) { return Kernel::enqueue(arguments.as<T>(), plan); };
    method.tile = thin_tile(Shape::tile_m, Shape::tile_n, Shape::steps, 1);
    return method;
}

template <typename T>
ProductMethod patches_method(const ProductProblem& problem) {
    return rounds_method<Patches<T>, T>(
        problem, {by_size<T>(3160, 3020, 3920), by_size<T>(1580, 1525, 713), by_size<T>(0, 35, 0),
                  by_size<T>(0.18, 0.062, 0.063), by_size<T>(0.2, 0.064, 0.091)});
}

#ifndef __SIMCC__
template <typename T>
ProductMethod small_fragments_method(const ProductProblem& problem) {
    return rounds_method<Fragments<T, SmallFragments<T>>, T>(
        problem, {by_size<T>(2080, 3160, 2580), by_size<T>(3950, 1560, 1990), by_size<T>(20, 230, 294),
                  by_size<T>(0.095, 0.036, 0.025), by_size<T>(0.167, 0.064, 0.012)});
}
template <typename T>
ProductMethod large_fragments_method(const ProductProblem& problem) {
    return rounds_method<Fragments<T, LargeFragments<T>>, T>(
        problem, {by_size<T>(3460, 4130, 3550), by_size<T>(2770, 1490, 2290), by_size<T>(68, 170, 175),
                  by_size<T>(0.071, 0.066, 0.068), by_size<T>(0.127, 0.067, 0.047)});
}
// f32 would need tensor cores that keep all its bits. Beyond these sizes the model is not fitted, and others are faster.
template <bool tensor_cores>
bool suits_fragments(const ProductShape& shape) {
    constexpr size_t most_steps = 192;
    constexpr double most_flop = 4e9;
    return tensor_cores && shape.k <= most_steps && shape.flop() <= most_flop;
}
#endif
inline bool suits_patches(const ProductShape& shape) { return shape.k <= few_steps; }

}  // namespace BACKEND

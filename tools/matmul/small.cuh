// SPDX-License-Identifier: MIT
// Small products whose blocks share nothing: kernels/matmul/thin/patches.cuh and fragments.cuh.
#pragma once

#include <string>

#include "common/io/text.hpp"
#include "kernels/matmul/thin/cost.cuh"
#include "kernels/matmul/thin/patches.cuh"
#include "kernels/matmul/thin/steps.cuh"
#include "tools/matmul/method.cuh"

#ifndef __SIMCC__
#include "kernels/matmul/thin/fragments.cuh"
#endif

namespace BACKEND {

// The name of a tile, with the blocks that share k if there are several.
inline std::string thin_tile(size_t m, size_t n, size_t k, unsigned shares) {
    return text("{}x{}x{}", m, n, k) + (shares > 1 ? text("/{}", shares) : "");
}

// What a product costs in cycles if lanes or warps load the elements of their part of C's tile for themselves, in
// rounds of a few steps along k. (Fitted to 74 to 450 products of each type on an H100, the caches cold; the root of
// the mean square error is 5 to 9 %.)
struct RoundsCost {
    double fixed;        // until the first loads, and from the last ones on
    double of_wave;      // a round of a wave of blocks
    double of_block;     // a round of each block of a multiprocessor
    double stored_even;  // a byte of C, for each multiprocessor, if rows have an even number of elements
    double stored_odd;
    double odd_operand =
        1;  // times as long takes a round for each of A and B whose rows have an odd number of elements

    template <typename Shape>
    double cycles(const ProductShape& shape, size_t element_bytes, unsigned multiprocessors) const {
        const size_t tiles = divide_up(shape.m, Shape::tile_m) * divide_up(shape.n, Shape::tile_n),
                     of_each = divide_up(tiles, multiprocessors), waves = divide_up(of_each, Shape::resident);
        const double rounds = double(divide_up(shape.k, Shape::steps)),
                     bytes = double(shape.m) * double(shape.n) * double(element_bytes) / multiprocessors;
        const double storing = shape.n % 2 == 1 ? stored_odd : stored_even,
                     slowness = (shape.k % 2 == 1 ? odd_operand : 1) * (shape.n % 2 == 1 ? odd_operand : 1);
        return fixed + rounds * (of_wave * double(waves) + of_block * double(of_each)) * slowness + bytes * storing;
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
        problem, {by_size<T>(3600, 3860, 4400), by_size<T>(1260, 1210, 548), by_size<T>(4, 60, 0),
                  by_size<T>(0.38, 0.059, 0.072), by_size<T>(0.37, 0.101, 0.114)});
}

#ifndef __SIMCC__
template <typename T>
ProductMethod small_fragments_method(const ProductProblem& problem) {
    return rounds_method<Fragments<T, SmallFragments<T>>, T>(
        problem, {by_size<T>(2930, 3540, 3250), by_size<T>(2300, 1410, 1800), by_size<T>(210, 294, 395),
                  by_size<T>(0.126, 0.028, 0.015), by_size<T>(0.177, 0.057, 0.021), by_size<T>(1.1, 1, 1)});
}
template <typename T>
ProductMethod large_fragments_method(const ProductProblem& problem) {
    return rounds_method<Fragments<T, LargeFragments<T>>, T>(
        problem, {by_size<T>(3630, 3930, 4180), by_size<T>(1490, 1560, 1820), by_size<T>(266, 159, 296),
                  by_size<T>(0.048, 0.061, 0.059), by_size<T>(0.09, 0.09, 0.064), by_size<T>(1.3, 1, 1)});
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

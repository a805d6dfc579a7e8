// SPDX-License-Identifier: MIT
#pragma once
// The launch functions of nested. Their kernels launch kernels and are compiled as a unit of their own
// (tools/nested/device_launches.cu).
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Where all grids of a family leave marks: each adds its mark to its own word, which shows a grid that has not run, or
/// has run twice.
struct NestedArguments {
    unsigned* d_marks = nullptr;  // one per grid
    unsigned* d_error = nullptr;  // the last error of a launch by a kernel, a cudaError_t value; set by the caller to 0
    unsigned count = 0;           // of grids, without the parent of all
    unsigned seed = 0;
    cudaStream_t stream = nullptr;
};

__host__ __device__ inline unsigned mark_of(unsigned seed, unsigned i) { return (seed ^ i * 0x9e3779b9U) | 1U; }

enum class NestedStream { null, fire_and_forget, tail_launch };

/// Launch `count` grids of one thread: from the host, from one thread of a kernel, from one block each, or from one
/// thread each.
LaunchShape launch_grids_from_host(const NestedArguments& arguments);
LaunchShape launch_grids_by_one_thread(const NestedArguments& arguments, NestedStream stream);
LaunchShape launch_grids_by_blocks(const NestedArguments& arguments);
LaunchShape launch_grids_by_threads(const NestedArguments& arguments);

/// Grids of one thread, each of which launches the next. The host launches the first, at depth 0; the last is at depth
/// `count`, so there are count + 1 marks. With `tails`, each begins when the previous one has ended.
LaunchShape launch_chain(const NestedArguments& arguments, bool tails);

/// Who has greeted: a thread of a block, at this depth.
struct Greeting {
    unsigned depth, block, thread, threads;
};

/// Two blocks of `threads` threads greet; then one thread of each launches half as many, and so on down to one. Leaves
/// *d_count greetings in d_greetings, in the order in which they were made.
void launch_hello(Greeting* d_greetings, unsigned* d_count, unsigned threads);

/// The Mandelbrot set on side x side pixels: the number of steps after which each point is known to be outside, at most
/// `steps`.
struct MandelbrotImage {
    unsigned* d_pixels = nullptr;
    unsigned side = 0, steps = 0;
};

/// What the grids of an image report. The caller sets it to 0.
struct MandelbrotTally {
    unsigned grids = 0, depth = 0;
};

struct MandelbrotArguments {
    MandelbrotImage image;
    MandelbrotTally* d_tally = nullptr;
    unsigned block_size = 256;
    cudaStream_t stream = nullptr;
};

/// Squares are split into mandelbrot_split x mandelbrot_split, unless the parts would be smaller than
/// mandelbrot_smallest; the side of those of the first level.
constexpr unsigned mandelbrot_split = 4, mandelbrot_smallest = 8;
constexpr unsigned mandelbrot_first_side(unsigned image_side) {
    unsigned side = 32;
    while (side < 256 && side * 16 < image_side) side *= 2;
    return side;
}

/// One thread per pixel; any block size.
LaunchShape launch_mandelbrot_pixels(const MandelbrotArguments& arguments);
/// The Mariani-Silver method; any block size.
LaunchShape launch_mandelbrot_squares(const MandelbrotArguments& arguments);

/// Intervals are divided into as many parts as a warp has lanes: [0, 1] first into 32^2, at most into 32^8.
constexpr unsigned quadrature_bits = 5, quadrature_parts = 1U << quadrature_bits;
constexpr unsigned quadrature_first = 2, quadrature_deepest = 8;
/// The relative error that an integral may have.
constexpr double quadrature_tolerance = 1e-6;
/// The most intervals in the list of one round.
constexpr unsigned quadrature_list = 65536;

/// What the grids of an integral report. The caller sets it to 0.
struct QuadratureTally {
    unsigned grids = 0, depth = 0;
    unsigned long long intervals = 0;  // that were tried
};

/// The integral of a peak over [0, 1].
struct QuadratureArguments {
    double sharpness = 1;   // the inverse of its width
    double allowed = 0;     // error of an interval
    unsigned shortest = 0;  // level of the intervals of quadrature_even
    double* d_sum = nullptr;
    QuadratureTally* d_tally = nullptr;
    size_t* d_lists = nullptr;     // for the rounds: two lists
    unsigned* d_counts = nullptr;  // for the rounds: one per level
    unsigned block_size = 256;     // of quadrature_even
    cudaStream_t stream = nullptr;
};

/// All of these add to *d_sum; the caller has set it and the counts to 0. The one with rounds waits for their end.
LaunchShape launch_quadrature_even(const QuadratureArguments& arguments);
LaunchShape launch_quadrature_rounds(const QuadratureArguments& arguments);
LaunchShape launch_quadrature_intervals(const QuadratureArguments& arguments);

}  // namespace BACKEND

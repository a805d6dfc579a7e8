#pragma once
// How the kernels of nested are launched. They launch kernels and are compiled as a unit of their own
// (tools/nested/device_launches.cu).
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// What all grids of a family leave behind: each adds its mark to its own place, so that one which has not run, or has
/// run twice, shows.
struct NestedArguments {
    unsigned* d_marks = nullptr;  // one per grid
    unsigned* d_error = nullptr;  // the last error of a launch by a kernel, a cudaError_t value; set by the caller to 0
    unsigned count = 0;           // grids, without the parent of all
    unsigned seed = 0;
    cudaStream_t stream = nullptr;
};

__host__ __device__ inline unsigned mark_of(unsigned seed, unsigned i) { return (seed ^ i * 0x9e3779b9U) | 1U; }

enum class NestedStream { null, fire_and_forget, tail_launch };

/// `count` grids of one thread, launched by the host, by one thread of a kernel, by a block each, or by a thread each.
LaunchShape launch_grids_from_host(const NestedArguments& arguments);
LaunchShape launch_grids_by_one_thread(const NestedArguments& arguments, NestedStream stream);
LaunchShape launch_grids_by_blocks(const NestedArguments& arguments);
LaunchShape launch_grids_by_threads(const NestedArguments& arguments);

/// Grids of one thread, each of which launches the next: the host the first, at depth 0, and so on to depth `count`, so
/// that there are count + 1 marks. With `tails` each begins when the one before has ended.
LaunchShape launch_chain(const NestedArguments& arguments, bool tails);

/// Who has greeted: the thread of a block, at this depth.
struct Greeting {
    unsigned depth, block, thread, threads;
};

/// Two blocks of so many threads greet, then one thread of each launches half as many, and so on to one. *d_count
/// greetings follow each other in d_greetings, in the order in which they were made.
void launch_hello(Greeting* d_greetings, unsigned* d_count, unsigned threads);

/// The Mandelbrot set on side x side pixels: the number of steps after which each point is known to be outside, at most
/// `steps`.
struct MandelbrotImage {
    unsigned* d_pixels = nullptr;
    unsigned side = 0, steps = 0;
};

/// What the grids of an image say of themselves. Set by the caller to 0.
struct MandelbrotTally {
    unsigned grids = 0, depth = 0;
};

struct MandelbrotArguments {
    MandelbrotImage image;
    MandelbrotTally* d_tally = nullptr;
    unsigned block_size = 256;
    cudaStream_t stream = nullptr;
};

/// Squares of the first level, and what they are divided into as long as that is worth a launch.
constexpr unsigned mandelbrot_split = 4, mandelbrot_smallest = 8;
constexpr unsigned mandelbrot_first_side(unsigned image_side) {
    unsigned side = 32;
    while (side < 256 && side * 16 < image_side) side *= 2;
    return side;
}

/// A thread per pixel; any block size.
LaunchShape launch_mandelbrot_pixels(const MandelbrotArguments& arguments);
/// Mariani and Silver's method; any block size.
LaunchShape launch_mandelbrot_squares(const MandelbrotArguments& arguments);

/// Intervals are divided into as many parts as a warp has lanes, [0, 1] first into 32^2, and none further than 32^8.
constexpr unsigned quadrature_bits = 5, quadrature_parts = 1U << quadrature_bits;
constexpr unsigned quadrature_first = 2, quadrature_deepest = 8;
/// The error that an integral may have, relative to it.
constexpr double quadrature_tolerance = 1e-6;
/// Intervals that a round of the host has room for.
constexpr unsigned quadrature_list = 65536;

/// What the grids of an integral say of themselves. Set by the caller to 0.
struct QuadratureTally {
    unsigned grids = 0, depth = 0;
    unsigned long long intervals = 0;  // that were tried
};

/// The integral of a peak over [0, 1].
struct QuadratureArguments {
    double sharpness = 1;   // its width is the inverse
    double allowed = 0;     // error of an interval
    unsigned shortest = 0;  // of the even ones: the level
    double* d_sum = nullptr;
    QuadratureTally* d_tally = nullptr;
    size_t* d_lists = nullptr;     // of rounds: two of them
    unsigned* d_counts = nullptr;  // of rounds: one for each level
    unsigned block_size = 256;     // of the even ones
    cudaStream_t stream = nullptr;
};

/// All of them add to *d_sum, which the caller has set to 0, as the counts. That of the rounds waits for their end.
LaunchShape launch_quadrature_even(const QuadratureArguments& arguments);
LaunchShape launch_quadrature_rounds(const QuadratureArguments& arguments);
LaunchShape launch_quadrature_intervals(const QuadratureArguments& arguments);

}  // namespace BACKEND

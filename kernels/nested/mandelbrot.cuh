// SPDX-License-Identifier: MIT
#pragma once
// Where launches from kernels pay off: some of the work must be done to know what is left. Regions of the plane whose
// points take the same number of steps have no holes, so a square with the same number all along its border is done
// (Mariani-Silver).
//   mandelbrot_pixels    one thread per pixel: every point of the set takes all the steps
//   mandelbrot_squares   removes most pixels: one block per square computes the border first; then it fills the square,
//                        or divides it into 4 x 4 by a launch, or, if it is small, computes it pixel by pixel
// (A filament of the set may enter a square between two pixels of its border: a few pixels can differ.)
#include "common/cuda/launch_shape.cuh"
#include "kernels/nested/dwell.cuh"
#include "kernels/nested/launches.cuh"

namespace BACKEND {

/// Any block size; grid ceil(side^2 / block).
__global__ void mandelbrot_pixels(MandelbrotImage image, MandelbrotTally* tally) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i == 0) tally->grids = 1;
    if (i >= static_cast<size_t>(image.side) * image.side) return;
    const auto x = static_cast<unsigned>(i % image.side), y = static_cast<unsigned>(i / image.side);
    image.d_pixels[i] = dwell_of_pixel(x, y, image.side, image.steps);
}

/// One block per square of `square` pixels a side, from (left, top) on; any block size.
__global__ void mandelbrot_squares(MandelbrotImage image, MandelbrotTally* tally, unsigned left, unsigned top,
                                   unsigned square, unsigned depth) {
    __shared__ unsigned lowest, highest;
    __shared__ bool is_divided;
    const unsigned x0 = left + blockIdx.x * square, y0 = top + blockIdx.y * square;
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) {
        atomicAdd(&tally->grids, 1U);
        atomicMax(&tally->depth, depth);
    }
    if (x0 >= image.side || y0 >= image.side) return;
    const unsigned width = min(square, image.side - x0), height = min(square, image.side - y0);
    const auto pixel = [&](unsigned x, unsigned y) -> unsigned& {
        return image.d_pixels[static_cast<size_t>(y0 + y) * image.side + x0 + x];
    };

    if (threadIdx.x == 0) lowest = image.steps, highest = 0, is_divided = false;
    __syncthreads();  // both are initialized before other threads lower and raise them
    unsigned own_lowest = image.steps, own_highest = 0;
    for (unsigned i = threadIdx.x; i < border_length(width, height); i += blockDim.x) {
        unsigned x, y;
        border_pixel(i, width, height, x, y);
        const unsigned steps = dwell_of_pixel(x0 + x, y0 + y, image.side, image.steps);
        own_lowest = min(own_lowest, steps), own_highest = max(own_highest, steps);
    }
    atomicMin(&lowest, own_lowest);
    atomicMax(&highest, own_highest);
    __syncthreads();  // both cover the whole border

    const bool is_filled = lowest >= highest;
    if (!is_filled && square / mandelbrot_split >= mandelbrot_smallest) {
        if (threadIdx.x == 0) {
            mandelbrot_squares<<<dim3(mandelbrot_split, mandelbrot_split), blockDim, 0, cudaStreamFireAndForget>>>(
                image, tally, x0, y0, square / mandelbrot_split, depth + 1);
            is_divided = cudaGetLastError() == cudaSuccess;  // otherwise too many launches are pending
        }
        __syncthreads();  // all threads learn whether the launch succeeded
        if (is_divided) return;
    }
    for (unsigned i = threadIdx.x; i < width * height; i += blockDim.x) {
        const unsigned x = i % width, y = i / width;
        pixel(x, y) = is_filled ? highest : dwell_of_pixel(x0 + x, y0 + y, image.side, image.steps);
    }
}

LaunchShape launch_mandelbrot_pixels(const MandelbrotArguments& arguments) {
    const size_t pixels = static_cast<size_t>(arguments.image.side) * arguments.image.side;
    const LaunchShape shape{dim3(grid_for(pixels, arguments.block_size)), dim3(arguments.block_size)};
    mandelbrot_pixels<<<shape.grid, shape.block, 0, arguments.stream>>>(arguments.image, arguments.d_tally);
    return shape;
}

LaunchShape launch_mandelbrot_squares(const MandelbrotArguments& arguments) {
    const unsigned square = mandelbrot_first_side(arguments.image.side);
    const unsigned squares = grid_for(arguments.image.side, square);
    const LaunchShape shape{dim3(squares, squares), dim3(arguments.block_size)};
    mandelbrot_squares<<<shape.grid, shape.block, 0, arguments.stream>>>(arguments.image, arguments.d_tally, 0, 0,
                                                                         square, 0);
    return shape;
}

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
#pragma once
// How kernels for one product, with a block per tile of C, are launched for products of any height and for batches.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

namespace BACKEND {

/// Calls launch(grid, arguments) for as many products, and as many of their rows, as a grid can count: columns of tiles
/// along x, rows along y, `most_products` or fewer along z. Returns what the first call returned.
template <typename T, typename Launch>
LaunchShape launch_tiles(const MatmulArguments<T>& all, unsigned tile_m, unsigned tile_n, Launch launch,
                         size_t most_products = 65535) {
    const size_t most_rows = size_t{65535} * tile_m;
    LaunchShape shape;
    for (size_t product = 0; product < all.batch; product += most_products)
        for (size_t row = 0; row < all.m; row += most_rows) {
            MatmulArguments<T> some = all;
            some.batch = std::min(all.batch - product, most_products), some.m = std::min(all.m - row, most_rows);
            some.d_a += product * all.stride_a + row * all.k;
            some.d_b += product * all.stride_b;
            some.d_c += product * all.stride_c + row * all.n;
            const dim3 grid(grid_for(all.n, tile_n), grid_for(some.m, tile_m), static_cast<unsigned>(some.batch));
            const LaunchShape launched = launch(grid, some);
            if (!shape.kernel) shape = launched;
        }
    return shape;
}

/// The same with a launch for each product of a batch.
template <typename T, typename Launch>
LaunchShape launch_each(const MatmulArguments<T>& all, unsigned tile_m, unsigned tile_n, Launch launch) {
    return launch_tiles(all, tile_m, tile_n, launch, 1);
}

/// From one product's matrices to the next one's, in elements.
struct Strides {
    size_t a, b, c;
};
template <typename T>
Strides strides_of(const MatmulArguments<T>& arguments) {
    return {arguments.stride_a, arguments.stride_b, arguments.stride_c};
}

/// The products of a batch along z: Tile::multiply() computes the block's tile of one.
template <typename Tile, typename T>
__global__ void __launch_bounds__(Tile::threads, Tile::resident)
    matmul_batch(const T* a, const T* b, T* c, size_t m, size_t n, size_t k, Strides strides) {
    const size_t product = blockIdx.z;
    Tile::multiply(a + product * strides.a, b + product * strides.b, c + product * strides.c, m, n, k);
}

template <typename Tile, typename T>
LaunchShape launch_batch(const dim3& grid, const MatmulArguments<T>& of) {
    matmul_batch<Tile><<<grid, Tile::threads, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k, strides_of(of));
    return {grid, dim3(Tile::threads), 0, address_of(matmul_batch<Tile, T>)};
}

/// A grid with the columns of tiles along x and the rows along y, continued along z if y cannot count them all.
inline dim3 grid_of_tiles(size_t tile_rows, size_t tile_columns) {
    constexpr size_t most_along_y = 32768;
    const size_t along_y = tile_rows < most_along_y ? tile_rows : most_along_y;
    return dim3(static_cast<unsigned>(tile_columns), static_cast<unsigned>(along_y),
                static_cast<unsigned>(divide_up(tile_rows, along_y)));
}
/// The block's row of tiles in it.
__device__ inline size_t row_of_tiles() { return static_cast<size_t>(blockIdx.z) * gridDim.y + blockIdx.y; }

}  // namespace BACKEND

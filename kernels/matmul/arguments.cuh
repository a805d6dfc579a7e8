#pragma once
// The arguments of every launch of a matrix product, and the order in which its tiles are worked on.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// C (m x n) = A (m x k) * B (k x n), all row-major without gaps and in device memory, aligned to 16 bytes; C overlaps
/// neither input. m, n and k are at least 1 and at most 2^31 - 512, so that an int holds the end of the last tile, too;
/// their products may be larger.
template <typename T> struct MatmulArguments {
    const T* d_a = nullptr;
    const T* d_b = nullptr;
    T* d_c = nullptr;
    size_t m = 0, n = 0, k = 0;
    void* d_workspace = nullptr; // as many bytes as the launch's workspace function says, aligned to 256
    void* d_partials = nullptr;  // partial_sums_bytes(), aligned to 256; zeroed once, and zero again after each launch
    unsigned multiprocessors = 1;
    unsigned block_size = 256; // used by the kernels of one element a thread
    cudaStream_t stream = nullptr;
};

/// Tiles are numbered so that blocks which run at the same time share rows of A and columns of B in the L2 cache: down
/// `group` tiles, then one to the right, until the band of that height is finished. Each kernel has the height that was
/// fastest.
struct TileOrder {
    unsigned tiles_m, tiles_n, group;

    /// Bands of about equal height, at most `highest`: in a band of few rows every block would read columns of B of its
    /// own. `together`: so many tiles that follow each other, from a multiple of it, lie below each other, the last
    /// perhaps beyond the matrix.
    TileOrder(unsigned rows, unsigned columns, unsigned highest, unsigned together = 1) : tiles_n(columns) {
        const auto sets = static_cast<unsigned>(divide_up(rows, together)),
                   bands = static_cast<unsigned>(divide_up(sets * together, highest));
        tiles_m = sets * together;
        group = static_cast<unsigned>(divide_up(sets, bands)) * together;
    }

    __host__ __device__ unsigned tiles() const { return tiles_m * tiles_n; }

    /// How many of them are this block's, if it takes every gridDim.x-th.
    __device__ unsigned own_tiles() const { return (tiles() - blockIdx.x + gridDim.x - 1) / gridDim.x; }

    __device__ void place(unsigned tile, unsigned& tile_row, unsigned& tile_column) const {
        const unsigned band_tiles = group * tiles_n;
        const unsigned first_row = tile / band_tiles * group;
        const unsigned rows = tiles_m - first_row < group ? tiles_m - first_row : group;
        tile_row = first_row + tile % band_tiles % rows;
        tile_column = tile % band_tiles / rows;
    }
};

} // namespace BACKEND

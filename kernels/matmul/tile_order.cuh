#pragma once
// The order in which blocks work on the tiles of a product.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Tiles are numbered so that blocks which run at the same time share rows of A and columns of B in the L2 cache: down
/// `group` tiles, then one to the right, until the band of that height is finished. Each kernel uses the height that
/// was fastest.
struct TileOrder {
    unsigned tiles_m, tiles_n, group;

    /// Bands of about equal height, at most `highest`: in a band of few rows every block would read columns of B of its
    /// own. `together`: tiles with consecutive numbers, in sets of so many, lie below each other, and the last of a set
    /// may lie beyond the matrix.
    TileOrder(unsigned rows, unsigned columns, unsigned highest, unsigned together = 1) : tiles_n(columns) {
        const auto sets = static_cast<unsigned>(divide_up(rows, together)),
                   bands = static_cast<unsigned>(divide_up(sets * together, highest));
        tiles_m = sets * together;
        group = static_cast<unsigned>(divide_up(sets, bands)) * together;
    }

    __host__ __device__ unsigned tiles() const { return tiles_m * tiles_n; }

    /// How many of them block `block` has where it takes every `blocks`-th.
    __host__ __device__ unsigned tiles_of(unsigned block, unsigned blocks) const {
        return (tiles() - block + blocks - 1) / blocks;
    }

    __host__ __device__ void place(unsigned tile, unsigned& tile_row, unsigned& tile_column) const {
        const unsigned band_tiles = group * tiles_n;
        const unsigned first_row = tile / band_tiles * group;
        const unsigned rows = tiles_m - first_row < group ? tiles_m - first_row : group;
        tile_row = first_row + tile % band_tiles % rows;
        tile_column = tile % band_tiles / rows;
    }
};

}  // namespace BACKEND

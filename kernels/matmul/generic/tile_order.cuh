// SPDX-License-Identifier: MIT
#pragma once
// The order in which blocks work on the tiles of a product.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// The index of a product in its batch: an int, or nothing in the kernels that are compiled for one product.
struct OnlyProduct {};
template <bool many>
using ProductNumber = std::conditional_t<many, int, OnlyProduct>;

/// Where that product's matrix begins; consecutive matrices are `stride` elements apart.
template <typename T>
__device__ inline T* matrix_of(OnlyProduct, T* matrices, size_t) {
    return matrices;
}
template <typename T>
__device__ inline T* matrix_of(int product, T* matrices, size_t stride) {
    return matrices + static_cast<size_t>(product) * stride;
}

/// A number below `count` that differs as much as possible for neighboring `number`s.
__host__ __device__ inline unsigned spread(unsigned number, unsigned count) {
    constexpr unsigned golden_ratio = 0x9e3779b9;  // of 2^32: its multiples are spread evenly
    return static_cast<unsigned>(static_cast<std::uint64_t>(number * golden_ratio) * count >> 32);
}

/// Tiles are numbered so that blocks which run at the same time share rows of A and columns of B in the L2 cache: down
/// `group` tiles, then one to the right, until the band of that height is finished; then the next band. Each kernel
/// uses the height that was fastest, for all its tiles or for some.
struct TileOrder {
    unsigned tiles_m, tiles_n, group, together, products;  // the tiles of one product come before those of the next

    /// Bands of about equal height, at most `highest` tiles: a low last band would share few columns of B. `together`:
    /// every set of this many consecutive tiles lies in one column; the last tiles of a set may lie beyond the matrix.
    TileOrder(unsigned rows, unsigned columns, unsigned highest, unsigned together_ = 1, size_t products_ = 1)
        : tiles_n(columns), together(together_), products(static_cast<unsigned>(products_)) {
        const auto sets = static_cast<unsigned>(divide_up(rows, together)),
                   bands = static_cast<unsigned>(divide_up(sets * together, highest));
        tiles_m = sets * together;
        group = static_cast<unsigned>(divide_up(sets, bands)) * together;
    }

    __host__ __device__ unsigned tiles_of_product() const { return tiles_m * tiles_n; }
    __host__ __device__ unsigned tiles() const { return tiles_of_product() * products; }

    /// How many tiles block `block` has if it takes every `blocks`-th.
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
    __host__ __device__ void place(unsigned tile, unsigned& tile_row, unsigned& tile_column, OnlyProduct) const {
        place(tile, tile_row, tile_column);
    }
    /// In a batch, the first set of tiles differs from product to product. Where a product's tiles divide the number of
    /// blocks, a block would else have the same tile of all its products, a whole one or one that hardly exists.
    __host__ __device__ void place(unsigned tile, unsigned& tile_row, unsigned& tile_column, int& product) const {
        const unsigned of_product = tiles_of_product(), number = tile / of_product, first = spread(number, of_product);
        product = static_cast<int>(number);
        place((tile + first / together * together) % of_product, tile_row, tile_column);
    }
};

/// The same with rows and columns exchanged: every set of `together` consecutive tiles lies side by side. (The members
/// that count rows and columns are those of the exchanged grid.)
struct TileOrderAcross : TileOrder {
    TileOrderAcross(unsigned rows, unsigned columns, unsigned widest, unsigned together_, size_t products_ = 1)
        : TileOrder(columns, rows, widest, together_, products_) {}

    template <typename Product>
    __host__ __device__ void place(unsigned tile, unsigned& tile_row, unsigned& tile_column, Product& product) const {
        TileOrder::place(tile, tile_column, tile_row, product);
    }
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
#pragma once
// What a kernel is compiled for: the layouts of A and B, and whether it computes one product or many. Both are types,
// so that no loop tests them.
//   RowMajor, ColumnMajor     the layout of an operand: ColumnMajor with --transpose and for Fortran order
//   OneProduct, ManyProducts  which matrices a block works on: the only ones, or those that its z index selects
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// `pad`: padding, in elements, of a tile's rows in shared memory. In a column-major layout, lanes read neighbors from
/// global memory and store them down a column of the tile; the odd row length keeps them in different banks.
struct RowMajor {
    static constexpr bool transposed = false;
    static constexpr int pad = 0;
    __device__ static size_t index(size_t row, size_t column, size_t, size_t columns) { return row * columns + column; }
};
struct ColumnMajor {
    static constexpr bool transposed = true;
    static constexpr int pad = 1;
    __device__ static size_t index(size_t row, size_t column, size_t rows, size_t) { return column * rows + row; }
};

/// A grid with the columns of tiles along x and the rows along y, continued along z if y cannot count them all.
inline dim3 grid_of_tiles(size_t tile_rows, size_t tile_columns) {
    constexpr size_t most_along_y = 32768;
    const size_t along_y = tile_rows < most_along_y ? tile_rows : most_along_y;
    return dim3(static_cast<unsigned>(tile_columns), static_cast<unsigned>(along_y),
                static_cast<unsigned>(divide_up(tile_rows, along_y)));
}

/// The last parameter of a kernel. select(), to be called first, moves pointers from the first product's matrices to
/// those of the block's product. block_row() is the block's row of tiles in a grid_of_tiles().
struct OneProduct {
    template <typename T, typename Result>
    __device__ static void select(const T*&, const T*&, Result*&) {}
    __device__ static size_t block_row() { return static_cast<size_t>(blockIdx.z) * gridDim.y + blockIdx.y; }
};
struct ManyProducts {
    size_t stride_a, stride_b, stride_c;
    unsigned along_z;  // blocks of one product

    template <typename T, typename Result>
    __device__ void select(const T*& a, const T*& b, Result*& c) const {
        const size_t product = blockIdx.z / along_z;
        a += product * stride_a;
        b += product * stride_b;
        c += product * stride_c;
    }
    __device__ size_t block_row() const { return static_cast<size_t>(blockIdx.z % along_z) * gridDim.y + blockIdx.y; }
};

/// Calls launch(arguments, grid, products) repeatedly, each time for as many products of a batch as z can count; `grid`
/// is the grid of one product. Returns what the last call returned.
template <typename T, typename Launch>
LaunchShape launch_many(const MatmulArguments<T>& arguments, const dim3& grid, Launch launch) {
    constexpr unsigned most_along_z = 65535;
    const size_t at_once = most_along_z / grid.z;
    MatmulArguments<T> some = arguments;
    LaunchShape shape;
    for (size_t left = arguments.batch; left > 0; left -= some.batch) {
        some.batch = left < at_once ? left : at_once;
        const dim3 whole_grid(grid.x, grid.y, static_cast<unsigned>(grid.z * some.batch));
        shape = launch(some, whole_grid, ManyProducts{some.stride_a, some.stride_b, some.stride_c, grid.z});
        some.d_a += some.batch * some.stride_a;
        some.d_b += some.batch * some.stride_b;
        some.d_c += some.batch * some.stride_c;
    }
    return shape;
}

/// Calls launch(layout of A, layout of B).
template <typename T, typename Launch>
LaunchShape with_layouts(const MatmulArguments<T>& arguments, Launch launch) {
    if (arguments.a_transposed)
        return arguments.b_transposed ? launch(ColumnMajor{}, ColumnMajor{}) : launch(ColumnMajor{}, RowMajor{});
    return arguments.b_transposed ? launch(RowMajor{}, ColumnMajor{}) : launch(RowMajor{}, RowMajor{});
}

/// launch_many(), or launch(arguments, grid, OneProduct{}) for a batch of one.
template <typename T, typename Launch>
LaunchShape launch_batch(const MatmulArguments<T>& arguments, const dim3& grid, Launch launch) {
    return arguments.batch == 1 ? launch(arguments, grid, OneProduct{}) : launch_many(arguments, grid, launch);
}

/// Both: calls launch(arguments, grid, layout of A, layout of B, products). One product with transposed operands is
/// launched as a batch of one, so that kernels are compiled five times, not eight.
template <typename T, typename Launch>
LaunchShape launch_in_any_layout(const MatmulArguments<T>& arguments, const dim3& grid, Launch launch) {
    if (arguments.batch == 1 && !arguments.a_transposed && !arguments.b_transposed)
        return launch(arguments, grid, RowMajor{}, RowMajor{}, OneProduct{});
    return with_layouts(arguments, [&](auto a, auto b) {
        return launch_many(arguments, grid, [&](const auto& some, const dim3& whole_grid, auto products) {
            return launch(some, whole_grid, a, b, products);
        });
    });
}

}  // namespace BACKEND

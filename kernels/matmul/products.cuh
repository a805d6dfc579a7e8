#pragma once
// What a kernel is compiled for: how A and B lie in memory, and whether it computes one product or many. Both are
// types, so that no loop asks for them.
//   RowMajor, ColumnMajor     the layout of an operand: ColumnMajor is what --transpose and Fortran's order make of it
//   OneProduct, ManyProducts  which matrices a block works on: the only ones, or those of its place along z
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// `pad`: elements to add to the rows of a tile in shared memory. Lanes that read neighbours from global memory store
/// them below each other where the layout is by columns; rows of an odd length keep them in different banks.
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

/// A grid of tiles with its columns along x. Rows go along y, and on along z where they are more than y can count.
inline dim3 grid_of_tiles(size_t tile_rows, size_t tile_columns) {
    constexpr size_t most_along_y = 32768;
    const size_t along_y = tile_rows < most_along_y ? tile_rows : most_along_y;
    return dim3(static_cast<unsigned>(tile_columns), static_cast<unsigned>(along_y),
                static_cast<unsigned>(divide_up(tile_rows, along_y)));
}

/// The last parameter of a kernel. The block's row of tiles in such a grid, and, before all else, select(): pointers to
/// the first product's matrices become pointers to those of the block's product.
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

/// Calls launch(arguments, grid, products) for as many products of a batch as z can count at once; `grid` is that of
/// one. Returns what the last call returned.
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

/// The same, or a call for one product.
template <typename T, typename Launch>
LaunchShape launch_batch(const MatmulArguments<T>& arguments, const dim3& grid, Launch launch) {
    return arguments.batch == 1 ? launch(arguments, grid, OneProduct{}) : launch_many(arguments, grid, launch);
}

/// Both: launch(arguments, grid, layout of A, layout of B, products). One product with transposed operands is a batch
/// of one: kernels are compiled five times, not eight.
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

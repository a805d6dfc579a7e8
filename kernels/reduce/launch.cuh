#pragma once
// What the launch functions of the reductions share: their arguments, the recursion over block partials, and the
// choice of a compile-time block size at run time.
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

/// Reduce n elements of d_input into *d_result, on `stream`.
/// d_input: aligned as T is, not more. It is read only, except by the in-place kernels, which say so.
/// d_workspace: workspace_bytes bytes, 16-byte aligned, at least what the kernel's workspace function asks for. It is
///     ZEROED ONCE by the caller after allocation (some kernels keep a counter or flags there); every kernel leaves
///     it fit for its own next launch of any size, but not for another kernel's. Launches that share a workspace
///     must not overlap.
/// block_size: a wish, 1 to 1024; each kernel says how it rounds it. multiprocessors: of the device in use.
template <typename T> struct ReduceArguments {
    const T* d_input = nullptr;
    size_t n = 0;
    T* d_result = nullptr;
    void* d_workspace = nullptr;
    size_t workspace_bytes = 0;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

/// One thread: the value that atomic kernels add to.
template <typename T, typename Operator> __global__ void store_identity(T* result) { *result = Operator::identity(); }

/// Reduces by repeated launches: the input to one partial per block, then the partials, until one value remains.
/// grid_of(n) is the number of blocks of a pass over n values: at least 1, and fewer than n if n > 1.
/// launch_pass(input, n, output, grid) launches one pass. Returns the grid of the first pass.
/// A launch is the only barrier between blocks that these kernels know: that is why they need more than one.
template <typename T, typename GridOf, typename LaunchPass>
unsigned reduce_in_passes(const ReduceArguments<T>& arguments, GridOf grid_of, LaunchPass launch_pass) {
    const T* input = arguments.d_input;
    size_t n = arguments.n;
    T* free_workspace = static_cast<T*>(arguments.d_workspace);
    unsigned first_grid = 0;
    for (;;) {
        const unsigned grid = grid_of(n);
        if (first_grid == 0) first_grid = grid;
        T* output = grid == 1 ? arguments.d_result : free_workspace;
        launch_pass(input, n, output, grid);
        if (grid == 1) return first_grid;
        input = output;
        n = grid;
        free_workspace += grid;
    }
}

/// Bytes of workspace for reduce_in_passes: the partials of all passes but the last.
template <typename T, typename GridOf> size_t passes_workspace(size_t n, GridOf grid_of) {
    size_t partials = 0;
    for (unsigned grid = grid_of(n); grid > 1; grid = grid_of(grid)) partials += grid;
    return partials * sizeof(T);
}

/// Calls action(std::integral_constant<unsigned, S>) with S = block_size: a power of two from 64 to 1024.
template <unsigned candidate = largest_block, typename Action>
void with_static_block_size(unsigned block_size, Action action) {
    if constexpr (candidate == 64) {
        action(std::integral_constant<unsigned, candidate>{});
    } else if (block_size >= candidate) {
        action(std::integral_constant<unsigned, candidate>{});
    } else {
        with_static_block_size<candidate / 2>(block_size, action);
    }
}

} // namespace BACKEND

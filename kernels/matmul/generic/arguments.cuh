// SPDX-License-Identifier: MIT
#pragma once
// The arguments of every launch of a matrix product. The ladders, each from slow to fast:
//   f32          naive, tiled, register_tile, vectorized, async, hopper/f32, hopper/f32_transposed
//   f64          naive, tiled, register_tile, hopper/f64
//   f16, bf16    wmma, hopper/mma, hopper/overlapped, hopper/fitted; hopper/transposed_product for middle sizes,
//                hopper/clustered for rows that are slow to read
//   tf32         wmma, hopper/tf32; hopper/tf32_row_sets for rows that begin anywhere, hopper/tf32_split_k for few
//                rows; hopper/tf32x3 with nearly f32's accuracy
//   8-bit floats float8/plain, hopper/float8
// For special shapes: thin/, batched, hopper/f32_groups (many small products), hopper/direct (short products).
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// The element type of C for an element type of A and B. (float8/types.cuh has those where they differ.)
template <typename T>
struct ResultOf {
    using Type = T;
};

/// Distance in floats from A's scale to B's: cuBLASLt refuses a product (status 15) if either is not 16-byte aligned.
constexpr size_t scale_step = 4;

/// Which tiles a kernel shares among blocks, and how: see hopper/stream_k.cuh.
struct StreamKSharing {
    unsigned shares = 0;     // into which the tiles of the last, partial wave are cut; 0: a block each
    bool with_wave = false;  // together with those of a whole wave
    bool exchanges = false;  // whether blocks can exchange their sums
    bool side_by_side = false;
};

/// C (m x n) = A (m x k) * B (k x n), all row-major without gaps, in device memory, 16-byte aligned; C overlaps neither
/// input. m, n and k are at least 1 and at most 2^31 - 512, so that an int also holds the end of the last tile; their
/// products may be larger.
/// The matrices may be stored transposed: A as k x m, B as n x k, C as n x m, row-major. In a batch, the matrices of
/// product i begin i strides after the first ones; strides are multiples of 16 bytes. A launch without takes_transposed
/// ignores those members.
///
/// The type of a kernel with one tile size, Tile, has
///     Element                    float, double, __half, __nv_bfloat16, __nv_fp8_e4m3 or __nv_fp8_e5m2
///     tile                       its TileSize
///     enqueue(arguments)         enqueues the product, or all products of a batch; returns the launch shape
///     takes_transposed           true if it takes A and B as they are stored; not declared if it cannot
template <typename T>
struct MatmulArguments {
    using Result = typename ResultOf<T>::Type;

    const T* d_a = nullptr;
    const T* d_b = nullptr;
    Result* d_c = nullptr;
    size_t m = 0, n = 0, k = 0;
    void* d_workspace = nullptr;  // as many bytes as the launch's workspace function says, aligned to 256
    void* d_partials = nullptr;   // partial_sums_bytes(), aligned to 256; zeroed once, and zero again after each launch
    unsigned multiprocessors = 1;
    unsigned block_size = 256;  // used by the kernels with one element per thread
    cudaStream_t stream = nullptr;
    StreamKSharing sharing = {};
    size_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;  // strides in elements
    bool a_transposed = false, b_transposed = false;
    const float* d_scales = nullptr;  // 8-bit types: A's elements are scaled by [0], B's by [scale_step]
    bool c_transposed = false;
    unsigned clusters = 1;  // of hopper/clustered: how many of its clusters of blocks run at once

    /// The same for elements of type U.
    template <typename U>
    MatmulArguments<U> as() const {
        return {static_cast<const U*>(d_a),
                static_cast<const U*>(d_b),
                static_cast<typename ResultOf<U>::Type*>(d_c),
                m,
                n,
                k,
                d_workspace,
                d_partials,
                multiprocessors,
                block_size,
                stream,
                sharing,
                batch,
                stride_a,
                stride_b,
                stride_c,
                a_transposed,
                b_transposed,
                d_scales,
                c_transposed,
                clusters};
    }
};

/// The tile of C that a block computes, and the steps along k that it loads at once (0: it loads single elements).
struct TileSize {
    unsigned m = 0, n = 0, k = 0;
};

}  // namespace BACKEND

#pragma once
// The arguments of every launch of a matrix product.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// The type of C's elements, for a type of A's and B's. (float8/types.cuh has those where it is another.)
template <typename T>
struct ResultOf {
    using Type = T;
};

/// Floats from A's scale to B's: cuBLASLt refuses a product (status 15) if either is not aligned to 16 bytes.
constexpr size_t scale_step = 4;

/// C (m x n) = A (m x k) * B (k x n), all row-major without gaps and in device memory, aligned to 16 bytes; C overlaps
/// neither input. m, n and k are at least 1 and at most 2^31 - 512, so that an int holds the end of the last tile, too;
/// their products may be larger.
/// A and B may lie transposed: A as k x m, B as n x k, row-major. In a batch, the matrices of product i begin i strides
/// after the first ones; strides are multiples of 16 bytes. A launch that cannot take one or the other does not look.
///
/// The type of a kernel with one tile size, Tile, has
///     Element                    float, double, __half, __nv_bfloat16, __nv_fp8_e4m3 or __nv_fp8_e5m2
///     tile                       its TileSize
///     enqueue(arguments)         enqueues the product, and returns how
///     takes_batch, takes_transposed   true; it has neither name if it cannot
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
    unsigned block_size = 256;  // used by the kernels of one element a thread
    cudaStream_t stream = nullptr;
    unsigned stream_k_shares = 0;  // not 0: where Stream-K may share tiles, it cuts the last wave into so many shares
    size_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;  // strides in elements
    bool a_transposed = false, b_transposed = false;
    const float* d_scales = nullptr;  // of the 8-bit types: A's elements times [0], and B's times [scale_step]

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
                stream_k_shares,
                batch,
                stride_a,
                stride_b,
                stride_c,
                a_transposed,
                b_transposed,
                d_scales};
    }
};

/// The tile of C that a block computes, and the steps along k that it loads at once; 0 where it loads single elements.
struct TileSize {
    unsigned m = 0, n = 0, k = 0;
};

}  // namespace BACKEND

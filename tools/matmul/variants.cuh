// SPDX-License-Identifier: MIT
// The tables of matmul: what each variant is, and how it multiplies.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "kernels/matmul/async.cuh"
#include "kernels/matmul/batched.cuh"
#include "kernels/matmul/float8/plain.cuh"
#include "kernels/matmul/naive.cuh"
#include "kernels/matmul/register_tile.cuh"
#include "kernels/matmul/tiled.cuh"
#include "kernels/matmul/vectorized.cuh"
#include "tools/matmul/columns.cuh"
#include "tools/matmul/host_product.hpp"
#include "tools/matmul/method.cuh"
#include "tools/matmul/options.hpp"
#include "tools/matmul/thin.cuh"
#ifndef __SIMCC__
#include "kernels/matmul/wmma.cuh"
#include "tools/matmul/hopper/direct.cuh"
#include "tools/matmul/hopper/float8.cuh"
#include "tools/matmul/hopper/list.cuh"
#include "tools/matmul/hopper/tiles.cuh"
#include "tools/matmul/peers.cuh"
#endif

namespace BACKEND {

using FindMethod = ProductMethod(const ProductProblem&);
using FindTiles = std::vector<std::string>(const ProductProblem&);

struct MatmulVariant : Variant {
    FindMethod* method = nullptr;              // on the device; nullptr for a variant that this build lacks
    bool for_fastest = false;                  // whether `fastest` may choose it
    void (HostProduct::*on_host)() = nullptr;  // of those that need the host
    bool (*host_has)(DType dtype) = nullptr;   // nullptr: every host has it for every type
    FindTiles* tiles = nullptr;                // that --tile can name; nullptr if there is no choice
};

template <template <typename> class Tile>
ProductMethod for_f32_and_f64(const ProductProblem& problem) {
    if (problem.dtype == DType::f32) return method_of<Tile<float>>();
    if (problem.dtype == DType::f64) return method_of<Tile<double>>();
    return {};
}
template <typename Tile>
ProductMethod for_f32(const ProductProblem& problem) {
    return problem.dtype == DType::f32 ? method_of<Tile>() : ProductMethod{};
}

template <template <typename> class Tile>
ProductMethod for_float8(const ProductProblem& problem) {
    if (problem.dtype == DType::e4m3) return method_of<Tile<__nv_fp8_e4m3>>();
    if (problem.dtype == DType::e5m2) return method_of<Tile<__nv_fp8_e5m2>>();
    return {};
}
// The first method if there is one for the problem's type, else the second.
template <FindMethod* first, FindMethod* second>
ProductMethod either(const ProductProblem& problem) {
    const ProductMethod method = first(problem);
    return method.launch ? method : second(problem);
}

template <typename T>
using MatmulTiled8 = MatmulTiled<T, 8>;
template <typename T>
using MatmulTiled16 = MatmulTiled<T, 16>;
template <typename T>
using MatmulTiled32 = MatmulTiled<T, 32>;

inline ProductMethod async_method(const ProductProblem& problem) {
    const bool large = async_tile_is_large(problem.shape.m, problem.shape.n, problem.form.products(),
                                           size_t(problem.device->multiprocessors));
    return large ? for_f32<MatmulAsync<LargeAsyncShape>>(problem) : for_f32<MatmulAsync<SmallAsyncShape>>(problem);
}

ProductMethod fastest_method(const ProductProblem& problem);

// The smallest tile that holds a product of a batch.
template <typename T>
ProductMethod small_batched_method(size_t side) {
    if (side <= 16) return method_of<MatmulBatched<T, 16>>();
    return side <= 32 ? method_of<MatmulBatched<T, 32>>() : method_of<MatmulBatched<T, 64>>();
}

#ifndef __SIMCC__
// If a build has no code for a device, the driver compiles older PTX for it, which lacks newer devices' instructions:
// what counts is the capability that the kernel was compiled for, not the device's.
template <typename T>
ProductMethod wmma_on() {
    cudaFuncAttributes attributes = {};
    if (cudaFuncGetAttributes(&attributes, matmul_wmma<T, OneProduct>) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return {};
    }
    return attributes.ptxVersion >= WmmaType<T>::least_capability ? method_of<MatmulWmma<T>>() : ProductMethod{};
}
inline ProductMethod wmma_method(const ProductProblem& problem) {
    switch (problem.dtype) {
        case DType::f16: return wmma_on<__half>();
        case DType::bf16: return wmma_on<__nv_bfloat16>();
        case DType::tf32: return wmma_on<float>();
        default: return {};
    }
}
#else
constexpr FindMethod *wmma_method = nullptr, *direct_method = nullptr, *any_hopper_method = nullptr,
                     *float8_fast_accum_method = nullptr, *tf32x3_method = nullptr, *cublas_method = nullptr,
                     *cublaslt_method = nullptr, *cublaslt_fast_accum_method = nullptr, *cublasxt_method = nullptr;
constexpr FindTiles *any_hopper_keys = nullptr, *float8_fast_accum_keys = nullptr, *tf32x3_keys = nullptr,
                    *direct_keys = nullptr;
#endif

// For a batch: up to 64 rows and columns, a tile is a whole product; beyond, and on tensor cores, the grid's z is the
// product.
inline ProductMethod batched_method(const ProductProblem& problem) {
    if (problem.form.products() < 2) return {};
    const size_t side = std::max(problem.shape.m, problem.shape.n);
    if (problem.dtype == DType::f32) return side <= 64 ? small_batched_method<float>(side) : async_method(problem);
    if (problem.dtype == DType::f64)
        return side <= 64 ? small_batched_method<double>(side) : method_of<MatmulRegister2d<double>>();
#ifndef __SIMCC__
    return wmma_method(problem);
#else
    return {};
#endif
}

inline const MatmulVariant matmul_variants[] = {
    {{"cpu", "one core, sums in double", Needs::host}, nullptr, false, &HostProduct::multiply_on_one_core},
    {{"cpu-parallel", "all cores, in blocks that fit their caches", Needs::host},
     nullptr,
     false,
     &HostProduct::multiply_on_all_cores},
    {{"openblas", "the CPU's peer: OpenBLAS, where it is installed", Needs::host},
     nullptr,
     false,
     &HostProduct::multiply_with_openblas,
     openblas_has},
    {{"naive-uncoalesced", "a thread per element, the row from x: lanes read elements n apart"},
     for_f32_and_f64<MatmulUncoalesced>},
    {{"naive", "the column from x: neighboring lanes read neighbors"},
     either<for_f32_and_f64<MatmulNaive>, for_float8<MatmulFloat8Naive>>},
    {{"tiled-8", "squares of 8 in shared memory: an eighth of the global loads"}, for_f32_and_f64<MatmulTiled8>},
    {{"tiled-16", "squares of 16"}, for_f32_and_f64<MatmulTiled16>},
    {{"tiled-32", "squares of 32"}, either<for_f32_and_f64<MatmulTiled32>, for_float8<MatmulFloat8Tiled>>},
    {{"tiled-corner", "loads rearranged: every warp reads 128 consecutive bytes of A and of B"},
     for_f32_and_f64<MatmulTiledCorner>},
    {{"register-1d", "8 elements a thread: one load of B from shared memory serves 8 multiply-adds"},
     for_f32_and_f64<MatmulRegister1d>},
    {{"register-2d", "8 x 8 elements a thread: 16 loads for 64 multiply-adds"},
     for_f32_and_f64<MatmulRegister2d>,
     true},
    {{"vectorized", "16-byte loads, A transposed in shared memory"},
     either<for_f32<MatmulVectorized>, for_float8<MatmulFloat8Vectorized>>,
     true},
    {{"warp-tile", "lanes lie 8 x 4 in their warp's tile: fewer words to read, and from different banks"},
     for_f32<MatmulWarpTile>},
    {{"async", "copies run ahead without passing through registers: a ring of three stages"}, async_method, true},
    {{"wmma", "tensor cores by the portable interface: f16, bf16, tf32", Needs::gpu}, wmma_method, true},
    {{"hopper", "TMA copies and specialized warps; tensor cores read shared memory themselves", Needs::gpu},
     any_hopper_method,
     true,
     nullptr,
     nullptr,
     any_hopper_keys},
    {{"hopper-fast-accum", "8-bit floats, all sums in the tensor cores' registers: faster, less exact", Needs::gpu},
     float8_fast_accum_method,
     false,
     nullptr,
     nullptr,
     float8_fast_accum_keys},
    {{"direct", "rows of any alignment in one launch, clusters share k: for products of a few microseconds",
      Needs::gpu},
     direct_method,
     true,
     nullptr,
     nullptr,
     direct_keys},
    {{"thin",
      "few rows, columns or steps: wide accesses to the largest matrix, however aligned; few of all: dot products"},
     thin_method,
     true,
     nullptr,
     nullptr,
     thin_keys},
    {{"tf32x3", "f32 on tensor cores: a factor is two tf32 numbers, a product three; nearly f32's accuracy",
      Needs::gpu},
     tf32x3_method,
     false,
     nullptr,
     nullptr,
     tf32x3_keys},
    {{"batched", "for --batch: a block for each small product or several, tiles along z for larger ones"},
     batched_method},
    {{"fastest", "the best of these for the shape, type and device; --explain says which"}, fastest_method},
    {{"cublas", "the peer: cuBLAS, where it is installed; f32 without tensor cores", Needs::gpu, "", true},
     cublas_method},
    {{"cublaslt", "the stronger peer: cuBLASLt, the fastest algorithm that its heuristic offers", Needs::gpu, "", true},
     cublaslt_method},
    {{"cublaslt-fast-accum", "the same for 8-bit floats, with fast accumulation", Needs::gpu, "", true},
     cublaslt_fast_accum_method},
    {{"cublasxt", "the peer of --gang: cuBLASXt, its matrices on the first device", Needs::gpu, "", true},
     cublasxt_method},
};

inline const Program matmul_program = {
    .name = "matmul",
    .summary =
        "Multiplies two matrices: a benchmark from the textbook's kernel to tensor cores, or a filter over A and B "
        "(files, or - for one).",
    .operands = "[A B]",
    .examples = {"matmul -n 64 -k 'naive,tiled-*,fastest'", "matmul --shape 2x2x2 <(seq 4) <(seq 4)"},
    .most_operands = 2,
    .dtypes = {DType::f32, DType::f64, DType::tf32, DType::bf16, DType::f16, DType::e4m3, DType::e5m2},
    .variants = variants_of(matmul_variants),
    .options = own_options<MatmulOptions>,
    .columns = columns_of(matmul_columns),
    .gangs = Gangs::on_request,
};

}  // namespace BACKEND

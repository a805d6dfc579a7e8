// SPDX-License-Identifier: MIT
// The tables of matmul: what each variant is, and how it multiplies.
#pragma once

#include <algorithm>
#include <type_traits>

#include "common/cli/program.hpp"
#include "common/gang/join.hpp"
#include "kernels/matmul/float8/plain.cuh"
#include "kernels/matmul/generic/batched.cuh"
#include "kernels/matmul/textbook/async.cuh"
#include "kernels/matmul/textbook/naive.cuh"
#include "kernels/matmul/textbook/register_tile.cuh"
#include "kernels/matmul/textbook/tiled.cuh"
#include "kernels/matmul/textbook/vectorized.cuh"
#include "kernels/matmul/textbook/wmma.cuh"
#include "tools/matmul/columns.cuh"
#include "tools/matmul/host_product.hpp"
#include "tools/matmul/options.hpp"
#include "tools/matmul/plan/work.cuh"
#include "tools/matmul/thin.cuh"
#ifndef __SIMCC__
#include "tools/matmul/hopper/direct.cuh"
#include "tools/matmul/hopper/float8.cuh"
#include "tools/matmul/hopper/tiles.cuh"
#include "tools/matmul/peers.cuh"
#endif

namespace BACKEND {

using FindPlans = Plans(const ProductProblem&);

struct MatmulVariant : Variant {
    FindPlans* plans = nullptr;                // on the device; nullptr for a variant that this build lacks
    bool for_fastest = false;                  // whether `fastest` may choose it
    bool has_tiles = false;                    // that --tile can name
    void (HostProduct::*on_host)() = nullptr;  // of those that need the host
    bool (*host_has)(DType dtype) = nullptr;   // nullptr: every host has it for every type
};

template <typename T>
constexpr DType dtype_of_kernel() {
    if constexpr (std::is_same_v<T, __nv_fp8_e4m3>) return DType::e4m3;
    else if constexpr (std::is_same_v<T, __nv_fp8_e5m2>) return DType::e5m2;
    else return dtype_of<T>;
}
// The plans of those kernels that multiply the problem's type; `variant` as the rows of the coefficients have it.
template <typename... Tiles>
Plans plans_of_type(const ProductProblem& problem, const char* variant) {
    Plans plans;
    const auto add = [&](auto tile) {
        using Tile = decltype(tile);
        if (dtype_of_kernel<typename Tile::Element>() == problem.dtype)
            plans.push_back(plan_of<Tile>(problem, variant));
    };
    (add(Tiles{}), ...);
    return plans;
}

// The textbook's kernels: only those that `fastest` may use have an estimate.
template <typename... Tiles>
Plans textbook_plans(const ProductProblem& problem) {
    return plans_of_type<Tiles...>(problem, "textbook");
}
inline Plans register_2d_plans(const ProductProblem& problem) {
    return plans_of_type<MatmulRegister2d<float>, MatmulRegister2d<double>>(problem, "register-2d");
}
inline Plans vectorized_plans(const ProductProblem& problem) {
    return plans_of_type<MatmulVectorized, MatmulFloat8Vectorized<__nv_fp8_e4m3>,
                         MatmulFloat8Vectorized<__nv_fp8_e5m2>>(problem, "vectorized");
}
inline Plans warp_tile_plans(const ProductProblem& problem) {
    return plans_of_type<MatmulWarpTile>(problem, "warp-tile");
}
inline Plans async_plans(const ProductProblem& problem) {
    Plans plans = plans_of_type<MatmulAsync<128>, MatmulAsync<64>>(problem, "async");
    for (Plan& plan : plans) plan.key = plan.tile;
    return plans;
}

Plans fastest_plans(const ProductProblem& problem);

// The smallest tile that holds a product of a batch.
template <typename T>
Plan small_batched_plan(const ProductProblem& problem, size_t side) {
    if (side <= 16) return plan_of<MatmulBatched<T, 16>>(problem, "batched");
    if (side <= 32) return plan_of<MatmulBatched<T, 32>>(problem, "batched");
    return plan_of<MatmulBatched<T, 64>>(problem, "batched");
}

// If a build has no code for a device, the driver compiles older PTX for it, which lacks newer devices' instructions:
// what counts is the capability that the kernel was compiled for, not the device's.
template <typename T>
Plans wmma_on(const ProductProblem& problem) {
    cudaFuncAttributes attributes = {};
    if (cudaFuncGetAttributes(&attributes, matmul_wmma<T>) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return {};
    }
    if (attributes.ptxVersion < WmmaType<T>::least_capability) return {};
    return {plan_of<MatmulWmma<T>>(problem, "wmma")};
}
inline Plans wmma_plans(const ProductProblem& problem) {
    switch (problem.dtype) {
        case DType::f16: return wmma_on<__half>(problem);
        case DType::bf16: return wmma_on<__nv_bfloat16>(problem);
        case DType::tf32: return wmma_on<float>(problem);
        default: return {};
    }
}
#ifdef __SIMCC__
constexpr FindPlans *direct_plans = nullptr, *any_hopper_plans = nullptr, *float8_fast_accum_plans = nullptr,
                    *tf32x3_plans = nullptr, *cublas_plans = nullptr, *cublaslt_plans = nullptr,
                    *cublaslt_fast_accum_plans = nullptr, *cublasxt_plans = nullptr;
#endif

// For a batch: up to 64 rows and columns, a tile is a whole product; beyond, and on tensor cores, the grid's z is the
// product.
inline Plans batched_plans(const ProductProblem& problem) {
    if (problem.form.products() < 2) return {};
    const size_t side = std::max(problem.shape.m, problem.shape.n);
    if (problem.dtype == DType::f32)
        return side <= 64 ? Plans{small_batched_plan<float>(problem, side)} : async_plans(problem);
    if (problem.dtype == DType::f64)
        return side <= 64 ? Plans{small_batched_plan<double>(problem, side)} : register_2d_plans(problem);
    return wmma_plans(problem);
}

inline const MatmulVariant matmul_variants[] = {
    {{"cpu", "one core, sums in double", Needs::host}, nullptr, false, false, &HostProduct::multiply_on_one_core},
    {{"cpu-parallel", "all cores, in blocks that fit their caches", Needs::host},
     nullptr,
     false,
     false,
     &HostProduct::multiply_on_all_cores},
    {{"openblas", "the CPU's peer: OpenBLAS, where it is installed", Needs::host},
     nullptr,
     false,
     false,
     &HostProduct::multiply_with_openblas,
     openblas_has},
    {{"naive-uncoalesced", "a thread per element, the row from x: lanes read elements n apart"},
     textbook_plans<MatmulUncoalesced<float>, MatmulUncoalesced<double>>},
    {{"naive", "the column from x: neighboring lanes read neighbors"},
     textbook_plans<MatmulNaive<float>, MatmulNaive<double>, MatmulFloat8Naive<__nv_fp8_e4m3>,
                    MatmulFloat8Naive<__nv_fp8_e5m2>>},
    {{"tiled-8", "squares of 8 in shared memory: an eighth of the global loads"},
     textbook_plans<MatmulTiled<float, 8>, MatmulTiled<double, 8>>},
    {{"tiled-16", "squares of 16"}, textbook_plans<MatmulTiled<float, 16>, MatmulTiled<double, 16>>},
    {{"tiled-32", "squares of 32"},
     textbook_plans<MatmulTiled<float, 32>, MatmulTiled<double, 32>, MatmulFloat8Tiled<__nv_fp8_e4m3>,
                    MatmulFloat8Tiled<__nv_fp8_e5m2>>},
    {{"tiled-corner", "loads rearranged: every warp reads 128 consecutive bytes of A and of B"},
     textbook_plans<MatmulTiledCorner<float>, MatmulTiledCorner<double>>},
    {{"register-1d", "8 elements a thread: one load of B from shared memory serves 8 multiply-adds"},
     textbook_plans<MatmulRegister1d<float>, MatmulRegister1d<double>>},
    {{"register-2d", "8 x 8 elements a thread: 16 loads for 64 multiply-adds"}, register_2d_plans, true},
    {{"vectorized", "16-byte loads, A transposed in shared memory"}, vectorized_plans, true},
    {{"warp-tile", "lanes lie 8 x 4 in their warp's tile: fewer words to read, and from different banks"},
     warp_tile_plans,
     true},
    {{"async", "copies run ahead without passing through registers: a ring of three stages"}, async_plans, true, true},
    {{"wmma", "tensor cores by the portable interface: f16, bf16, tf32"}, wmma_plans, true},
    {{"hopper", "TMA copies and specialized warps; tensor cores read shared memory themselves", Needs::gpu},
     any_hopper_plans,
     true,
     true},
    {{"hopper-fast-accum", "8-bit floats, all sums in the tensor cores' registers: faster, less exact", Needs::gpu},
     float8_fast_accum_plans,
     false,
     true},
    {{"direct", "rows of any alignment in one launch, clusters share k: for products of a few microseconds",
      Needs::gpu},
     direct_plans,
     true,
     true},
    {{"thin",
      "few rows, columns or steps: wide accesses to the largest matrix, however aligned; few of all: dot products"},
     thin_plans,
     true,
     true},
    {{"tf32x3", "f32 on tensor cores: a factor is two tf32 numbers, a product three; nearly f32's accuracy",
      Needs::gpu},
     tf32x3_plans,
     false,
     true},
    {{"batched", "for --batch: a block for each small product or several, tiles along z for larger ones"},
     batched_plans,
     true},
    {{"fastest", "the best of these for the shape, type and device: a GPU times the best estimates", Needs::nothing, "",
      false, false, true},
     fastest_plans},
    {{"cublas", "the peer: cuBLAS, where it is installed; f32 without tensor cores", Needs::gpu, "", true},
     cublas_plans},
    {{"cublaslt", "the stronger peer: cuBLASLt, the fastest algorithm that its heuristic offers", Needs::gpu, "", true},
     cublaslt_plans},
    {{"cublaslt-fast-accum", "the same for 8-bit floats, with fast accumulation", Needs::gpu, "", true},
     cublaslt_fast_accum_plans},
    {{"cublasxt", "the peer of --gang: cuBLASXt, its matrices on the first device", Needs::gpu, "", true},
     cublasxt_plans},
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
    .lectures = &lectures,
    .options = own_options<MatmulOptions>,
    .columns = columns_of(matmul_columns),
    .gangs = Gangs::on_request,
    .join = join_process_team,
};

}  // namespace BACKEND

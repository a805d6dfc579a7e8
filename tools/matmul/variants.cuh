// The tables of matmul: what each variant is, and how it multiplies.
#pragma once

#include <memory>

#include "common/cli/program.hpp"
#include "kernels/matmul/async.cuh"
#include "kernels/matmul/naive.cuh"
#include "kernels/matmul/register_tile.cuh"
#include "kernels/matmul/tiled.cuh"
#include "kernels/matmul/vectorized.cuh"
#include "tools/matmul/columns.cuh"
#include "tools/matmul/host_product.hpp"
#include "tools/matmul/method.cuh"
#include "tools/matmul/options.hpp"
#ifndef __SIMCC__
#include "kernels/matmul/cublas.cuh"
#include "kernels/matmul/wmma.cuh"
#include "tools/matmul/hopper_tiles.cuh"
#endif

namespace BACKEND {

using FindMethod = ProductMethod(const ProductProblem&);

struct MatmulVariant : Variant {
    FindMethod* method = nullptr;              // on the device; nullptr for a variant that this build lacks
    bool for_fastest = false;                  // the last of these that exists is the fastest
    void (HostProduct::*on_host)() = nullptr;  // of those that need the host
    bool (*host_has)(DType dtype) = nullptr;   // nullptr: every host has it for every type
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

template <typename T>
using MatmulTiled8 = MatmulTiled<T, 8>;
template <typename T>
using MatmulTiled16 = MatmulTiled<T, 16>;
template <typename T>
using MatmulTiled32 = MatmulTiled<T, 32>;

inline ProductMethod async_method(const ProductProblem& problem) {
    const bool large = async_tile_is_large(problem.shape.m, problem.shape.n, size_t(problem.device->multiprocessors));
    return large ? for_f32<MatmulAsync<LargeAsyncShape>>(problem) : for_f32<MatmulAsync<SmallAsyncShape>>(problem);
}

ProductMethod fastest_method(const ProductProblem& problem);

#ifndef __SIMCC__
// A device compiles older PTX for itself where a build has no code for it, and that lacks what newer devices have: what
// counts is the capability that the kernel was compiled for, not the device's.
template <typename T>
ProductMethod wmma_on() {
    cudaFuncAttributes attributes = {};
    if (cudaFuncGetAttributes(&attributes, matmul_wmma<T>) != cudaSuccess) {
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

inline ProductMethod cublas_method(const ProductProblem& problem) {
    const auto library = std::make_shared<Cublas>();
    if (!*library) return {};
    return {[library, type = cublas_type(problem.dtype)](const MatmulArguments<void>& arguments) {
        return library->multiply(arguments, type);
    }};
}
#else
constexpr FindMethod *wmma_method = nullptr, *hopper_method = nullptr, *tf32x3_method = nullptr,
                     *cublas_method = nullptr;
#endif

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
    {{"naive-uncoalesced", "a thread per element, the row from x: lanes read elements that lie n apart"},
     for_f32_and_f64<MatmulUncoalesced>},
    {{"naive", "the column from x: neighbouring lanes read neighbours"}, for_f32_and_f64<MatmulNaive>},
    {{"tiled-8", "squares of 8 in shared memory: an eighth of the global loads"}, for_f32_and_f64<MatmulTiled8>},
    {{"tiled-16", "squares of 16"}, for_f32_and_f64<MatmulTiled16>},
    {{"tiled-32", "squares of 32"}, for_f32_and_f64<MatmulTiled32>},
    {{"tiled-corner", "loads rearranged: every warp reads 128 consecutive bytes of A and of B"},
     for_f32_and_f64<MatmulTiledCorner>},
    {{"register-1d", "8 elements a thread: one load of B from shared memory serves 8 multiply-adds"},
     for_f32_and_f64<MatmulRegister1d>},
    {{"register-2d", "8 x 8 elements a thread: 16 loads for 64 multiply-adds"},
     for_f32_and_f64<MatmulRegister2d>,
     true},
    {{"vectorized", "16-byte loads, A transposed in shared memory"}, for_f32<MatmulVectorized>},
    {{"warp-tile", "lanes lie 8 x 4 in their warp's tile: fewer words to read, and from different banks"},
     for_f32<MatmulWarpTile>},
    {{"async", "copies run ahead without passing through registers: a ring of three stages"}, async_method, true},
    {{"wmma", "tensor cores by the portable interface: f16, bf16, tf32", Needs::gpu}, wmma_method, true},
    {{"hopper", "TMA copies and specialized warps; tensor cores read shared memory themselves", Needs::gpu},
     hopper_method,
     true},
    {{"tf32x3", "f32 on tensor cores: a factor is two tf32 numbers, a product three; nearly f32's accuracy",
      Needs::gpu},
     tf32x3_method},
    {{"fastest", "the best of these for the shape, type and device; --explain says which"}, fastest_method},
    {{"cublas", "the peer: cuBLAS, where it is installed; f32 without tensor cores", Needs::gpu, "", true},
     cublas_method},
};

inline ProductMethod find_method(const MatmulVariant& variant, const ProductProblem& problem) {
    ProductMethod method = variant.method ? variant.method(problem) : ProductMethod{};
    if (!*method.variant) method.variant = variant.name;
    return method;
}

inline ProductMethod fastest_method(const ProductProblem& problem) {
    for (auto variant = std::rbegin(matmul_variants); variant != std::rend(matmul_variants); ++variant)
        if (variant->for_fastest)
            if (ProductMethod method = find_method(*variant, problem); method.launch) return method;
    return {};
}

inline const Program matmul_program = {
    .name = "matmul",
    .summary =
        "Multiplies two matrices: a benchmark from the textbook's kernel to tensor cores, or a filter over A and B "
        "(files, or - for one).",
    .operands = "[A B]",
    .most_operands = 2,
    .dtypes = {DType::f32, DType::f64, DType::tf32, DType::bf16, DType::f16},
    .variants = variants_of(matmul_variants),
    .options = own_options<MatmulOptions>,
    .benchmark_options = {"--explain"},
    .columns = columns_of(matmul_columns),
};

// Why a variant has no method for a type, and what to do.
inline std::string why_not(const DeviceInfo& device, DType dtype) {
    const bool needs_tensor_cores = dtype != DType::f32 && dtype != DType::f64;
    return device.simulated && needs_tensor_cores
               ? text("the simulator has no tensor cores for {}; choose --dtype f32 or f64", name_of(dtype))
               : text("it does not run here for {}; choose another --dtype or --kernel", name_of(dtype));
}

}  // namespace BACKEND

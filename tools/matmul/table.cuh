// The tables of matmul: what each variant is, and how it is launched for a type on a device.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/cuda/buffers.cuh"
#include "common/cli/program.hpp"
#include "common/cli/session.hpp"
#include "kernels/matmul/async.cuh"
#include "kernels/matmul/naive.cuh"
#include "kernels/matmul/register_tile.cuh"
#include "kernels/matmul/tiled.cuh"
#include "kernels/matmul/vectorized.cuh"
#include "tools/matmul/shape.cuh"
#include "tools/matmul/types.cuh"
#ifndef __SIMCC__
#include "kernels/matmul/cublas.cuh"
#include "kernels/matmul/wmma.cuh"
#include "tools/matmul/hopper.cuh"
#endif

namespace BACKEND {

inline const Variant matmul_variants[] = {
    {"cpu", "one core, sums in double", Needs::host},
    {"cpu-parallel", "all cores, in blocks that fit their caches", Needs::host},
    {"openblas", "the CPU's peer: OpenBLAS, where it is installed", Needs::host},
    {"naive-uncoalesced", "a thread per element, the row from x: lanes read elements that lie n apart"},
    {"naive", "the column from x: neighbouring lanes read neighbours"},
    {"tiled-8", "squares of 8 in shared memory: an eighth of the global loads"},
    {"tiled-16", "squares of 16"},
    {"tiled-32", "squares of 32"},
    {"tiled-corner", "loads rearranged: every warp reads 128 consecutive bytes of A and of B"},
    {"register-1d", "8 elements a thread: one load of B from shared memory serves 8 multiply-adds"},
    {"register-2d", "8 x 8 elements a thread: 16 loads for 64 multiply-adds"},
    {"vectorized", "16-byte loads, A turned in shared memory"},
    {"warp-tile", "lanes lie 8 x 4 in their warp's tile: fewer words to read, and from different banks"},
    {"async", "copies run ahead without passing through registers: a ring of three stages"},
    {"wmma", "tensor cores by the portable interface: f16, bf16, tf32", Needs::gpu},
    {"hopper", "the copy engine and warps of different trades; tensor cores read shared memory themselves",
     Needs::gpu},
    {"tf32x3", "f32 on tensor cores: a factor is two tf32 numbers, a product three; nearly f32's accuracy",
     Needs::gpu},
    {"fastest", "the best of these for the shape, type and device; --explain says which"},
    {"cublas", "the peer: cuBLAS, where it is installed; f32 without tensor cores", Needs::gpu},
    };

inline const Program matmul_program = {
    .name = "matmul",
    .summary = "Multiplies two matrices: a benchmark from the textbook's kernel to tensor cores, or a filter over A and B "
               "(files, or - for one).",
    .operands = "[A B]",
    .most_operands = 2,
    .dtypes = {DType::f32, DType::f64, DType::tf32, DType::bf16, DType::f16},
    .variants = variants_of(matmul_variants),
    .options = own_options<MatmulOptions>,
    .columns =
        {
            {"p_m"},
            {"p_n"},
            {"p_k"},
            {"p_tile", "tile"},
            {"p_flop_per_byte", "flop/B", 1, 1},
            {"p_peak_percent", "% of peak", 1, 1},
            {"p_registers", "registers"},
            {"p_static_smem_bytes", "static smem"},
            {"p_occupancy_percent", "occupancy %", 1, 0},
        },
};

// A variant on a device for a type: how it is launched, and what it is called there. No launch: it does not exist
// there.
template <typename T>
struct ProductMethod {
    std::function<LaunchShape(const MatmulArguments<T>&)> launch = {};
    std::string tile = "none";
    std::string name = {};
    size_t workspace_bytes = 0;  // beside A, B and C
};

// Why a variant has no method for a type, and what to do.
template <typename Type>
std::string why_not(const DeviceInfo& device) {
    const bool needs_tensor_cores = Type::dtype != DType::f32 && Type::dtype != DType::f64;
    return device.simulated && needs_tensor_cores
               ? text("the simulator has no tensor cores for {}; choose --dtype f32 or f64", name_of(Type::dtype))
               : text("it does not run here for {}; choose another --dtype or --kernel", name_of(Type::dtype));
}

// Finds methods; holds what they need to know of the device.
class MethodFinder {
public:
    explicit MethodFinder(const Session& session) : device_(session.device) {
#ifndef __SIMCC__
        hopper_ = hopper_kernels_run(device_.compute_capability);
#endif
    }

    template <typename Type>
    ProductMethod<typename Type::Element> find(const std::string& name, size_t m, size_t n, size_t k) const {
        using T = typename Type::Element;
        if (name == "fastest") return fastest<Type>(m, n, k);
        if constexpr (Type::dtype == DType::f32 || Type::dtype == DType::f64) {
            if (name == "naive-uncoalesced") return {launch_matmul_uncoalesced<T>, "1x1", name};
            if (name == "naive") return {launch_matmul_naive<T>, "1x1", name};
            if (name == "tiled-8") return {launch_matmul_tiled<T, 8>, "8x8x8", name};
            if (name == "tiled-16") return {launch_matmul_tiled<T, 16>, "16x16x16", name};
            if (name == "tiled-32") return {launch_matmul_tiled<T, 32>, "32x32x32", name};
            if (name == "tiled-corner") return {launch_matmul_tiled_corner<T>, "8x32x32", name};
            if (name == "register-1d") return {launch_matmul_register_1d<T>, "64x64x8", name};
            if (name == "register-2d")
                return {launch_matmul_register_2d<T>, sizeof(T) == 4 ? "128x128x8" : "64x64x8", name};
        }
        if constexpr (Type::dtype == DType::f32) {
            if (name == "vectorized") return {launch_matmul_vectorized, "128x128x8", name};
            if (name == "warp-tile") return {launch_matmul_warp_tile, "128x128x8", name};
            const bool large = divide_up(m, 128) * divide_up(n, 128) >= size_t(device_.multiprocessors);
            if (name == "async") return {launch_matmul_async, large ? "128x128x8" : "64x64x8", name};
        }
#ifndef __SIMCC__
        if (name == "cublas") return cublas<Type>();
        if (name == "hopper" && hopper_) return hopper<Type>(m, n, k);
        if constexpr (Type::dtype == DType::f32)
            if (name == "tf32x3" && hopper_ && m <= tf32x3_most_rows)
                return best(name, tf32x3_choices(), m, n, k, tf32x3_workspace_bytes(m, n, k));
        if constexpr (Type::dtype != DType::f32 && Type::dtype != DType::f64)
            if (name == "wmma" && device_.compute_capability >= WmmaType<T>::least_capability)
                return {launch_matmul_wmma<T>, Type::dtype == DType::tf32 ? "64x64x16" : "64x64x32", name};
#endif
        return {};
    }

private:
    template <typename Type>
    ProductMethod<typename Type::Element> fastest(size_t m, size_t n, size_t k) const {
        for (const char* name : {"hopper", "wmma", "async", "register-2d"})
            if (auto method = find<Type>(name, m, n, k); method.launch) return method;
        return {};
    }

#ifndef __SIMCC__
    template <typename T>
    ProductMethod<T> best(const std::string& name, const std::vector<TileChoice<T>>& choices, size_t m, size_t n,
                          size_t k, size_t workspace_bytes) const {
        const TileChoice<T>& choice = best_choice(choices, m, n, k, unsigned(device_.multiprocessors));
        return {choice.launch, choice.tile, name, workspace_bytes};
    }

    template <typename Type>
    ProductMethod<typename Type::Element> hopper(size_t m, size_t n, size_t k) const {
        if constexpr (Type::dtype == DType::f64) {
            return {};
        } else {
            using T = typename Type::Element;
            const size_t workspace_bytes = HopperOperands<T>::workspace_bytes(m, n, k);
            if constexpr (Type::dtype == DType::f32) return best("hopper", f32_choices(), m, n, k, workspace_bytes);
            else if constexpr (Type::dtype == DType::tf32) return best("hopper", tf32_choices(), m, n, k, workspace_bytes);
            else return best("hopper", mma_choices<T>(), m, n, k, workspace_bytes);
        }
    }

    template <typename Type>
    ProductMethod<typename Type::Element> cublas() const {
        using T = typename Type::Element;
        const auto library = std::make_shared<Cublas>();
        if (!*library) return {};
        const CublasCompute compute = Type::dtype == DType::f64    ? CublasCompute::f64
                                      : Type::dtype == DType::tf32 ? CublasCompute::tf32
                                      : Type::dtype == DType::f32  ? CublasCompute::f32_pedantic
                                                                   : CublasCompute::f32;
        return {[=](const MatmulArguments<T>& arguments) { return library->multiply(arguments, compute); }, "none",
                "cublas"};
    }
#endif

    const DeviceInfo& device_;
    bool hopper_ = false;
};

}  // namespace BACKEND

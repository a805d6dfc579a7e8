// SPDX-License-Identifier: MIT
// The peers on the device: how cuBLAS and cuBLASLt multiply. Only for nvcc.
#pragma once

#include <memory>

#include "kernels/matmul/generic/cublas.cuh"
#include "kernels/matmul/generic/cublaslt.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

inline Plans cublas_plans(const ProductProblem& problem) {
    if (is_float8(problem.dtype)) return {};  // cublasGemmEx has none of them
    if (!problem.libraries->cublas) problem.libraries->cublas = std::make_shared<Cublas>();
    const std::shared_ptr<Cublas> library = problem.libraries->cublas;
    if (!*library) return {};
    Plan plan;
    plan.launch = [library, type = cublas_type(problem.dtype)](const MatmulArguments<void>& arguments) {
        return library->multiply(arguments, type);
    };
    plan.takes_batch = plan.takes_transposed = true;
    return {plan};
}
inline Plans cublaslt_plans_with(const ProductProblem& problem, bool fast_accum) {
    const ProductForm& form = problem.form;
    // 8-bit floats are stored along k in both operands: cuBLASLt has no other product of them, either.
    if (is_float8(problem.dtype) && !is_plain(problem)) return {};
    if (problem.shape.flop() == 0 || form.products() == 0) return {};
    if (!problem.libraries->cublaslt) problem.libraries->cublaslt = std::make_shared<CublasLt>();
    if (!*problem.libraries->cublaslt) return {};
    const ProductStrides strides = ProductStrides::aligned(problem.shape, form, size_of(problem.dtype));
    const MatmulArguments<void> arguments = arguments_of(problem.shape, form, strides);
    const auto product = std::make_shared<CublasLtProduct>(problem.libraries->cublaslt, arguments,
                                                           cublas_type(problem.dtype), fast_accum);
    Plan plan;
    if (is_float8(problem.dtype) && *product)
        product->keep_what_runs(arguments, size_of(problem.dtype), size_of(DType::bf16));
    if (!*product) return {};
    plan.launch = [product](const MatmulArguments<void>& arguments) { return product->multiply(arguments); };
    plan.workspace_bytes = cublaslt_workspace_bytes;
    plan.takes_batch = true;
    plan.takes_transposed = true;
    if (is_float8(problem.dtype)) plan.sums = fast_accum ? Sums::float8_fast : Sums::float8_promoted;
    return {plan};
}
inline Plans cublaslt_plans(const ProductProblem& problem) { return cublaslt_plans_with(problem, false); }
inline Plans cublaslt_fast_accum_plans(const ProductProblem& problem) {
    return is_float8(problem.dtype) ? cublaslt_plans_with(problem, true) : Plans{};
}
// None on one device, where it would be cuBLAS; for several see gang/cublasxt.cuh.
inline Plans cublasxt_plans(const ProductProblem&) { return {}; }

}  // namespace BACKEND

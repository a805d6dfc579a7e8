// SPDX-License-Identifier: MIT
#pragma once
// The peer: cuBLAS's geam with nothing transposed and both factors 1. Only for nvcc.
#include "common/cuda/cublas.cuh"
#include "kernels/matadd/mappings.cuh"

namespace BACKEND {

/// Rows and columns must fit into an int. Failure(cuda_error) names cuBLAS's status.
template <typename T>
LaunchShape launch_matadd_geam(const Geam<T>& geam, const MataddArguments<T>& arguments) {
    constexpr auto as_it_is = Geam<T>::Operation::none;
    const int m = static_cast<int>(arguments.columns), n = static_cast<int>(arguments.rows);
    geam.run(m, n, {as_it_is, 1, arguments.d_a, m}, {as_it_is, 1, arguments.d_b, m}, arguments.d_c, arguments.stream);
    return {};
}

}  // namespace BACKEND

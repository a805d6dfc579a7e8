// SPDX-License-Identifier: MIT
#pragma once
// The peer: cuBLAS's geam, with alpha 1 and beta 0. Only for nvcc.
#include "common/cuda/cublas.cuh"
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

/// Takes the words as numbers of type T. Failure(cuda_error) names cuBLAS's status.
template <typename T, typename Word>
LaunchShape launch_transpose_geam(const Geam<T>& geam, const TransposeArguments<Word>& arguments) {
    static_assert(sizeof(Word) == sizeof(T));
    using Operation = typename Geam<T>::Operation;
    const int m = static_cast<int>(arguments.rows), n = static_cast<int>(arguments.columns);
    T* const d_output = reinterpret_cast<T*>(arguments.d_output);
    geam.run(m, n, {Operation::transpose, 1, reinterpret_cast<const T*>(arguments.d_input), n},
             {Operation::none, 0, d_output, m}, d_output, arguments.stream);
    return {};
}

}  // namespace BACKEND

#pragma once
// The peer: cuBLAS's geam, C = alpha op(A) + beta op(B), with nothing transposed and both factors 1. Only for nvcc.
// cuBLAS works on columns: our row-major matrices are its column-major ones of `columns` x `rows`.
#include "common/cuda/cublas_handle.cuh"
#include "kernels/matadd/mappings.cuh"

namespace BACKEND {

/// For float and double: cuBLAS has no geam for other real types.
template <typename T>
class MatrixSum {
public:
    MatrixSum() {
        has_all_ = handle_ && handle_.find(add_, sizeof(T) == sizeof(float) ? "cublasSgeam" : "cublasDgeam");
    }

    /// Whether it was found and works here.
    explicit operator bool() const { return has_all_; }

    /// Rows and columns fit into an int. Failure(cuda_error) names cuBLAS's status.
    LaunchShape launch(const MataddArguments<T>& arguments) const {
        constexpr int not_transposed = 0;
        const int m = static_cast<int>(arguments.columns), n = static_cast<int>(arguments.rows);
        if (m == 0 || n == 0) return {};
        const T one = 1;
        const int status = add_(handle_.on(arguments.stream), not_transposed, not_transposed, m, n, &one, arguments.d_a,
                                m, &one, arguments.d_b, m, arguments.d_c, m);
        if (status != 0) fail(Exit::cuda_error, "cublas geam of {} x {}: cuBLAS status {}", m, n, status);
        return {};
    }

private:
    CublasHandle handle_;
    bool has_all_ = false;
    int (*add_)(void*, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int) = nullptr;
};

}  // namespace BACKEND

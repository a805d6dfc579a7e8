#pragma once
// The peer: cuBLAS's geam, C = alpha op(A) + beta op(B), with op the transposition, alpha 1 and beta 0. Only for nvcc.
// cuBLAS works on columns: our row-major input is its column-major matrix of `columns` x `rows`.
#include "common/cuda/cublas_handle.cuh"
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

/// For float and double: cuBLAS has no geam for other real types.
template <typename T>
class Geam {
public:
    Geam() { has_all_ = handle_ && handle_.find(add_, sizeof(T) == 4 ? "cublasSgeam" : "cublasDgeam"); }

    /// Whether it was found and works here.
    explicit operator bool() const { return has_all_; }

    /// The words are numbers of type T. Failure(cuda_error) names cuBLAS's status.
    template <typename Word>
    LaunchShape transpose(const TransposeArguments<Word>& arguments) const {
        static_assert(sizeof(Word) == sizeof(T));
        constexpr int not_transposed = 0, transposed = 1;
        const int m = static_cast<int>(arguments.rows), n = static_cast<int>(arguments.columns);
        if (m == 0 || n == 0) return {};
        const T one = 1, zero = 0;
        T* const d_output = reinterpret_cast<T*>(arguments.d_output);
        const int status = add_(handle_.on(arguments.stream), transposed, not_transposed, m, n, &one,
                                reinterpret_cast<const T*>(arguments.d_input), n, &zero, d_output, m, d_output, m);
        if (status != 0) fail(Exit::cuda_error, "cublas geam of {} x {}: cuBLAS status {}", m, n, status);
        return {};
    }

private:
    CublasHandle handle_;
    bool has_all_ = false;
    int (*add_)(void*, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int) = nullptr;
};

}  // namespace BACKEND

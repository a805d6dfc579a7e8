// SPDX-License-Identifier: MIT
// cuBLAS with sizes of 64 bits.
#include <cublas_v2.h>
#include <cstdint>
#include <cstdio>
int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    float *a, *c, one = 1, zero = 0, dot = 0;
    cudaMallocManaged(&a, 16 * sizeof *a);
    cudaMallocManaged(&c, 16 * sizeof *c);
    for (int i = 0; i < 16; ++i) a[i] = i;
    const int64_t n = 4;
    int status = cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, a, n, &zero, c, n);
    status += cublasSdot_64(handle, 16, a, 1, a, 1, &dot);
    status += cublasGemmStridedBatchedEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_32F, n, 0, a, CUDA_R_32F, n, 0, &one, c, CUDA_R_32F, n, 16, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    cudaDeviceSynchronize();
    printf("%d %g %g %g\n", status, c[0], c[15], dot);
#ifdef TOO_LARGE
    printf("%d\n", cublasSscal_64(handle, int64_t(1) << 40, &one, a, 1));
#endif
}

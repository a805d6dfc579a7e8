// SPDX-License-Identifier: MIT
//! The copy in one stream does not wait for the kernel in the other.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void negate_all(int* data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = -data[i];  //! here
}

// One stream computes, the other copies.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(in.size());
    int *d_data = nullptr, *pinned = nullptr;
    TRY(to_device(&d_data, in));
    TRY(cudaMallocHost(reinterpret_cast<void**>(&pinned), n * sizeof(int)));
    cudaStream_t first, second;
    cudaEvent_t negated;
    TRY(cudaStreamCreate(&first));
    TRY(cudaStreamCreate(&second));
    TRY(cudaEventCreateWithFlags(&negated, cudaEventDisableTiming));
    negate_all<<<1, 64, 0, first>>>(d_data, n);
    TRY(cudaEventRecord(negated, first));
#if !FAULTY
    TRY(cudaStreamWaitEvent(second, negated, 0));
#endif
    TRY(cudaMemcpyAsync(pinned, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, second));  //! here
    TRY(cudaStreamSynchronize(second));
    out.assign(pinned, pinned + n);
    TRY(finished());
    TRY(cudaEventDestroy(negated));
    TRY(cudaStreamDestroy(first));
    TRY(cudaStreamDestroy(second));
    TRY(cudaFreeHost(pinned));
    return cudaFree(d_data);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1 << 16, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right;
    for (int value : in) right.push_back(-value);
    return right;
}

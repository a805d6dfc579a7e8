// SPDX-License-Identifier: MIT
//! plant: stream-use-after-free, row 25
//! defect: another stream uses memory after it is freed
//! tool: memcheck --track-stream-ordered-races all, since 12.0
//! report: Invalid __global__ read of size 4 bytes
//! bare: right or wrong result
//! simulator: Y
//! hint 1: The result is right, as long as nobody else gets the memory.
//! hint 2: cudaFreeAsync takes its place in the order of one stream.
//! hint 3: The kernel that reads runs in another stream, and is launched later.
//! cure: Free after the last use: the stream that frees has to wait for an event after the kernel.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void fill(int* out, int first) { out[threadIdx.x] = first + static_cast<int>(threadIdx.x); }

__global__ void copy_values(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];  //! here
}

// Numbers from in[0] on: one stream makes them, another copies them.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    cudaStream_t first, second;
    TRY(cudaStreamCreate(&first));
    TRY(cudaStreamCreate(&second));
    int *d_data = nullptr, *d_out = nullptr;
    TRY(cudaMalloc(&d_out, n * sizeof(int)));
    TRY(cudaMallocAsync(reinterpret_cast<void**>(&d_data), n * sizeof(int), first));
    fill<<<1, n, 0, first>>>(d_data, in[0]);
    TRY(cudaStreamSynchronize(first));
#if FAULTY
    TRY(cudaFreeAsync(d_data, first));
    copy_values<<<1, n, 0, second>>>(d_data, d_out);  //! here
#else
    copy_values<<<1, n, 0, second>>>(d_data, d_out);
    cudaEvent_t copied;
    TRY(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    TRY(cudaEventRecord(copied, second));
    TRY(cudaStreamWaitEvent(first, copied, 0));
    TRY(cudaEventDestroy(copied));
    TRY(cudaFreeAsync(d_data, first));
#endif
    TRY(finished());
    TRY(to_host(out, d_out));
    TRY(cudaFree(d_out));
    TRY(cudaStreamDestroy(first));
    return cudaStreamDestroy(second);
}

// ---- an input for each seed, and the right result

std::vector<int> input(unsigned seed) { return numbers(1, seed); }
std::vector<int> expected(const std::vector<int>& in) {
    std::vector<int> right(256);
    for (int i = 0; i < 256; ++i) right[i] = in[0] + i;
    return right;
}

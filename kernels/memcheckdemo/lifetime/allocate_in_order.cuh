// SPDX-License-Identifier: MIT
//! plant: stream-use-before-alloc, row 24
//! defect: another stream uses memory before it is allocated
//! tool: memcheck --track-stream-ordered-races all, since 12.0
//! report: Invalid __global__ write of size 4 bytes
//! bare: silent
//! simulator: Y
//! hint 1: The result is right, mostly.
//! hint 2: cudaMallocAsync takes its place in the order of one stream.
//! hint 3: The kernel runs in another stream. What orders the two?
//! cure: To other streams the memory is there only after an event: cudaEventRecord in the one, cudaStreamWaitEvent in
//!     the other.
#include "kernels/memcheckdemo/textbook.cuh"

__global__ void fill(int* out, int first) {
    out[threadIdx.x] = first + static_cast<int>(threadIdx.x);  //! here
}

// Numbers from in[0] on, with two streams.
cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
    const int n = static_cast<int>(out.size());
    cudaStream_t first, second;
    TRY(cudaStreamCreate(&first));
    TRY(cudaStreamCreate(&second));
    int* d_out = nullptr;
    TRY(cudaMallocAsync(reinterpret_cast<void**>(&d_out), n * sizeof(int), first));
#if !FAULTY
    cudaEvent_t allocated;
    TRY(cudaEventCreateWithFlags(&allocated, cudaEventDisableTiming));
    TRY(cudaEventRecord(allocated, first));
    TRY(cudaStreamWaitEvent(second, allocated, 0));
    TRY(cudaEventDestroy(allocated));
#endif
    fill<<<1, n, 0, second>>>(d_out, in[0]);  //! here
    TRY(cudaMemcpyAsync(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost, second));
    TRY(cudaStreamSynchronize(second));
    TRY(cudaFreeAsync(d_out, second));
    TRY(cudaStreamSynchronize(second));
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

// SPDX-License-Identifier: MIT
//! plant: cross-stream-copy-race, row 36
//! defect: a copy in one stream beside the kernel that fills the array in another
//! class: unreported
//! tool: racecheck, in no toolkit
//! bare: wrong or right result
//! simulator: +
//! finding: Error: Race reported between a kernel and an operation of another stream
//! hint 1: Some elements are old, some are new.
//! hint 2: Which work waits for which?
//! hint 3: Kernel and copy are in different streams, and an event is recorded.
//! cure: Nobody waits for the event: cudaStreamWaitEvent(second, event).
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

// SPDX-License-Identifier: MIT
// The arithmetic of reductions where the order and the rounding show, on three devices.

#include <cstdio>

#include "common.h"

namespace {

constexpr int ranks = 3;
ncclComm_t comms[ranks];

// All-reduces one value of each rank; the result of the last rank.
template <class T>
T all_reduce(const T (&values)[ranks], ncclDataType_t type, const ncclRedOp_t (&operations)[ranks]) {
    T* memory[ranks];
    for (int rank = 0; rank < ranks; ++rank) {
        CUDA(cudaSetDevice(rank));
        CUDA(cudaMalloc(&memory[rank], sizeof(T)));
        CUDA(cudaMemcpy(memory[rank], &values[rank], sizeof(T), cudaMemcpyHostToDevice));
    }
    NCCL(ncclGroupStart());
    for (int rank = 0; rank < ranks; ++rank) {
        NCCL(ncclAllReduce(memory[rank], memory[rank], 1, type, operations[rank], comms[rank], nullptr));
    }
    NCCL(ncclGroupEnd());
    T result;
    for (int rank = 0; rank < ranks; ++rank) {
        CUDA(cudaSetDevice(rank));
        CUDA(cudaMemcpy(&result, memory[rank], sizeof(T), cudaMemcpyDeviceToHost));
        CUDA(cudaFree(memory[rank]));
    }
    return result;
}

template <class T>
T all_reduce(const T (&values)[ranks], ncclDataType_t type, ncclRedOp_t operation) {
    return all_reduce(values, type, {operation, operation, operation});
}

}  // namespace

int main() {
    NCCL(ncclCommInitAll(comms, ranks, nullptr));
    // 1e8 + 1 is 1e8 in a float: the sum from rank 0 on is 0, from the last on it is 1.
    std::printf("order %g\n", all_reduce<float>({1, 1e8f, -1e8f}, ncclFloat32, ncclSum));
    std::printf("order %g\n", all_reduce<float>({1e8f, -1e8f, 1}, ncclFloat32, ncclSum));
    std::printf("wraps %d %d\n", all_reduce<signed char>({100, 100, 100}, ncclInt8, ncclSum),
                static_cast<int>(all_reduce<unsigned>({~0u, 1, 5}, ncclUint32, ncclSum)));
    std::printf("mean %d %u %g\n", all_reduce<int>({-4, -4, -3}, ncclInt32, ncclAvg),
                all_reduce<unsigned>({4000000000u, 0, 2}, ncclUint32, ncclAvg),
                all_reduce<double>({3, 6, 9}, ncclFloat64, ncclAvg));
    // 2048 + 1 is 2048 in a half, and 256 + 1 is 256 in a bfloat16.
    const __half half =
        all_reduce<__half>({__float2half(2048), __float2half(1), __float2half(1)}, ncclFloat16, ncclSum);
    const __nv_bfloat16 bfloat = all_reduce<__nv_bfloat16>(
        {__float2bfloat16(256), __float2bfloat16(1), __float2bfloat16(1)}, ncclBfloat16, ncclSum);
    std::printf("rounds %g %g\n", __half2float(half), __bfloat162float(bfloat));
    const float nan = __builtin_nanf("");
    std::printf("largest %g, least %g\n", all_reduce<float>({nan, -1, -2}, ncclFloat32, ncclMax),
                all_reduce<float>({3, nan, 4}, ncclFloat32, ncclMin));

    // Scaled sums: each rank's own factor, in its device's memory or of the host.
    ncclRedOp_t scaled[ranks];
    float factors[ranks] = {1, 10, 100};
    float* on_device = nullptr;
    CUDA(cudaSetDevice(0));
    CUDA(cudaMalloc(&on_device, sizeof(float)));
    CUDA(cudaMemcpy(on_device, &factors[0], sizeof(float), cudaMemcpyHostToDevice));
    for (int rank = 0; rank < ranks; ++rank) {
        void* const factor = rank == 0 ? on_device : &factors[rank];
        const auto residence = rank == 0 ? ncclScalarDevice : ncclScalarHostImmediate;
        NCCL(ncclRedOpCreatePreMulSum(&scaled[rank], factor, ncclFloat32, residence, comms[rank]));
        factors[rank] = 0;
    }
    std::printf("scaled %g\n", all_reduce<float>({1, 2, 3}, ncclFloat32, scaled));
    for (int rank = 0; rank < ranks; ++rank) NCCL(ncclRedOpDestroy(scaled[rank], comms[rank]));
    float* memory;
    CUDA(cudaMalloc(&memory, 8));
    std::printf("destroyed %d\n", ncclAllReduce(memory, memory, 1, ncclFloat32, scaled[0], comms[0], nullptr));
    std::printf("fp8 %d: %s\n", ncclAllReduce(memory, memory, 1, ncclFloat8e4m3, ncclSum, comms[0], nullptr),
                ncclGetLastError(nullptr));
    CUDA(cudaFree(memory));
    CUDA(cudaFree(on_device));
    for (const ncclComm_t comm : comms) NCCL(ncclCommDestroy(comm));
}

// SPDX-License-Identifier: MIT
// Calls ncclAllReduce directly, in one process with all devices: the reference for collective's figures of NCCL.
//     nccl_loop BYTES SAMPLES      prints: bytes, microseconds of one call (median), of one of 20 in a row (mean)
// One call is timed as in collective: by events on each device, after a kernel that waits for a flag of the host; the
// longest of the devices counts. Calls in a row are timed as in most programs, by the host's clock.
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ratio>
#include <vector>

static void check(bool fine, const char* call) {
    if (fine) return;
    std::fprintf(stderr, "nccl_loop: %s failed\n", call);
    std::exit(3);
}
#define CUDA(call) check((call) == cudaSuccess, #call)
#define NCCL(call) check((call) == ncclSuccess, #call)

__global__ void wait_for(const volatile int* flag) {
    while (*flag == 0) __nanosleep(100);
}

struct Member {
    float *from, *to;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    ncclComm_t communicator;
};

static void all_reduce(std::vector<Member>& gang, size_t count) {
    NCCL(ncclGroupStart());
    for (Member& one : gang)
        NCCL(ncclAllReduce(one.from, one.to, count, ncclFloat32, ncclSum, one.communicator, one.stream));
    NCCL(ncclGroupEnd());
}

static void wait_for_all(const std::vector<Member>& gang) {
    for (const Member& one : gang) CUDA(cudaStreamSynchronize(one.stream));
}

static double one_call_us(std::vector<Member>& gang, size_t count, volatile int* flag) {
    *flag = 0;
    for (size_t i = 0; i < gang.size(); ++i) {
        CUDA(cudaSetDevice(int(i)));
        wait_for<<<1, 1, 0, gang[i].stream>>>(flag);
        CUDA(cudaEventRecord(gang[i].begin, gang[i].stream));
    }
    all_reduce(gang, count);
    for (size_t i = 0; i < gang.size(); ++i) {
        CUDA(cudaSetDevice(int(i)));
        CUDA(cudaEventRecord(gang[i].end, gang[i].stream));
    }
    *flag = 1;
    wait_for_all(gang);
    float longest = 0;
    for (const Member& one : gang) {
        float milliseconds = 0;
        CUDA(cudaEventElapsedTime(&milliseconds, one.begin, one.end));
        longest = std::max(longest, milliseconds);
    }
    return longest * 1e3;
}

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "Usage: nccl_loop BYTES SAMPLES\n"), 2;
    const size_t count = std::strtoull(argv[1], nullptr, 10) / sizeof(float);
    const int samples = std::max(1, std::atoi(argv[2]));
    int devices = 0;
    CUDA(cudaGetDeviceCount(&devices));
    std::vector<Member> gang(static_cast<size_t>(devices));
    std::vector<ncclComm_t> communicators(gang.size());
    NCCL(ncclCommInitAll(communicators.data(), devices, nullptr));
    for (int i = 0; i < devices; ++i) {
        Member& one = gang[size_t(i)];
        one.communicator = communicators[size_t(i)];
        CUDA(cudaSetDevice(i));
        CUDA(cudaMalloc(&one.from, count * sizeof(float)));
        CUDA(cudaMalloc(&one.to, count * sizeof(float)));
        const std::vector<float> values(count, 0.25F + float(i));
        CUDA(cudaMemcpy(one.from, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
        CUDA(cudaStreamCreateWithFlags(&one.stream, cudaStreamNonBlocking));
        CUDA(cudaEventCreate(&one.begin));
        CUDA(cudaEventCreate(&one.end));
    }
    int* flag = nullptr;
    CUDA(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped | cudaHostAllocPortable));

    for (int i = 0; i < 5; ++i) all_reduce(gang, count);
    wait_for_all(gang);
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) times.push_back(one_call_us(gang, count, flag));
    std::sort(times.begin(), times.end());

    constexpr int in_a_row = 20;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < in_a_row; ++i) all_reduce(gang, count);
    wait_for_all(gang);
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - begin;
    std::printf("%zu %.3f %.3f\n", count * sizeof(float), times[times.size() / 2], all.count() / in_a_row);
    for (Member& one : gang) NCCL(ncclCommDestroy(one.communicator));
    return 0;
}

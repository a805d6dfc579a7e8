// SPDX-License-Identifier: MIT
// Collectives in their place among what else is in a stream, on all devices of one thread.
#include <cstdio>
#include <vector>

#include "common.h"

namespace {

constexpr int n = 5000;
int devices = 0;
std::vector<ncclComm_t> comms;
std::vector<cudaStream_t> streams;

__global__ void slow_fill(float* values, int count, float value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 200; ++round) __nanosleep(100);
    if (i < count) values[i] = value;
}

__global__ void add(float* values, int count, float value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += value;
}

__global__ void copy(float* to, const float* from, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i];
}

float first_and_last(const float* values) {
    float result[2];
    CUDA(cudaMemcpy(&result[0], values, sizeof(float), cudaMemcpyDefault));
    CUDA(cudaMemcpy(&result[1], values + n - 1, sizeof(float), cudaMemcpyDefault));
    return result[0] == result[1] ? result[0] : -1;
}

template <class Call>
void on_each(Call call) {
    for (int rank = 0; rank < devices; ++rank) {
        CUDA(cudaSetDevice(rank));
        call(rank);
    }
}

template <class Call>
void grouped(Call call) {
    NCCL(ncclGroupStart());
    on_each(call);
    NCCL(ncclGroupEnd());
}

void print(const char* what, const std::vector<float*>& values) {
    std::printf("%s:", what);
    on_each([&](int rank) { std::printf(" %g", first_and_last(values[rank])); });
    std::printf("\n");
}

}  // namespace

int main() {
    CUDA(cudaGetDeviceCount(&devices));
    comms.resize(devices);
    streams.resize(devices);
    std::vector<float*> values(devices), copies(devices);
    std::vector<cudaStream_t> others(devices);
    std::vector<cudaEvent_t> done(devices);
    NCCL(ncclCommInitAll(comms.data(), devices, nullptr));
    on_each([&](int rank) {
        CUDA(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking));
        CUDA(cudaStreamCreateWithFlags(&others[rank], cudaStreamNonBlocking));
        CUDA(cudaEventCreate(&done[rank]));
        CUDA(cudaMalloc(&values[rank], n * sizeof(float)));
        NCCL(ncclMemAlloc(reinterpret_cast<void**>(&copies[rank]), n * sizeof(float)));
    });
    const auto all_reduce = [&](int rank, cudaStream_t stream) {
        NCCL(ncclAllReduce(values[rank], values[rank], n, ncclFloat32, ncclSum, comms[rank], stream));
    };

    // Kernels before and after in the stream.
    on_each([&](int rank) { slow_fill<<<20, 256, 0, streams[rank]>>>(values[rank], n, 1); });
    grouped([&](int rank) { all_reduce(rank, streams[rank]); });
    on_each([&](int rank) { add<<<20, 256, 0, streams[rank]>>>(values[rank], n, 0.5f); });
    on_each([&](int rank) { CUDA(cudaStreamSynchronize(streams[rank])); });
    print("kernels", values);

    // An event in the stream, which another one waits for.
    on_each([&](int rank) { slow_fill<<<20, 256, 0, streams[rank]>>>(values[rank], n, 2); });
    grouped([&](int rank) { all_reduce(rank, streams[rank]); });
    on_each([&](int rank) {
        CUDA(cudaEventRecord(done[rank], streams[rank]));
        CUDA(cudaStreamWaitEvent(others[rank], done[rank]));
        CUDA(cudaMemcpyAsync(copies[rank], values[rank], n * sizeof(float), cudaMemcpyDeviceToDevice, others[rank]));
    });
    on_each([&](int rank) { CUDA(cudaStreamSynchronize(others[rank])); });
    print("events", copies);

    // Null streams, of each communicator's own device whichever is current.
    on_each([&](int rank) { slow_fill<<<20, 256>>>(values[rank], n, 3); });
    NCCL(ncclGroupStart());
    for (int rank = 0; rank < devices; ++rank) all_reduce(rank, nullptr);
    NCCL(ncclGroupEnd());
    print("null streams", values);

    // Several calls in a group, on two streams: both wait for both.
    on_each([&](int rank) {
        slow_fill<<<20, 256, 0, streams[rank]>>>(values[rank], n, 4);
        slow_fill<<<20, 256, 0, others[rank]>>>(copies[rank], n, static_cast<float>(5 + rank));
    });
    NCCL(ncclGroupStart());
    grouped([&](int rank) {
        all_reduce(rank, streams[rank]);
        NCCL(ncclBroadcast(copies[rank], copies[rank], n, ncclFloat32, 0, comms[rank], others[rank]));
    });
    NCCL(ncclGroupEnd());
    on_each([&](int rank) { add<<<20, 256, 0, others[rank]>>>(values[rank], n, 0.25f); });
    on_each([&](int rank) { CUDA(cudaDeviceSynchronize()); });
    print("two streams", values);
    print("two streams", copies);

    // A collective orders what comes before it on one rank and after it on another, which reads the first one's memory.
    on_each([&](int rank) {
        for (int peer = 0; peer < devices; ++peer) {
            if (peer != rank) CUDA(cudaDeviceEnablePeerAccess(peer, 0));
        }
        slow_fill<<<20, 256, 0, streams[rank]>>>(values[rank], n, static_cast<float>(10 + rank));
    });
    grouped([&](int rank) { NCCL(ncclBcast(copies[rank], 1, ncclFloat32, 0, comms[rank], streams[rank])); });
    on_each([&](int rank) { copy<<<20, 256, 0, streams[rank]>>>(copies[rank], values[(rank + 1) % devices], n); });
    on_each([&](int rank) { CUDA(cudaStreamSynchronize(streams[rank])); });
    print("peers", copies);

    // A graph of each rank, launched twice.
    std::vector<cudaGraphExec_t> graphs(devices);
    on_each([&](int rank) { CUDA(cudaStreamBeginCapture(streams[rank], cudaStreamCaptureModeThreadLocal)); });
    on_each([&](int rank) { fill<<<20, 256, 0, streams[rank]>>>(values[rank], n, 6); });
    grouped([&](int rank) { all_reduce(rank, streams[rank]); });
    on_each([&](int rank) { add<<<20, 256, 0, streams[rank]>>>(values[rank], n, 0.5f); });
    on_each([&](int rank) {
        cudaGraph_t graph;
        CUDA(cudaStreamEndCapture(streams[rank], &graph));
        CUDA(cudaGraphInstantiate(&graphs[rank], graph, 0));
        CUDA(cudaGraphDestroy(graph));
    });
    for (int launch = 0; launch < 2; ++launch) {
        on_each([&](int rank) { CUDA(cudaGraphLaunch(graphs[rank], streams[rank])); });
    }
    on_each([&](int rank) { CUDA(cudaStreamSynchronize(streams[rank])); });
    print("graphs", values);

    on_each([&](int rank) {
        CUDA(cudaGraphExecDestroy(graphs[rank]));
        NCCL(ncclCommDestroy(comms[rank]));
        CUDA(cudaEventDestroy(done[rank]));
        CUDA(cudaStreamDestroy(streams[rank]));
        CUDA(cudaStreamDestroy(others[rank]));
        CUDA(cudaFree(values[rank]));
        NCCL(ncclMemFree(copies[rank]));
    });
}

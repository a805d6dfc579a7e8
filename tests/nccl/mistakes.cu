// SPDX-License-Identifier: MIT
// What a program can do wrong with NCCL, by name, on two devices in one thread:
//     mistakes NAME
#include <cstdio>
#include <cstring>

#include "common.h"

namespace {

constexpr int n = 1000;
ncclComm_t comms[2];
cudaStream_t streams[2];
float* buffers[2];

ncclResult_t all_reduce(int rank, const float* send, float* receive, size_t count, ncclRedOp_t operation = ncclSum) {
    return ncclAllReduce(send, receive, count, ncclFloat32, operation, comms[rank], streams[rank]);
}

// The same call for both ranks in a group; what the calls and the group returned.
template <class Call>
void grouped(Call call) {
    NCCL(ncclGroupStart());
    const int first = call(0), second = call(1);
    std::printf("calls %d %d, group %d\n", first, second, ncclGroupEnd());
}

bool make(const char* name) {
    const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("missing-rank")) {
        all_reduce(0, buffers[0], buffers[0], n);
    } else if (is("missing-rank-of-a-thread-that-asks")) {
        all_reduce(0, buffers[0], buffers[0], n);
        while (cudaStreamQuery(streams[0]) == cudaErrorNotReady) {}
    } else if (is("no-group")) {
        for (int rank = 0; rank < 2; ++rank) all_reduce(rank, buffers[rank], buffers[rank], n);
    } else if (is("message-without-group")) {
        ncclSend(buffers[0], n, ncclFloat32, 1, comms[0], streams[0]);
        ncclRecv(buffers[1], n, ncclFloat32, 0, comms[1], streams[1]);
    } else if (is("crossing-messages")) {
        grouped([](int rank) { return ncclSend(buffers[rank], n, ncclFloat32, 1 - rank, comms[rank], streams[rank]); });
        grouped([](int rank) { return ncclRecv(buffers[rank], n, ncclFloat32, 1 - rank, comms[rank], streams[rank]); });
    } else if (is("counts")) {
        grouped([](int rank) { return all_reduce(rank, buffers[rank], buffers[rank], n - rank); });
    } else if (is("operators")) {
        grouped([](int rank) { return all_reduce(rank, buffers[rank], buffers[rank], n, rank ? ncclMax : ncclSum); });
    } else if (is("types")) {
        grouped([](int rank) {
            return ncclBcast(buffers[rank], n, rank ? ncclInt32 : ncclFloat32, 0, comms[rank], streams[rank]);
        });
    } else if (is("roots")) {
        grouped([](int rank) {
            return ncclBroadcast(buffers[rank], buffers[rank], n, ncclFloat32, rank, comms[rank], streams[rank]);
        });
    } else if (is("collectives")) {
        grouped([](int rank) {
            return rank ? ncclBcast(buffers[1], n, ncclFloat32, 0, comms[1], streams[1])
                        : all_reduce(0, buffers[0], buffers[0], n);
        });
    } else if (is("message-counts")) {
        grouped([](int rank) {
            return rank ? ncclRecv(buffers[1], n - 1, ncclFloat32, 0, comms[1], streams[1])
                        : ncclSend(buffers[0], n, ncclFloat32, 1, comms[0], streams[0]);
        });
    } else if (is("other-device")) {
        grouped([](int rank) { return all_reduce(rank, buffers[0], buffers[rank], n); });
    } else if (is("host-memory")) {
        static float host[n];
        grouped([](int rank) { return all_reduce(rank, host, buffers[rank], n); });
    } else if (is("small-allocation")) {
        grouped([](int rank) { return all_reduce(rank, buffers[rank], buffers[rank], n + 1); });
    } else if (is("overlap")) {
        grouped([](int rank) { return all_reduce(rank, buffers[rank], buffers[rank] + 1, n - 1); });
    } else if (is("null")) {
        grouped([](int rank) { return all_reduce(rank, buffers[rank], nullptr, n); });
    } else if (is("freed")) {
        CUDA(cudaFree(buffers[0]));
        grouped([](int rank) { return all_reduce(rank, buffers[rank], buffers[rank], n); });
    } else if (is("destroyed")) {
        NCCL(ncclCommDestroy(comms[0]));
        std::printf("call %d\n", all_reduce(0, buffers[0], buffers[0], n));
        comms[0] = nullptr;
    } else if (is("stream-of-another-device")) {
        std::printf("call %d\n", ncclAllReduce(buffers[0], buffers[0], n, ncclFloat32, ncclSum, comms[0], streams[1]));
    } else if (is("root")) {
        std::printf("call %d\n", ncclBcast(buffers[0], n, ncclFloat32, 2, comms[0], streams[0]));
    } else if (is("device-twice")) {
        ncclComm_t twice[2];
        const int devices[2] = {1, 1};
        std::printf("call %d\n", ncclCommInitAll(twice, 2, devices));
    } else if (is("too-many-devices")) {
        ncclComm_t three[3];
        std::printf("call %d\n", ncclCommInitAll(three, 3, nullptr));
    } else if (is("rank-alone")) {
        ncclUniqueId id;
        ncclComm_t comm;
        NCCL(ncclGetUniqueId(&id));
        std::printf("call %d\n", ncclCommInitRank(&comm, 2, id, 0));
    } else if (is("end-without-start")) {
        std::printf("call %d\n", ncclGroupEnd());
    } else if (is("unordered-kernel")) {
        cudaStream_t other;
        CUDA(cudaSetDevice(0));
        CUDA(cudaStreamCreate(&other));
        CUDA(cudaStreamSynchronize(streams[0]));  // else the buffer's first kernel may be the one that races
        grouped([](int rank) { return all_reduce(rank, buffers[rank], buffers[rank], n); });
        fill<<<4, 256, 0, other>>>(buffers[0], n, 9);
    } else if (is("uninitialized")) {
        float* empty;
        CUDA(cudaSetDevice(1));
        CUDA(cudaMalloc(&empty, n * sizeof(float)));
        grouped([=](int rank) { return all_reduce(rank, rank ? empty : buffers[0], buffers[rank], n); });
    } else {
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    NCCL(ncclCommInitAll(comms, 2, nullptr));
    for (int rank = 0; rank < 2; ++rank) {
        CUDA(cudaSetDevice(rank));
        CUDA(cudaStreamCreate(&streams[rank]));
        CUDA(cudaMalloc(&buffers[rank], n * sizeof(float)));
        fill<<<4, 256, 0, streams[rank]>>>(buffers[rank], n, static_cast<float>(rank));
    }
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    if (argc != 2 || !make(argv[1])) return std::printf("usage: mistakes NAME\n"), 2;
    for (int rank = 0; rank < 2; ++rank) {
        CUDA(cudaSetDevice(rank));
        std::printf("stream %d: %s\n", rank, cudaGetErrorString(cudaStreamSynchronize(streams[rank])));
    }
    return 0;
}

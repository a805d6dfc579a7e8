// SPDX-License-Identifier: MIT
// One rank of a communicator in a thread or in a process:
//     ranks threads                 a thread for each device
//     ranks group                   one thread, which makes and splits all communicators in groups
//     ranks RANK RANKS ID [END]     this process; the unique id goes through the file ID ("": NCCL_COMM_ID is set)
// END is how the rank ends in between: killed, exits, aborts, destroys, sleeps, late; others poll for that with "polls".
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "common.h"

namespace {

constexpr int n = 100003, rounds = 20;

// The sum over ranks and rounds of what the ranks put in.
void work(ncclComm_t comm, int rank, const std::string& end) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    float *values, result[2];
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc(&values, n * sizeof(float)));
    for (int round = 0; round < rounds; ++round) {
        if (round == 2 && !end.empty() && end != "polls") {
            CUDA(cudaStreamSynchronize(stream));
            if (end == "killed") kill(getpid(), SIGKILL);
            if (end == "exits") _exit(0);
            if (end == "late") usleep(1500000);
            if (end == "sleeps") pause();
            if (end == "aborts") {
                NCCL(ncclCommAbort(comm));
                return;
            }
            if (end == "destroys") {
                NCCL(ncclCommDestroy(comm));
                pause();
            }
        }
        fill<<<(n + 255) / 256, 256, 0, stream>>>(values, n, static_cast<float>(rank + round));
        NCCL(ncclAllReduce(values, values, n, ncclFloat32, ncclSum, comm, stream));
        if (end != "polls") continue;
        while (cudaStreamQuery(stream) == cudaErrorNotReady) {
            ncclResult_t state;
            NCCL(ncclCommGetAsyncError(comm, &state));
            if (state != ncclSuccess) {
                std::printf("rank %d: %s\n", rank, ncclGetErrorString(state));
                NCCL(ncclCommAbort(comm));
                std::exit(7);
            }
            usleep(1000);
        }
    }
    CUDA(cudaMemcpyAsync(&result[0], values, sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyAsync(&result[1], values + n - 1, sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));

    // The even ranks and the odd ones, the last first.
    ncclComm_t half;
    int size, place;
    NCCL(ncclCommSplit(comm, rank % 2, -rank, &half, nullptr));
    NCCL(ncclCommCount(half, &size));
    NCCL(ncclCommUserRank(half, &place));
    fill<<<1, 1, 0, stream>>>(values, 1, static_cast<float>(rank));
    NCCL(ncclBcast(values, 1, ncclFloat32, 0, half, stream));
    float first;
    CUDA(cudaMemcpyAsync(&first, values, sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    std::printf("rank %d of %d: %g %g, then %d of %d under rank %g\n", rank, ranks, result[0], result[1], place, size,
                first);
    NCCL(ncclCommDestroy(half));
    NCCL(ncclCommDestroy(comm));
    CUDA(cudaFree(values));
}

int in_threads() {
    int devices;
    ncclUniqueId id;
    CUDA(cudaGetDeviceCount(&devices));
    NCCL(ncclGetUniqueId(&id));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < devices; ++rank) {
        threads.emplace_back([=] {
            ncclComm_t comm;
            CUDA(cudaSetDevice(rank));
            NCCL(ncclCommInitRank(&comm, devices, id, rank));
            work(comm, rank, "");
        });
    }
    for (std::thread& thread : threads) thread.join();
    return 0;
}

int in_group() {
    int devices;
    ncclUniqueId id;
    CUDA(cudaGetDeviceCount(&devices));
    NCCL(ncclGetUniqueId(&id));
    std::vector<ncclComm_t> comms(devices), parts(devices);
    NCCL(ncclGroupStart());
    for (int rank = 0; rank < devices; ++rank) {
        CUDA(cudaSetDevice(rank));
        NCCL(ncclCommInitRank(&comms[rank], devices, id, rank));
    }
    NCCL(ncclGroupEnd());
    // The last device is in no part, the others are in one, in reverse order.
    NCCL(ncclGroupStart());
    for (int rank = 0; rank < devices; ++rank) {
        const int color = rank == devices - 1 ? NCCL_SPLIT_NOCOLOR : 7;
        NCCL(ncclCommSplit(comms[rank], color, -rank, &parts[rank], nullptr));
    }
    NCCL(ncclGroupEnd());
    for (int rank = 0; rank < devices; ++rank) {
        int place = -1, device = -1;
        if (parts[rank]) {
            NCCL(ncclCommUserRank(parts[rank], &place));
            NCCL(ncclCommCuDevice(parts[rank], &device));
            NCCL(ncclCommDestroy(parts[rank]));
        }
        std::printf("device %d: rank %d on %d\n", rank, place, device);
        NCCL(ncclCommDestroy(comms[rank]));
    }
    return 0;
}

ncclUniqueId id_through(const std::string& file, int rank) {
    ncclUniqueId id;
    if (rank == 0 || file.empty()) NCCL(ncclGetUniqueId(&id));
    if (file.empty()) return id;
    if (rank == 0) {
        const std::string unfinished = file + ".part";
        FILE* const out = std::fopen(unfinished.c_str(), "w");
        std::fwrite(&id, sizeof id, 1, out);
        std::fclose(out);
        std::rename(unfinished.c_str(), file.c_str());
        return id;
    }
    FILE* in = nullptr;
    while (!(in = std::fopen(file.c_str(), "r"))) usleep(1000);
    if (std::fread(&id, sizeof id, 1, in) != 1) std::exit(6);
    std::fclose(in);
    return id;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2) return std::strcmp(argv[1], "group") == 0 ? in_group() : in_threads();
    if (argc < 4) return 2;
    const int rank = std::atoi(argv[1]), ranks = std::atoi(argv[2]);
    const std::string end = argc > 4 ? argv[4] : "";
    ncclUniqueId id = id_through(argv[3], rank);
    if (end == "before") kill(getpid(), SIGKILL);
    ncclComm_t comm;
    NCCL(ncclCommInitRank(&comm, ranks, id, rank));
    work(comm, rank, end);
}

// SPDX-License-Identifier: MIT
// Every collective, with every type and operator, on all devices of one thread, held against the host:
//     collectives COUNT...
// Prints the number of results that were compared, or what is wrong first.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common.h"

namespace {

int devices = 0;
size_t compared = 0;
std::vector<ncclComm_t> comms;
std::vector<cudaStream_t> streams;

// Small numbers, exact in every type, and different in each rank.
int value_of(int rank, size_t i) { return static_cast<int>((i * 7 + static_cast<size_t>(rank) * 3) % 5) + 1; }

template <class T>
T from_int(int value) {
    return static_cast<T>(value);
}
template <>
__half from_int<__half>(int value) {
    return __float2half(static_cast<float>(value));
}
template <>
__nv_bfloat16 from_int<__nv_bfloat16>(int value) {
    return __float2bfloat16(static_cast<float>(value));
}

template <class T>
double to_double(T value) {
    return static_cast<double>(value);
}
template <>
double to_double(__half value) {
    return __half2float(value);
}
template <>
double to_double(__nv_bfloat16 value) {
    return __bfloat162float(value);
}

// A send and a receive buffer on each device; in place, the smaller one is the rank's block of the larger one.
template <class T>
struct Buffers {
    std::vector<T*> send, receive;
    size_t sent, received;
    bool is_in_place;

    Buffers(size_t sent_, size_t received_, bool in_place, bool receive_is_part)
        : send(devices), receive(devices), sent(sent_), received(received_), is_in_place(in_place) {
        for (int rank = 0; rank < devices; ++rank) {
            CUDA(cudaSetDevice(rank));
            const size_t part = receive_is_part ? received : sent, whole = receive_is_part ? sent : received;
            if (in_place) {
                T* memory;
                CUDA(cudaMalloc(&memory, (whole + 1) * sizeof(T)));
                T* const inner = part == whole ? memory : memory + rank * part;
                send[rank] = receive_is_part ? memory : inner;
                receive[rank] = receive_is_part ? inner : memory;
            } else {
                CUDA(cudaMalloc(&send[rank], (sent + 1) * sizeof(T)));
                CUDA(cudaMalloc(&receive[rank], (received + 1) * sizeof(T)));
            }
            std::vector<T> host(sent);
            for (size_t i = 0; i < sent; ++i) host[i] = from_int<T>(value_of(rank, i));
            if (!in_place) CUDA(cudaMemset(receive[rank], 0x55, received * sizeof(T)));
            CUDA(cudaMemcpy(send[rank], host.data(), sent * sizeof(T), cudaMemcpyHostToDevice));
        }
    }

    template <class Expected>
    void expect(int rank, const char* what, Expected expected) {
        CUDA(cudaSetDevice(rank));
        std::vector<T> host(received);
        CUDA(cudaMemcpy(host.data(), receive[rank], received * sizeof(T), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < received; ++i) {
            const double wanted = to_double(from_int<T>(expected(i)));
            if (!(to_double(host[i]) == wanted)) {
                std::printf("%s, rank %d of %d, element %zu of %zu: %g rather than %g\n", what, rank, devices, i,
                            received, to_double(host[i]), wanted);
                std::exit(1);
            }
            ++compared;
        }
    }

    ~Buffers() {
        for (int rank = 0; rank < devices; ++rank) {
            cudaSetDevice(rank);
            const bool receive_is_part = received < sent;
            cudaFree(is_in_place ? (receive_is_part ? send[rank] : receive[rank]) : send[rank]);
            if (!is_in_place) cudaFree(receive[rank]);
        }
    }
};

template <class Call>
void grouped(Call call) {
    NCCL(ncclGroupStart());
    for (int rank = 0; rank < devices; ++rank) call(rank);
    NCCL(ncclGroupEnd());
    for (int rank = 0; rank < devices; ++rank) CUDA(cudaStreamSynchronize(streams[rank]));
}

int reduced(ncclRedOp_t operation, size_t i) {
    int result = value_of(0, i);
    for (int rank = 1; rank < devices; ++rank) {
        const int other = value_of(rank, i);
        if (operation == ncclSum || operation == ncclAvg) result += other;
        if (operation == ncclProd) result *= other;
        if (operation == ncclMax) result = other > result ? other : result;
        if (operation == ncclMin) result = other < result ? other : result;
    }
    return operation == ncclAvg ? result / devices : result;
}

template <class T>
void reductions(ncclDataType_t type, size_t count, bool in_place) {
    const size_t all = static_cast<size_t>(devices);
    for (const ncclRedOp_t operation : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
        // (Means of floating-point numbers are rounded: arithmetic.cu has them. A product of five factors may not fit into
        // a small type.)
        const bool is_integer = type < ncclFloat16;
        if (operation == ncclAvg && !is_integer && devices > 1) continue;
        if (operation == ncclProd && devices > 2 && type != ncclFloat32 && type != ncclInt64 && type != ncclFloat64)
            continue;
        {
            Buffers<T> buffers(count, count, in_place, false);
            grouped([&](int rank) {
                NCCL(ncclAllReduce(buffers.send[rank], buffers.receive[rank], count, type, operation, comms[rank],
                                   streams[rank]));
            });
            for (int rank = 0; rank < devices; ++rank) {
                buffers.expect(rank, "all-reduce", [&](size_t i) { return reduced(operation, i); });
            }
        }
        {
            const int root = devices - 1;
            Buffers<T> buffers(count, count, in_place, false);
            grouped([&](int rank) {
                T* const target = rank == root || in_place ? buffers.receive[rank] : nullptr;
                NCCL(ncclReduce(buffers.send[rank], target, count, type, operation, root, comms[rank], streams[rank]));
            });
            buffers.expect(root, "reduce", [&](size_t i) { return reduced(operation, i); });
        }
        {
            Buffers<T> buffers(count * all, count, in_place, true);
            grouped([&](int rank) {
                NCCL(ncclReduceScatter(buffers.send[rank], buffers.receive[rank], count, type, operation, comms[rank],
                                       streams[rank]));
            });
            for (int rank = 0; rank < devices; ++rank) {
                buffers.expect(rank, "reduce-scatter", [&](size_t i) { return reduced(operation, rank * count + i); });
            }
        }
    }
}

template <class T>
void moves(ncclDataType_t type, size_t count, bool in_place) {
    const size_t all = static_cast<size_t>(devices);
    const int root = devices / 2;
    {
        Buffers<T> buffers(count, count, in_place, false);
        grouped([&](int rank) {
            NCCL(ncclBroadcast(buffers.send[rank], buffers.receive[rank], count, type, root, comms[rank],
                               streams[rank]));
        });
        for (int rank = 0; rank < devices; ++rank) {
            buffers.expect(rank, "broadcast", [&](size_t i) { return value_of(root, i); });
        }
    }
    if (in_place) {
        Buffers<T> buffers(count, count, true, false);
        grouped([&](int rank) { NCCL(ncclBcast(buffers.send[rank], count, type, root, comms[rank], streams[rank])); });
        for (int rank = 0; rank < devices; ++rank) {
            buffers.expect(rank, "bcast", [&](size_t i) { return value_of(root, i); });
        }
    }
    {
        Buffers<T> buffers(count, count * all, in_place, false);
        grouped([&](int rank) {
            NCCL(ncclAllGather(buffers.send[rank], buffers.receive[rank], count, type, comms[rank], streams[rank]));
        });
        for (int rank = 0; rank < devices; ++rank) {
            buffers.expect(rank, "all-gather",
                           [&](size_t i) { return value_of(static_cast<int>(i / count), i % count); });
        }
    }
    {
        Buffers<T> buffers(count, count * all, in_place, false);
        grouped([&](int rank) {
            NCCL(ncclGather(buffers.send[rank], buffers.receive[rank], count, type, root, comms[rank], streams[rank]));
        });
        buffers.expect(root, "gather", [&](size_t i) { return value_of(static_cast<int>(i / count), i % count); });
    }
    {
        Buffers<T> buffers(count * all, count, in_place, true);
        grouped([&](int rank) {
            NCCL(ncclScatter(buffers.send[rank], buffers.receive[rank], count, type, root, comms[rank], streams[rank]));
        });
        for (int rank = 0; rank < devices; ++rank) {
            buffers.expect(rank, "scatter", [&](size_t i) { return value_of(root, rank * count + i); });
        }
    }
    if (in_place) return;
    {
        Buffers<T> buffers(count * all, count * all, false, false);
        grouped([&](int rank) {
            NCCL(ncclAlltoAll(buffers.send[rank], buffers.receive[rank], count, type, comms[rank], streams[rank]));
        });
        for (int rank = 0; rank < devices; ++rank) {
            buffers.expect(rank, "all-to-all",
                           [&](size_t i) { return value_of(static_cast<int>(i / count), rank * count + i % count); });
        }
    }
    {
        // To the next rank, and at the same time from the previous one; alone, to itself.
        Buffers<T> buffers(count, count, false, false);
        grouped([&](int rank) {
            NCCL(ncclSend(buffers.send[rank], count, type, (rank + 1) % devices, comms[rank], streams[rank]));
            NCCL(ncclRecv(buffers.receive[rank], count, type, (rank + devices - 1) % devices, comms[rank],
                          streams[rank]));
        });
        for (int rank = 0; rank < devices; ++rank) {
            buffers.expect(rank, "ring", [&](size_t i) { return value_of((rank + devices - 1) % devices, i); });
        }
    }
}

template <class T>
void all_of(ncclDataType_t type, size_t count) {
    for (const bool in_place : {false, true}) {
        reductions<T>(type, count, in_place);
        moves<T>(type, count, in_place);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CUDA(cudaGetDeviceCount(&devices));
    comms.resize(devices);
    streams.resize(devices);
    NCCL(ncclCommInitAll(comms.data(), devices, nullptr));
    for (int rank = 0; rank < devices; ++rank) {
        int count, device, user;
        NCCL(ncclCommCount(comms[rank], &count));
        NCCL(ncclCommCuDevice(comms[rank], &device));
        NCCL(ncclCommUserRank(comms[rank], &user));
        if (count != devices || device != rank || user != rank) return std::printf("rank %d is another\n", rank), 1;
        CUDA(cudaSetDevice(rank));
        CUDA(cudaStreamCreate(&streams[rank]));
    }
    for (int argument = 1; argument < argc; ++argument) {
        const size_t count = std::strtoull(argv[argument], nullptr, 10);
        if (count > 100000) {
            all_of<float>(ncclFloat32, count);
            continue;
        }
        all_of<double>(ncclFloat64, count);
#ifndef ONE_TYPE
        all_of<signed char>(ncclInt8, count);
        all_of<unsigned char>(ncclUint8, count);
        all_of<int>(ncclInt32, count);
        all_of<unsigned>(ncclUint32, count);
        all_of<long long>(ncclInt64, count);
        all_of<unsigned long long>(ncclUint64, count);
        all_of<__half>(ncclFloat16, count);
        all_of<float>(ncclFloat32, count);
        all_of<__nv_bfloat16>(ncclBfloat16, count);
#endif
    }
    for (int rank = 0; rank < devices; ++rank) {
        NCCL(ncclCommFinalize(comms[rank]));
        NCCL(ncclCommDestroy(comms[rank]));
    }
    std::printf("%zu\n", compared);
}

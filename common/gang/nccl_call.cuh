// SPDX-License-Identifier: MIT
// A collective as calls to NCCL.
#pragma once

#include "common/gang/nccl.cuh"
#include "common/gang/operations.hpp"

namespace BACKEND {

// One rank's part.
struct NcclPart {
    const Nccl& nccl;
    const CollectiveShape& shape;
    size_t rank;
    const void* input;
    void* output;
    size_t element_bytes;
    ncclDataType_t type;
    ncclRedOp_t operation;
    ncclComm_t communicator;
    cudaStream_t stream;

    // Must be called for all ranks, within a group.
    void call() const {
        const int root = static_cast<int>(shape.root);
        switch (shape.operation) {
            case Collective::all_reduce:
                return expect(nccl.all_reduce(input, output, shape.n, type, operation, communicator, stream),
                              "ncclAllReduce");
            case Collective::reduce_scatter:
                return expect(nccl.reduce_scatter(input, output, shape.share(), type, operation, communicator, stream),
                              "ncclReduceScatter");
            case Collective::all_gather:
                return expect(nccl.all_gather(input, output, shape.share(), type, communicator, stream),
                              "ncclAllGather");
            case Collective::broadcast:
                return expect(nccl.broadcast(input, output, shape.n, type, root, communicator, stream),
                              "ncclBroadcast");
            case Collective::reduce:
                return expect(nccl.reduce(input, output, shape.n, type, operation, root, communicator, stream),
                              "ncclReduce");
            case Collective::all_to_all:
                for (size_t peer = 0; peer < shape.ranks; ++peer)
                    exchange(peer, peer, peer * shape.share() * element_bytes, shape.share());
                return;
            case Collective::ring:
                return exchange((rank + 1) % shape.ranks, (rank + shape.ranks - 1) % shape.ranks, 0, shape.n);
        }
    }

private:
    void expect(ncclResult_t result, const char* call) const { nccl.expect(result, call, communicator); }

    // Sends and receives `count` elements at `offset`, in bytes, of the two buffers.
    void exchange(size_t to, size_t from, size_t offset, size_t count) const {
        expect(nccl.send(static_cast<const char*>(input) + offset, count, type, int(to), communicator, stream),
               "ncclSend");
        expect(nccl.receive(static_cast<char*>(output) + offset, count, type, int(from), communicator, stream),
               "ncclRecv");
    }
};

}  // namespace BACKEND

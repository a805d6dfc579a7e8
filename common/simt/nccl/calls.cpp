// SPDX-License-Identifier: MIT
// The functions of NCCL for collectives, messages and groups.
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "common/simt/nccl/buffers.hpp"
#include "common/simt/nccl/group.hpp"

namespace simt::nccl {
namespace {

// The arguments of a call, or defaults where it has none.
struct Arguments {
    const void* send = nullptr;
    void* receive = nullptr;
    size_t count = 0;
    ncclDataType_t type = ncclFloat32;
    int operation = -1;  // -1: no reduction
    int root = -1;
    bool has_root = false;
};

// The stream that the handle means on the communicator's device, whichever device is current.
std::shared_ptr<Stream> stream_of(const Communicator& communicator, cudaStream_t handle) {
    const int current = current_device_index();
    set_current_device_index(communicator.device);
    auto stream = find_stream(handle);
    set_current_device_index(current);
    if (!stream) throw Refusal{ncclInvalidArgument, "there is no such stream"};
    if (stream->device().index() == communicator.device) return stream;
    throw Refusal{ncclInvalidArgument, "the stream belongs to device " + std::to_string(stream->device().index()) +
                                           ", but the communicator's rank is on device " +
                                           std::to_string(communicator.device)};
}

Operator operator_of(Communicator& communicator, int operation, ncclDataType_t type) {
    if (!can_reduce(type)) {
        throw Refusal{ncclInvalidArgument, std::string("the simulator does not reduce ") + name_of(type) +
                                               "; collectives that only move data accept it"};
    }
    Operator how;
    how.operation = operation;
    if (operation >= 0 && operation < ncclNumOps) return how;
    const std::lock_guard lock(communicator.mutex);
    const auto found = communicator.operators.find(operation);
    if (found == communicator.operators.end()) {
        throw Refusal{ncclInvalidArgument,
                      "there is no operator " + std::to_string(operation) + " of this communicator"};
    }
    if (found->second.first == type) return found->second.second;
    throw Refusal{ncclInvalidArgument, std::string("the operator was made for ") + name_of(found->second.first) +
                                           ", but the call has " + name_of(type)};
}

// Makes a call and checks what a single rank can check.
Call make_call(Kind kind, const Arguments& arguments, ncclComm_t handle, cudaStream_t stream, const CallPlace& place) {
    Call call{kind};
    call.communicator = find_communicator(handle);
    Communicator& communicator = *call.communicator;
    if (bytes_of(arguments.type) == 0) {
        throw Refusal{ncclInvalidArgument, "there is no data type " + std::to_string(static_cast<int>(arguments.type))};
    }
    const bool is_rank = arguments.root >= 0 && arguments.root < communicator.ranks();
    if (arguments.has_root && !is_rank) {
        throw Refusal{ncclInvalidArgument, "there is no rank " + std::to_string(arguments.root) + " among the " +
                                               std::to_string(communicator.ranks()) + " of the communicator"};
    }
    const size_t most = SIZE_MAX / 16 / static_cast<size_t>(communicator.ranks());
    if (arguments.count > most) throw Refusal{ncclInvalidArgument, "the count is too large"};
    call.send = arguments.send;
    call.receive = arguments.receive;
    call.count = arguments.count;
    call.type = arguments.type;
    call.root = arguments.root;
    call.place = place;
    call.how.operation = -1;
    if (arguments.operation != -1) call.how = operator_of(communicator, arguments.operation, arguments.type);
    call.stream = stream_of(communicator, stream);
    if (runtime().device(communicator.device).broken()) {
        throw Refusal{ncclUnhandledCudaError, "device " + std::to_string(communicator.device) + " has failed"};
    }
    if (const auto wrong = wrong_with_buffers(call)) throw Refusal{ncclInvalidArgument, *wrong};
    return call;
}

ncclResult_t submit(Kind kind, const Arguments& arguments, ncclComm_t handle, cudaStream_t stream, const void* pc) {
    const CallPlace place = called_from(pc);
    Group& group = Group::current();
    const ncclResult_t result = nccl_function(place, [&] {
        try {
            Call call = make_call(kind, arguments, handle, stream, place);
            // As in NCCL, an empty collective does nothing, but an empty message still needs its other half.
            if (call.count > 0 || call.is_message()) group.add(std::move(call));
        } catch (const Refusal& refusal) {
            if (refusal.text.empty()) throw;
            const std::string where = text_of(place);
            throw Refusal{refusal.code,
                          std::string(name_of(kind)) + (where.empty() ? "" : " at " + where) + ": " + refusal.text};
        }
        return ncclSuccess;
    });
    if (result != ncclSuccess && group.is_open()) group.fail(result);
    return result;
}

}  // namespace
}  // namespace simt::nccl

using namespace simt::nccl;

#define CALLER __builtin_return_address(0)

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t communicator, cudaStream_t stream) {
    return submit(Kind::all_reduce, {send, receive, count, type, operation}, communicator, stream, CALLER);
}

ncclResult_t ncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                        int root, ncclComm_t communicator, cudaStream_t stream) {
    return submit(Kind::reduce, {send, receive, count, type, operation, root, true}, communicator, stream, CALLER);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
    return submit(Kind::reduce_scatter, {send, receive, count, type, operation}, communicator, stream, CALLER);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
    return submit(Kind::broadcast, {send, receive, count, type, -1, root, true}, communicator, stream, CALLER);
}

ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t communicator,
                       cudaStream_t stream) {
    return submit(Kind::broadcast, {buffer, buffer, count, type, -1, root, true}, communicator, stream, CALLER);
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
    return submit(Kind::all_gather, {send, receive, count, type}, communicator, stream, CALLER);
}

ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t communicator,
                          cudaStream_t stream) {
    return submit(Kind::all_to_all, {send, receive, count, type}, communicator, stream, CALLER);
}

ncclResult_t ncclGather(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                        ncclComm_t communicator, cudaStream_t stream) {
    return submit(Kind::gather, {send, receive, count, type, -1, root, true}, communicator, stream, CALLER);
}

ncclResult_t ncclScatter(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                         ncclComm_t communicator, cudaStream_t stream) {
    return submit(Kind::scatter, {send, receive, count, type, -1, root, true}, communicator, stream, CALLER);
}

ncclResult_t ncclSend(const void* send, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
    return submit(Kind::send, {send, nullptr, count, type, -1, peer, true}, communicator, stream, CALLER);
}

ncclResult_t ncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
    return submit(Kind::receive, {nullptr, receive, count, type, -1, peer, true}, communicator, stream, CALLER);
}

ncclResult_t ncclGroupStart() {
    Group::current().start();
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    return nccl_function(called_from(CALLER), [] {
        Group::current().end();
        return ncclSuccess;
    });
}

#undef CALLER

// SPDX-License-Identifier: MIT
#include "common/simt/nccl/group.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "common/simt/nccl/run.hpp"
#include "common/simt/runtime/graph.hpp"

namespace simt::nccl {
namespace {

using Calls = std::vector<Call>;

int32_t thread_number() { return static_cast<int32_t>(syscall(SYS_gettid)); }

// Shows the other ranks what this one has called.
void publish(const Call& call, bool is_group) {
    Communicator& communicator = *call.communicator;
    RankState& state = communicator.clique->mine();
    std::strncpy(state.text, call.text().c_str(), bytes_of_text - 1);
    uint64_t number = 0;
    if (!call.is_message()) {
        const std::lock_guard lock(communicator.mutex);
        number = ++communicator.collectives_called;
        state.called = number;
    }
    state.number_outside_group = number;
    state.peer_outside_group = call.is_message() ? call.root : -1;
    state.thread_outside_group = is_group ? 0 : thread_number();
}

// If one thread calls for two ranks outside of a group, the first call may wait for the second.
void refuse_without_group(const Call& call) {
    Communicator& communicator = *call.communicator;
    const Clique& clique = *communicator.clique;
    const RankState& mine = clique.mine();
    for (int rank = 0; rank < clique.ranks(); ++rank) {
        const RankState& other = clique.state(rank);
        if (rank == clique.rank() || !clique.is_here(rank) || other.left) continue;
        if (other.thread_outside_group != mine.thread_outside_group) continue;
        if (other.number_outside_group != mine.number_outside_group) continue;
        if (call.is_message() && (call.root != rank || other.peer_outside_group != clique.rank())) continue;
        const std::string text = "one thread called " + call.text() + " for rank " + std::to_string(clique.rank()) +
                                 " and " + other.text + " for rank " + std::to_string(rank) + " of " +
                                 std::to_string(clique.ranks()) +
                                 " outside of a group, where each call may wait for the other; put calls for several "
                                 "devices of one thread between ncclGroupStart and ncclGroupEnd";
        clique.break_off(text);
        if (fail_operation(text, call.place)) throw Refusal{ncclInvalidUsage, ""};
    }
}

// The calls' streams, each once.
std::vector<std::shared_ptr<Stream>> streams_of(const Calls& calls) {
    std::vector<std::shared_ptr<Stream>> streams;
    for (const Call& call : calls) {
        if (std::find(streams.begin(), streams.end(), call.stream) == streams.end()) streams.push_back(call.stream);
    }
    return streams;
}

// Puts the work into a graph. Its nodes run one after another, so ranks that wait for each other need their own graphs.
void capture(const std::vector<std::shared_ptr<Calls>>& batches) {
    std::vector<const Capture*> captures;
    for (const auto& calls : batches) {
        const auto streams = streams_of(*calls);
        const auto capture = streams.front()->capture();
        if (streams.size() > 1 || !capture) {
            throw Refusal{ncclInvalidUsage, "a captured group must use one stream for each communicator"};
        }
        if (std::find(captures.begin(), captures.end(), capture.get()) != captures.end()) {
            throw Refusal{
                ncclInvalidUsage,
                "the simulator runs a graph's nodes one after another: capture each rank's calls in a graph of "
                "its own"};
        }
        captures.push_back(capture.get());
    }
    for (const auto& calls : batches) {
        const Operation operation = {cudaGraphNodeTypeHost, [calls] { return run(*calls); }};
        if (const cudaError_t error = dispatch(*calls->front().stream, operation)) {
            throw Refusal{ncclUnhandledCudaError, std::string("the capture failed: ") + cudaGetErrorString(error)};
        }
    }
}

// Enqueues one operation for all calls on one communicator, before and after which all their streams wait for each
// other. `begun`: the marks at which all ranks of the group have come to it.
void enqueue(const std::shared_ptr<Calls>& calls, const std::vector<Ticket>& begun) {
    Communicator& communicator = *calls->front().communicator;
    const auto streams = streams_of(*calls);
    Stream& first = *streams.front();
    std::vector<Ticket> after = begun;
    for (size_t other = 1; other < streams.size(); ++other) after.push_back(streams[other]->last_ticket());
    const std::lock_guard lock(communicator.mutex);
    after.push_back(communicator.last);
    communicator.last = first.device().enqueue(
        first, [calls] { return run(*calls); }, after);
    for (size_t other = 1; other < streams.size(); ++other) {
        streams[other]->device().enqueue(*streams[other], [] { return 0; }, {communicator.last});
    }
}

// Marks the beginnings, so that the checkers know: work before the operation in one rank's stream is ordered before
// work after it in another's.
std::vector<Ticket> mark_beginnings(const std::vector<std::shared_ptr<Calls>>& batches) {
    std::vector<Ticket> begun;
    if (!events().orders_operations || batches.size() < 2) return begun;
    for (const auto& calls : batches) {
        for (const auto& stream : streams_of(*calls)) {
            begun.push_back(stream->device().enqueue(*stream, [] { return 0; }));
        }
    }
    return begun;
}

}  // namespace

Group& Group::current() {
    static thread_local const auto group = std::make_unique<Group>();
    return *group;
}

void Group::end() {
    if (depth_ == 0) throw Refusal{ncclInvalidUsage, "ncclGroupEnd was called without ncclGroupStart"};
    if (--depth_ > 0) return;
    auto calls = std::exchange(calls_, {});
    auto set_ups = std::exchange(set_ups_, {});
    const ncclResult_t failure = std::exchange(failure_, ncclSuccess);
    if (failure != ncclSuccess) throw Refusal{failure, ""};  // as the call that failed has reported
    set_ups_ = std::move(set_ups);
    run_set_ups();
    if (!calls.empty()) launch(std::move(calls), true);
}

void Group::add(Call call) {
    if (is_open()) return calls_.push_back(std::move(call));
    std::vector<Call> alone;
    alone.push_back(std::move(call));
    launch(std::move(alone), false);
}

void Group::add(std::unique_ptr<SetUp> set_up) {
    set_ups_.push_back(std::move(set_up));
    if (!is_open()) run_set_ups();
}

void Group::run_set_ups() {
    const auto set_ups = std::exchange(set_ups_, {});
    for (int number = 0; number < SetUp::steps; ++number) {
        for (const auto& set_up : set_ups) set_up->step(number);
    }
}

void Group::launch(std::vector<Call> calls, bool is_group) {
    std::vector<std::shared_ptr<Calls>> batches;  // by communicator
    bool is_captured = false;
    for (Call& call : calls) {
        const Clique& clique = *call.communicator->clique;
        if (clique.is_broken())
            throw Refusal{ncclRemoteError, "the communicator is no longer usable: " + clique.broken_text()};
        publish(call, is_group);
        if (!is_group) refuse_without_group(call);
        is_captured |= call.stream->capturing();
        const auto same = std::find_if(batches.begin(), batches.end(), [&](const auto& batch) {
            return batch->front().communicator == call.communicator;
        });
        const auto batch = same != batches.end() ? *same : batches.emplace_back(std::make_shared<Calls>());
        batch->push_back(std::move(call));
    }
    if (is_captured) return capture(batches);
    const auto begun = mark_beginnings(batches);
    for (const auto& batch : batches) enqueue(batch, begun);
}

// ---- the functions of NCCL for collectives, messages and groups

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

// SPDX-License-Identifier: MIT
// NCCL for simulated devices. In come a program's calls, as include/nccl.h declares them; out go operations of its
// streams, which move data between the buffers of the ranks, codes and texts for ncclGetLastError().
//
// From a call to memory: ncclAllReduce() and its relatives (group.cpp) check their arguments and the buffers (run.hpp)
// and make a Call of them. It waits in the thread's group until the outermost ncclGroupEnd(), or is a group by itself.
// A group (group.hpp) puts the calls of each communicator into one operation of the caller's stream, after the
// communicator's previous one, so that all of them progress together.
//
// The stream's thread executes the operation (run.hpp). It meets the threads of the other ranks at the object that they
// share (clique.hpp), within one process or across several, and all compare their calls. Then each collective advances
// piece by piece: every rank puts a piece of its buffer into its slot; each rank reduces a share of the piece over all
// slots, starting with rank 0; every rank copies its part into its own buffer. No rank ever touches another's buffer,
// so in-place calls are not a special case, and the checkers see that each buffer is used by its own stream. Messages
// go through the mailbox of their pair of ranks.
//
// A waiting rank watches the missing ones (Watch in run.hpp). If one has ended, has left, or will never come because nothing
// in its process works any more, the wait ends, and so does the program, with a message.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/nccl/clique.hpp"
#include "common/simt/nccl/clique_entry.hpp"
#include "common/simt/nccl/misuse.hpp"
#include "common/simt/nccl/reduction.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::nccl {

/// One rank of a communicator: the object behind an ncclComm_t.
struct Communicator {
    Communicator(std::unique_ptr<Clique> clique_, int device_) : clique(std::move(clique_)), device(device_) {}

    const std::unique_ptr<Clique> clique;
    const int device;
    std::atomic<ncclResult_t> asynchronous_error{ncclSuccess};
    std::atomic<bool> is_asked{false};  ///< the program has called ncclCommGetAsyncError()

    std::mutex mutex;                                              ///< guards the members below
    Ticket last;                                                   ///< of its latest operation
    std::map<int, std::pair<ncclDataType_t, Operator>> operators;  ///< by ncclRedOp_t
    uint64_t collectives_called = 0;

    uint64_t collectives_begun = 0;  ///< only used by its operations, which run one at a time

    int rank() const { return clique->rank(); }
    int ranks() const { return clique->ranks(); }
};
using CommunicatorPointer = std::shared_ptr<Communicator>;

HandleTable<Communicator>& communicators();

/// Throws Refusal (ncclInvalidArgument) if there is no such communicator.
CommunicatorPointer find_communicator(ncclComm_t handle);

/// "rank 1 of 4"
std::string text_of_rank(int rank, int ranks);

/// A collective, or one half of a message, as called by one rank.
struct Call {
    Kind kind;
    const void* send = nullptr;
    void* receive = nullptr;
    size_t count = 0;
    ncclDataType_t type = ncclFloat32;
    Operator how = {};
    int root = -1;  ///< for a message, the peer
    CommunicatorPointer communicator = {};
    std::shared_ptr<Stream> stream = {};
    CallPlace place = {};

    bool is_message() const { return kind == Kind::send || kind == Kind::receive; }
    size_t element() const { return bytes_of(type); }
    Signature signature() const;
    /// "ncclAllReduce(8 x float32, sum)"; text() appends " at a.cu:12".
    std::string text_alone() const;
    std::string text() const;
};

/// Runs the body of a function of NCCL. Failures become codes, with a text for ncclGetLastError(), and are reported if
/// they are the program's fault.
template <typename Body>
ncclResult_t nccl_function(const CallPlace& place, Body body) {
    if (in_kernel()) fail_lane("a function of NCCL was called in a kernel");
    const RuntimeSection section;
    try {
        return unless_short([&] {
            if (inside_host_function()) throw Refusal{ncclInvalidUsage, "a function in a stream cannot call NCCL"};
            if (runtime().device_count() == 0) throw Refusal{ncclUnhandledCudaError, "there is no device"};
            return body();
        });
    } catch (const Refusal& refusal) {
        if (!refusal.text.empty()) report_misuse(refusal.text, place);
        return refusal.code;
    }
}

}  // namespace simt::nccl

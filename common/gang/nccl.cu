// SPDX-License-Identifier: MIT
#include "common/gang/nccl.cuh"

#include <stdlib.h>

#include <cstddef>
#include <exception>

#include "common/cuda/peer_access.cuh"
#include "common/io/failure.hpp"
#include "common/io/text.hpp"

namespace BACKEND {

#ifndef __SIMCC__
Library Nccl::load() {
    // Standard output is for results, so the output of NCCL_DEBUG goes to standard error.
    if (getenv("NCCL_DEBUG")) setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0);
    return Library({"libnccl.so.2", "libnccl.so"}, true);
}

template <typename Function>
void Nccl::find(Function& function, const char* name) {
    if (!library_.find(function, name) && why_not_.empty())
        why_not_ = text("libnccl.so.2 has no {}; install NCCL 2.13 or later", name);
}
#endif

Nccl::Nccl() {
#ifndef __SIMCC__
    if (!library_) {
        why_not_ = "libnccl.so.2 was not found; install libnccl2, or name its folder in LD_LIBRARY_PATH";
        return;
    }
#define FIND(member, name) find(member, #name)
#else
#define FIND(member, name) member = name
#endif
    FIND(get_version, ncclGetVersion);
    FIND(get_unique_id, ncclGetUniqueId);
    FIND(comm_init_all, ncclCommInitAll);
    FIND(comm_init_rank, ncclCommInitRank);
    FIND(comm_destroy, ncclCommDestroy);
    FIND(comm_abort, ncclCommAbort);
    FIND(comm_get_async_error, ncclCommGetAsyncError);
    FIND(get_error_string, ncclGetErrorString);
    FIND(get_last_error, ncclGetLastError);
    FIND(group_start, ncclGroupStart);
    FIND(group_end, ncclGroupEnd);
    FIND(all_reduce, ncclAllReduce);
    FIND(reduce_scatter, ncclReduceScatter);
    FIND(all_gather, ncclAllGather);
    FIND(broadcast, ncclBroadcast);
    FIND(reduce, ncclReduce);
    FIND(send, ncclSend);
    FIND(receive, ncclRecv);
#undef FIND
#ifndef __SIMCC__
    library_.find(comm_split, "ncclCommSplit");
#else
    comm_split = [](ncclComm_t parent, int color, int key, ncclComm_t* result, void* config) {
        return ncclCommSplit(parent, color, key, result, static_cast<ncclConfig_t*>(config));
    };
#endif
}

std::string Nccl::version() const {
    int code = 0;
    if (!why_not_.empty() || get_version(&code) != ncclSuccess) return "";
    const int base = code < 10000 ? 1000 : 10000;
    return text("{}.{}.{}", code / base, code % base / 100, code % 100);
}

static const char* remedy(ncclResult_t result) {
    switch (result) {
        case ncclSystemError:
            return "NCCL_DEBUG=WARN says which system call failed; a full /dev/shm and a wrong "
                   "NCCL_SOCKET_IFNAME are common causes";
        case ncclUnhandledCudaError:
            return "NCCL_DEBUG=WARN says which CUDA call failed; often the driver is older than NCCL's CUDA, or "
                   "memory is short";
        case ncclRemoteError: return "another rank has ended or lost its connection; see its message";
        default: return "NCCL_DEBUG=WARN says more";
    }
}

void Nccl::fail_nccl(ncclResult_t result, const char* call, ncclComm_t communicator) const {
    const char* const last = get_last_error(communicator);
    const std::string details = last && *last ? text(" ({})", last) : "";
    const char* const address = getenv("NCCL_COMM_ID");
    const std::string port =
        address && *address ? text("; if others use NCCL_COMM_ID={}, choose another port", address) : "";
    fail(Exit::cuda_error, "{}: {}{}; {}{}", call, get_error_string(result), details, remedy(result), port);
}

Communicators::Communicators(const Nccl& nccl, const std::vector<int>& ordinals) : nccl_(nccl), own_(ordinals.size()) {
    nccl.expect(nccl.comm_init_all(own_.data(), static_cast<int>(ordinals.size()), ordinals.data()), "ncclCommInitAll");
}

Communicators::Communicators(const Nccl& nccl, const ncclUniqueId& id, std::size_t ranks, std::size_t first,
                             const std::vector<int>& ordinals)
    : nccl_(nccl), first_(first), own_(ordinals.size()) {
    nccl.group([&] {
        for (std::size_t i = 0; i < ordinals.size(); ++i) {
            const OnDevice there(ordinals[i]);
            nccl.expect(nccl.comm_init_rank(&own_[i], static_cast<int>(ranks), id, static_cast<int>(first + i)),
                        "ncclCommInitRank");
        }
    });
    // (Asking tells the simulator's NCCL that we notice ourselves when a rank has ended.)
    ncclResult_t none = ncclSuccess;
    for (const ncclComm_t one : own_) nccl.expect(nccl.comm_get_async_error(one, &none), "ncclCommGetAsyncError");
}

// After a failure, destroying might wait for a rank that never comes.
Communicators::~Communicators() {
    if (std::uncaught_exceptions() > 0) abort();
    for (const ncclComm_t one : own_) static_cast<void>(nccl_.comm_destroy(one));
}

void Communicators::abort() {
    for (const ncclComm_t one : own_) static_cast<void>(nccl_.comm_abort(one));
    own_.clear();
}

}  // namespace BACKEND

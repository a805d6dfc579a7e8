#pragma once
// NCCL: on a GPU found at run time, so that everything builds and runs on a machine without it; in the simulator simcc's.
#include <cuda_runtime.h>

#if __has_include(<nccl.h>)
#include <nccl.h>
#else
#include "common/gang/nccl_types.cuh"
#endif
#include <limits.h>
#include <stdlib.h>

#include <exception>
#include <string>
#include <vector>

#ifndef __SIMCC__
#include "common/cuda/library.hpp"
#endif
#include "common/cuda/peer_access.cuh"
#include "common/io/failure.hpp"
#include "common/io/text.hpp"

namespace BACKEND {

/// The functions of the library, by their names without "nccl". Whoever calls one gives the result to expect(). The library
/// stays loaded until the process ends: threads of its own may outlive its communicators.
class Nccl {
public:
    Nccl() {
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
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    /// Why there is none, and what to do; "" if there is.
    const std::string& why_not() const { return why_not_; }

    /// As in 2.28.9; "" if the library does not say.
    std::string version() const {
        int code = 0;
        if (!why_not_.empty() || get_version(&code) != ncclSuccess) return "";
        const int base = code < 10000 ? 1000 : 10000;
        return text("{}.{}.{}", code / base, code % base / 100, code % 100);
    }

    /// Throws Failure(cuda_error) unless `result` is success: the call, NCCL's words, and what to do.
    void expect(ncclResult_t result, const char* call, ncclComm_t communicator = nullptr) const {
        if (__builtin_expect(result != ncclSuccess, 0)) fail_nccl(result, call, communicator);
    }

    /// Calls `calls`, whose calls of several communicators are one operation.
    template <typename Calls>
    void group(Calls calls) const {
        expect(group_start(), "ncclGroupStart");
        try {
            calls();
        } catch (...) {
            static_cast<void>(group_end());
            throw;
        }
        expect(group_end(), "ncclGroupEnd");
    }

    decltype(&ncclGetVersion) get_version = nullptr;
    decltype(&ncclGetUniqueId) get_unique_id = nullptr;
    decltype(&ncclCommInitAll) comm_init_all = nullptr;
    decltype(&ncclCommInitRank) comm_init_rank = nullptr;
    decltype(&ncclCommDestroy) comm_destroy = nullptr;
    decltype(&ncclCommAbort) comm_abort = nullptr;
    decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
    decltype(&ncclGetErrorString) get_error_string = nullptr;
    decltype(&ncclGetLastError) get_last_error = nullptr;
    decltype(&ncclGroupStart) group_start = nullptr;
    decltype(&ncclGroupEnd) group_end = nullptr;
    decltype(&ncclAllReduce) all_reduce = nullptr;
    decltype(&ncclReduceScatter) reduce_scatter = nullptr;
    decltype(&ncclAllGather) all_gather = nullptr;
    decltype(&ncclBroadcast) broadcast = nullptr;
    decltype(&ncclReduce) reduce = nullptr;
    decltype(&ncclSend) send = nullptr;
    decltype(&ncclRecv) receive = nullptr;
    /// From 2.18 on; else null. (Older headers do not declare it.) `config` is an NcclConfig.
    using CommSplit = ncclResult_t(ncclComm_t parent, int color, int key, ncclComm_t* result, void* config);
    CommSplit* comm_split = nullptr;

private:
#ifndef __SIMCC__
    static Library load() {
        // Standard output is for results: what NCCL_DEBUG asks for goes to standard error.
        if (getenv("NCCL_DEBUG")) setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0);
        return Library({"libnccl.so.2", "libnccl.so"}, true);
    }

    template <typename Function>
    void find(Function& function, const char* name) {
        if (!library_.find(function, name) && why_not_.empty())
            why_not_ = text("libnccl.so.2 has no {}; install NCCL 2.13 or later", name);
    }
#endif

    static const char* remedy(ncclResult_t result) {
        switch (result) {
            case ncclSystemError:
                return "NCCL_DEBUG=WARN says which call of the system failed; a full /dev/shm and a wrong "
                       "NCCL_SOCKET_IFNAME are common causes";
            case ncclUnhandledCudaError:
                return "NCCL_DEBUG=WARN says which call of CUDA failed; often the driver is older than NCCL's CUDA, or "
                       "memory is short";
            case ncclRemoteError: return "another rank has ended or lost its connection; see its message";
            default: return "NCCL_DEBUG=WARN says more";
        }
    }

    [[noreturn]] void fail_nccl(ncclResult_t result, const char* call, ncclComm_t communicator) const {
        const char* const last = get_last_error(communicator);
        const std::string details = last && *last ? text(" ({})", last) : "";
        const char* const address = getenv("NCCL_COMM_ID");
        const std::string port =
            address && *address ? text("; if others use NCCL_COMM_ID={}, choose another port", address) : "";
        fail(Exit::cuda_error, "{}: {}{}; {}{}", call, get_error_string(result), details, remedy(result), port);
    }

#ifndef __SIMCC__
    const Library library_ = load();
#endif
    std::string why_not_;
};

/// How a communicator works, as in the header of 2.18: later versions know by the size which of their members it has.
struct NcclConfig {
    static constexpr int undefined = INT_MIN;

    std::size_t size = sizeof(NcclConfig);
    unsigned magic = 0xcafebeef, version = 21800;
    int blocking = undefined, cluster_size = undefined, least_blocks = undefined;
    int most_blocks = undefined;  // of its kernels, each on a multiprocessor
    const char* network = nullptr;
    int shares_resources = undefined;
};

/// The library's name of an element type.
template <typename T>
ncclDataType_t nccl_type() {
    if constexpr (std::is_same_v<T, float>) return ncclFloat32;
    else if constexpr (std::is_same_v<T, double>) return ncclFloat64;
    else if constexpr (std::is_same_v<T, std::int32_t>) return ncclInt32;
    else if constexpr (std::is_same_v<T, std::int64_t>) return ncclInt64;
    else if constexpr (std::is_same_v<T, __half>) return ncclFloat16;
    else return ncclBfloat16;
}

/// The communicators of this process's ranks: consecutive ones, the first of which is `first`.
class Communicators {
public:
    /// All ranks are devices of this process.
    Communicators(const Nccl& nccl, const std::vector<int>& ordinals) : nccl_(nccl), own_(ordinals.size()) {
        nccl.expect(nccl.comm_init_all(own_.data(), static_cast<int>(ordinals.size()), ordinals.data()),
                    "ncclCommInitAll");
    }
    /// `ranks` in all, in several processes, which know the same id: these are on the devices `ordinals`.
    Communicators(const Nccl& nccl, const ncclUniqueId& id, std::size_t ranks, std::size_t first,
                  const std::vector<int>& ordinals)
        : nccl_(nccl), first_(first), own_(ordinals.size()) {
        nccl.group([&] {
            for (std::size_t i = 0; i < ordinals.size(); ++i) {
                const OnDevice there(ordinals[i]);
                nccl.expect(nccl.comm_init_rank(&own_[i], static_cast<int>(ranks), id, static_cast<int>(first + i)),
                            "ncclCommInitRank");
            }
        });
        // (The simulator then leaves it to us to notice that a rank has ended.)
        ncclResult_t none = ncclSuccess;
        for (const ncclComm_t one : own_) nccl.expect(nccl.comm_get_async_error(one, &none), "ncclCommGetAsyncError");
    }
    /// After a failure a rank may be waited for that never comes.
    ~Communicators() {
        if (std::uncaught_exceptions() > 0) abort();
        for (const ncclComm_t one : own_) static_cast<void>(nccl_.comm_destroy(one));
    }
    Communicators(const Communicators&) = delete;
    Communicators& operator=(const Communicators&) = delete;

    ncclComm_t operator[](std::size_t rank) const { return own_[rank - first_]; }

    /// Ends all that they still do.
    void abort() {
        for (const ncclComm_t one : own_) static_cast<void>(nccl_.comm_abort(one));
        own_.clear();
    }

private:
    const Nccl& nccl_;
    const std::size_t first_ = 0;
    std::vector<ncclComm_t> own_;
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
#pragma once
// NCCL. For GPUs it is loaded at run time, so that everything builds and runs without it. The simulator has its own.
#include <cuda_runtime.h>

#if __has_include(<nccl.h>)
#include <nccl.h>
#else
#include "common/gang/nccl_types.cuh"
#endif
#include <limits.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#ifndef __SIMCC__
#include "common/cuda/library.hpp"
#endif

namespace BACKEND {

/// The functions of the library, named without "nccl". Callers pass the result to expect(). The library stays loaded
/// until the process ends, since its threads may outlive its communicators.
class Nccl {
public:
    Nccl();
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    /// Why NCCL is missing, and what to do; "" if it is not.
    const std::string& why_not() const { return why_not_; }

    /// Such as "2.28.9"; "" if unknown.
    std::string version() const;

    /// Throws Failure(cuda_error) unless `result` is success. Its message names the call, NCCL's error, and what to do.
    void expect(ncclResult_t result, const char* call, ncclComm_t communicator = nullptr) const {
        if (__builtin_expect(result != ncclSuccess, 0)) fail_nccl(result, call, communicator);
    }

    /// Calls `calls` within an NCCL group: its calls for several communicators are one operation.
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
    /// Null before NCCL 2.18, whose header does not declare it. `config` is an NcclConfig.
    using CommSplit = ncclResult_t(ncclComm_t parent, int color, int key, ncclComm_t* result, void* config);
    CommSplit* comm_split = nullptr;

private:
    [[noreturn]] void fail_nccl(ncclResult_t result, const char* call, ncclComm_t communicator) const;

#ifndef __SIMCC__
    static Library load();
    template <typename Function>
    void find(Function& function, const char* name);

    const Library library_ = load();
#endif
    std::string why_not_;
};

/// ncclConfig_t as in the header of 2.18. Later versions know by the size which members it has.
struct NcclConfig {
    static constexpr int undefined = INT_MIN;

    std::size_t size = sizeof(NcclConfig);
    unsigned magic = 0xcafebeef, version = 21800;
    int blocking = undefined, cluster_size = undefined, least_blocks = undefined;
    int most_blocks = undefined;  // of a kernel, each on a multiprocessor
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

/// The communicators of this process's ranks, which are consecutive.
class Communicators {
public:
    /// All ranks are devices of this process.
    Communicators(const Nccl& nccl, const std::vector<int>& ordinals);
    /// `ranks` ranks in several processes, which know the same id. Those of this process begin with rank `first`, and
    /// are on the devices `ordinals`.
    Communicators(const Nccl& nccl, const ncclUniqueId& id, std::size_t ranks, std::size_t first,
                  const std::vector<int>& ordinals);
    ~Communicators();
    Communicators(const Communicators&) = delete;
    Communicators& operator=(const Communicators&) = delete;

    ncclComm_t operator[](std::size_t rank) const { return own_[rank - first_]; }

    /// Aborts all operations in flight.
    void abort();

private:
    const Nccl& nccl_;
    const std::size_t first_ = 0;
    std::vector<ncclComm_t> own_;
};

}  // namespace BACKEND

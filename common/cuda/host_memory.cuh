// SPDX-License-Identifier: MIT
// The kinds of host memory that data can live in.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "common/cuda/check.cuh"
#include "common/io/text.hpp"

namespace BACKEND {

// How data get from the host to the device: not at all in the timed part, by copies, or on demand as the kernel runs.
enum class Transfer { none, copies, direct };

struct MemoryKind {
    const char* name;
    const char* idea;
    cudaError_t (*allocate)(void** pointer, size_t bytes);
    cudaError_t (*release)(void* pointer);
    Transfer transfer;  // direct: the kernel works on the host's pointers
};

inline cudaError_t allocate_pageable(void** pointer, size_t bytes) {
    *pointer = std::malloc(bytes);
    if (!*pointer) throw std::bad_alloc();
    return cudaSuccess;
}
inline cudaError_t release_pageable(void* pointer) {
    std::free(pointer);
    return cudaSuccess;
}
template <unsigned flags>
cudaError_t allocate_page_locked(void** pointer, size_t bytes) {
    return cudaHostAlloc(pointer, bytes, flags);
}
inline cudaError_t allocate_managed(void** pointer, size_t bytes) { return cudaMallocManaged(pointer, bytes); }

inline const MemoryKind memory_kinds[] = {
    {"device", "nothing leaves the device: only the kernel runs", allocate_pageable, release_pageable, Transfer::none},
    {"pageable", "malloc: the driver copies through its own pinned buffer", allocate_pageable, release_pageable,
     Transfer::copies},
    {"pinned", "page-locked: the copy engine reads and writes it directly", allocate_page_locked<cudaHostAllocDefault>,
     cudaFreeHost, Transfer::copies},
    {"write-combined", "page-locked and not cached by the CPU: fast to send, slow to read on the host",
     allocate_page_locked<cudaHostAllocWriteCombined>, cudaFreeHost, Transfer::copies},
    {"mapped", "zero-copy: the kernel reads and writes the host's memory over the bus",
     allocate_page_locked<cudaHostAllocMapped>, cudaFreeHost, Transfer::direct},
    {"managed",
     "one pointer for both: pages move to whoever touches them, while the kernel runs and while the host reads",
     allocate_managed, cudaFree, Transfer::direct},
};

inline std::vector<std::string> memory_kind_names() {
    std::vector<std::string> names;
    for (const MemoryKind& kind : memory_kinds) names.push_back(kind.name);
    return names;
}

inline const MemoryKind& memory_kind_named(std::string_view name) {
    for (const MemoryKind& kind : memory_kinds)
        if (name == kind.name) return kind;
    fail(Exit::usage, "unknown memory kind '{}'; choose among {}", name, list_text(memory_kind_names(), "and"));
}

// Splits a list of names; "all" is every kind. Failure(usage) for an unknown one.
inline std::vector<std::string> parse_memory_kinds(const std::string& list) {
    if (list == "all") return memory_kind_names();
    std::vector<std::string> names = split(list, ',');
    for (const std::string& name : names) static_cast<void>(memory_kind_named(name));
    return names;
}

// n elements of host memory of one kind.
template <typename T>
class HostVector {
public:
    HostVector(const MemoryKind& kind, size_t n) : kind_(kind) {
        void* pointer = nullptr;
        if (n > 0) CHECK(kind.allocate(&pointer, n * sizeof(T)));
        pointer_ = static_cast<T*>(pointer);
    }
    ~HostVector() {
        if (pointer_) static_cast<void>(kind_.release(pointer_));
    }
    HostVector(const HostVector&) = delete;
    HostVector& operator=(const HostVector&) = delete;
    T* data() const { return pointer_; }

private:
    const MemoryKind& kind_;
    T* pointer_ = nullptr;
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// RAII for CUDA resources: device memory, pinned host memory, streams and events. They can be moved, but not copied.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "common/cuda/check.cuh"
#include "common/io/text.hpp"

namespace BACKEND {

// The destructors ignore errors: an error that matters is sticky, and an earlier call has reported it.
struct DeviceDeleter {
    void operator()(void* pointer) const { static_cast<void>(cudaFree(pointer)); }
};
struct PinnedDeleter {
    void operator()(void* pointer) const { static_cast<void>(cudaFreeHost(pointer)); }
};

// Both throw a Failure(cuda_error) that says how many bytes were requested and how many are free.
inline void* allocate_device(std::size_t bytes) {
    void* pointer = nullptr;
    const cudaError_t error = cudaMalloc(&pointer, bytes);
    if (error != cudaSuccess)
        fail_cuda(error, text("cudaMalloc({})", human_bytes(double(bytes))).c_str(), __FILE__, __LINE__);
    return pointer;
}

inline void* allocate_pinned(std::size_t bytes, unsigned flags) {
    void* pointer = nullptr;
    const cudaError_t error = cudaHostAlloc(&pointer, bytes, flags);
    if (error != cudaSuccess)
        fail_cuda(error, text("cudaHostAlloc({})", human_bytes(double(bytes))).c_str(), __FILE__, __LINE__);
    return pointer;
}

// n elements of T; data() is null if n is 0.
template <typename T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t n)
        : pointer_(n == 0 ? nullptr : static_cast<T*>(allocate_device(n * sizeof(T)))), size_(n) {}
    T* data() const { return pointer_.get(); }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

private:
    std::unique_ptr<T, DeviceDeleter> pointer_;
    std::size_t size_ = 0;
};

// Page-locked host memory. Flags are cudaHostAlloc's: cudaHostAllocMapped, cudaHostAllocWriteCombined, ...
template <typename T>
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::size_t n, unsigned flags = cudaHostAllocDefault)
        : pointer_(n == 0 ? nullptr : static_cast<T*>(allocate_pinned(n * sizeof(T), flags))), size_(n) {}
    T* data() const { return pointer_.get(); }
    std::size_t size() const { return size_; }

private:
    std::unique_ptr<T, PinnedDeleter> pointer_;
    std::size_t size_ = 0;
};

class Stream {
public:
    // Priorities are cudaDeviceGetStreamPriorityRange's: 0 is the lowest, and the default.
    explicit Stream(unsigned flags = cudaStreamNonBlocking, int priority = 0) {
        CHECK(cudaStreamCreateWithPriority(&stream_, flags, priority));
    }
    ~Stream() {
        if (stream_) static_cast<void>(cudaStreamDestroy(stream_));
    }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&& other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }
    operator cudaStream_t() const { return stream_; }
    void synchronize() const { CHECK(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_ = nullptr;
};

// Both write device memory and wait until the write is complete. cudaMemcpy() may return as soon as it has read
// pageable memory, and cudaMemset() at once: a stream that does not wait for the null stream, such as ours, could see
// old contents.
inline void copy_to_device(void* device, const void* host, std::size_t bytes) {
    CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaStreamSynchronize(nullptr));
}
inline void fill_device(void* device, int byte, std::size_t bytes) {
    if (bytes == 0) return;
    CHECK(cudaMemset(device, byte, bytes));
    CHECK(cudaStreamSynchronize(nullptr));
}

class Event {
public:
    explicit Event(unsigned flags = cudaEventDefault) { CHECK(cudaEventCreateWithFlags(&event_, flags)); }
    ~Event() {
        if (event_) static_cast<void>(cudaEventDestroy(event_));
    }
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    operator cudaEvent_t() const { return event_; }
    void record(cudaStream_t stream) const { CHECK(cudaEventRecord(event_, stream)); }
    void synchronize() const { CHECK(cudaEventSynchronize(event_)); }

private:
    cudaEvent_t event_ = nullptr;
};

// Nanoseconds between two recorded and completed events.
inline double elapsed_ns(const Event& start, const Event& stop) {
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return double(milliseconds) * 1e6;
}

}  // namespace BACKEND

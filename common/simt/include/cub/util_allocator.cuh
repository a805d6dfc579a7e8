// SPDX-License-Identifier: MIT
// An allocator that keeps blocks of device memory for the next allocation of their size.
#ifndef SIMT_CUB_UTIL_ALLOCATOR
#define SIMT_CUB_UTIL_ALLOCATOR

#include <map>
#include <mutex>

#include "util_device.cuh"

CUB_NAMESPACE_OPEN

struct CachingDeviceAllocator {
    static constexpr size_t INVALID_SIZE = ~size_t(0);
    static constexpr int INVALID_DEVICE_ORDINAL = -1;

    CachingDeviceAllocator(unsigned bin_growth, unsigned min_bin = 1, unsigned max_bin = ~0u,
                           size_t max_cached_bytes = INVALID_SIZE, bool skip_cleanup = false)
        : growth_(bin_growth),
          least_(power(bin_growth, min_bin)),
          most_(max_bin == ~0u ? INVALID_SIZE : power(bin_growth, max_bin)),
          limit_(max_cached_bytes),
          skip_cleanup_(skip_cleanup) {}
    CachingDeviceAllocator(bool skip_cleanup = false, bool = false)
        : CachingDeviceAllocator(8, 3, 7, 6 * (size_t(1) << 20) - 1, skip_cleanup) {}
    CachingDeviceAllocator(const CachingDeviceAllocator&) = delete;
    CachingDeviceAllocator& operator=(const CachingDeviceAllocator&) = delete;
    ~CachingDeviceAllocator() {
        if (!skip_cleanup_) FreeAllCached();
    }

    cudaError_t SetMaxCachedBytes(size_t max_cached_bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        limit_ = max_cached_bytes;
        return cudaSuccess;
    }

    cudaError_t DeviceAllocate(int device, void** d_ptr, size_t bytes, cudaStream_t stream = nullptr) {
        *d_ptr = nullptr;
        const int entry = CurrentDevice();
        if (device == INVALID_DEVICE_ORDINAL) device = entry;
        size_t room = least_;
        while (room < bytes && room <= most_ / growth_) room *= growth_;
        if (room < bytes) room = bytes;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            // (Another stream's kernels may still use a block that this stream's would get.)
            const auto found = free_.find({device, room, stream});
            if (found != free_.end()) {
                *d_ptr = found->second;
                free_.erase(found);
                cached_ -= room;
                live_[*d_ptr] = {device, room, stream};
                return cudaSuccess;
            }
        }
        if (device != entry) cudaSetDevice(device);
        cudaError_t error = cudaMalloc(d_ptr, room);
        if (error == cudaErrorMemoryAllocation && FreeAllCached() == cudaSuccess) {
            cudaGetLastError();
            error = cudaMalloc(d_ptr, room);
        }
        if (device != entry) cudaSetDevice(entry);
        if (error != cudaSuccess) return error;
        const std::lock_guard<std::mutex> lock(mutex_);
        live_[*d_ptr] = {device, room, stream};
        return cudaSuccess;
    }
    cudaError_t DeviceAllocate(void** d_ptr, size_t bytes, cudaStream_t stream = nullptr) {
        return DeviceAllocate(INVALID_DEVICE_ORDINAL, d_ptr, bytes, stream);
    }

    cudaError_t DeviceFree(int, void* d_ptr) { return DeviceFree(d_ptr); }
    cudaError_t DeviceFree(void* d_ptr) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto found = live_.find(d_ptr);
            if (found != live_.end()) {
                const Block block = found->second;
                live_.erase(found);
                if (block.bytes <= most_ && cached_ + block.bytes <= limit_) {
                    free_.insert({block, d_ptr});
                    cached_ += block.bytes;
                    return cudaSuccess;
                }
            }
        }
        return cudaFree(d_ptr);
    }

    cudaError_t FreeAllCached() {
        const std::lock_guard<std::mutex> lock(mutex_);
        cudaError_t error = cudaSuccess;
        for (const auto& block : free_) {
            if (error == cudaSuccess) error = cudaFree(block.second);
        }
        free_.clear();
        cached_ = 0;
        return error;
    }

private:
    struct Block {
        int device;
        size_t bytes;
        cudaStream_t stream;
        bool operator<(const Block& other) const {
            if (device != other.device) return device < other.device;
            return bytes != other.bytes ? bytes < other.bytes : stream < other.stream;
        }
    };

    static size_t power(size_t base, unsigned exponent) {
        size_t result = 1;
        for (; exponent > 0 && result < INVALID_SIZE / base; --exponent) result *= base;
        return result;
    }

    std::mutex mutex_;
    const size_t growth_, least_, most_;
    size_t limit_, cached_ = 0;
    const bool skip_cleanup_;
    std::multimap<Block, void*> free_;
    std::map<void*, Block> live_;
};

CUB_NAMESPACE_CLOSE
#endif

#ifdef THRUST_VERSION
#include_next <cub/util_allocator.cuh>
#endif

// SPDX-License-Identifier: MIT
// Page-locked slots for pieces that go to the device: the copy engine reads some while threads fill others.
#pragma once

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/cuda/device_info.hpp"
#include "common/cuda/peer_access.cuh"
#include "common/io/number_reader.hpp"
#include "common/io/pipeline.hpp"

namespace BACKEND {

// Page-locked memory. cudaHostAlloc took 0.5 to 1 ms for a MiB (H100); to lock large pages that exist, a tenth of that,
// and several threads can make them at once.
inline void* allocate_locked(std::size_t bytes) {
    constexpr std::size_t page = 4096, large_page = std::size_t{2} << 20;
    const std::size_t alignment = bytes < large_page ? page : large_page;
    const std::size_t whole_bytes = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, whole_bytes);
    if (!memory) throw std::bad_alloc();
    if (alignment == large_page) static_cast<void>(madvise(memory, whole_bytes, MADV_HUGEPAGE));
    for (std::size_t at = 0; at < whole_bytes; at += page) static_cast<std::byte*>(memory)[at] = std::byte{};
    if (cudaHostRegister(memory, whole_bytes, cudaHostRegisterPortable) == cudaSuccess) return memory;
    // Some systems can only allocate.
    static_cast<void>(cudaGetLastError());
    std::free(memory);
    return allocate_pinned(bytes, cudaHostAllocPortable);
}

inline void release_locked(void* memory) {
    if (cudaHostUnregister(memory) == cudaSuccess) return std::free(memory);
    static_cast<void>(cudaGetLastError());
    static_cast<void>(cudaFreeHost(memory));
}

inline const SlotMemory pinned_memory = {allocate_locked, release_locked};

// Elements in a piece: enough to be worth a copy and a launch, few enough for many slots.
constexpr std::size_t device_piece_elements = elements_of_large_piece;

// The most elements in a piece of text, if it is single digits.
constexpr std::size_t most_text_elements = large_text_block_bytes / 2;

// A slot on the host and its piece on the device. All work for one slot is enqueued in one stream; the work of
// different slots overlaps.
struct DeviceSlot {
    Slot host{pinned_memory};
    Piece d_piece;

    DeviceSlot() = default;
    DeviceSlot(DeviceSlot&& other) noexcept = default;
    // (After a failure, the copy engine may still read what is about to be freed.)
    ~DeviceSlot() {
        if (is_in_flight_) static_cast<void>(cudaEventSynchronize(copied_));
    }

    // Enqueues the copy of the host's piece, placed after the elements of `ahead`, which have its type.
    void upload(cudaStream_t stream, const Piece& ahead = {}) {
        const std::size_t size = size_of(host.piece.dtype);
        const std::size_t bytes_ahead = ahead.count * size, bytes = host.piece.count * size;
        if (bytes_ahead + bytes > room_.size()) room_ = DeviceBuffer<std::byte>(roomy(bytes_ahead + bytes));
        d_piece = {host.piece.dtype, ahead.count + host.piece.count, room_.data()};
        if (bytes_ahead > 0)
            CHECK(cudaMemcpyAsync(room_.data(), ahead.bytes, bytes_ahead, cudaMemcpyHostToDevice, stream));
        CHECK(cudaMemcpyAsync(room_.data() + bytes_ahead, host.piece.bytes, bytes, cudaMemcpyHostToDevice, stream));
        copied_.record(stream);
        is_in_flight_ = true;
    }
    // Returns once the host's memory may be written again.
    void wait_for_upload() {
        if (is_in_flight_) copied_.synchronize();
        is_in_flight_ = false;
    }

private:
    DeviceBuffer<std::byte> room_;
    Event copied_{cudaEventDisableTiming};
    bool is_in_flight_ = false;
};

// Functions to call, in order, when the work in their slots' streams is complete. Each runs with the device current
// that was current when it was pushed.
class PendingResults {
public:
    // After a failure, waits for what uses the slots' memory.
    ~PendingResults() {
        for (const Pending& one : pending_) static_cast<void>(cudaStreamSynchronize(one.stream));
    }
    void push(std::size_t slot, cudaStream_t stream, std::function<void()> finish) {
        int device = 0;
        CHECK(cudaGetDevice(&device));
        pending_.push_back({slot, device, stream, std::move(finish)});
    }
    // Finishes what is pending for the slot, and everything pushed before it.
    void complete(std::size_t slot) {
        const auto is_of_slot = [=](const Pending& one) { return one.slot == slot; };
        while (std::any_of(pending_.begin(), pending_.end(), is_of_slot)) complete_oldest();
    }
    void complete_all() {
        while (!pending_.empty()) complete_oldest();
    }

private:
    struct Pending {
        std::size_t slot;
        int device;
        cudaStream_t stream;
        std::function<void()> finish;
    };

    void complete_oldest() {
        const OnDevice there(pending_.front().device);
        CHECK(cudaStreamSynchronize(pending_.front().stream));
        pending_.front().finish();
        pending_.pop_front();
    }

    std::deque<Pending> pending_;
};

// The most host memory that all slots may take together; if they would take more, there are fewer threads.
constexpr std::size_t slots_bytes = std::size_t{320} << 20;

// More than twelve threads brought a device no more numbers (H100, 16 processors), unless they parse text, too. Each
// thread has two slots, so that it fills one while the other is copied, and more if the devices would otherwise not have
// two each.
inline PipelineShape device_pipeline(std::size_t slot_bytes, std::size_t devices, bool parses_text) {
    const std::size_t cores = std::max(usable_cores(), 2U);
    const std::size_t most = most_pipeline_threads;
    const std::size_t useful = parses_text ? most : std::min(12 * devices, most);
    const std::size_t with_memory = std::max<std::size_t>(slots_bytes / slot_bytes / 2, 2);
    const std::size_t threads = std::min({cores, useful, with_memory});
    const std::size_t slots_per_thread = std::max<std::size_t>((2 * devices + threads - 1) / threads, 2);
    return {static_cast<unsigned>(threads), static_cast<unsigned>(slots_per_thread)};
}

// Deals a pipeline's slots, and with them the pieces of the input, to the devices in turn: threads fill slots of all
// devices at once, whether from a file, a pipe or text. Pieces are finished in the order of the input, so the result is
// that of one device.
class SlotDevices {
public:
    SlotDevices(const std::vector<DeviceInfo>& devices, const PipelineShape& shape) : devices_(devices), shape_(shape) {
        make_contexts();
    }
    // `slot_bytes`: the host memory that a slot takes. `parses_text`: its thread parses what it reads.
    SlotDevices(const std::vector<DeviceInfo>& devices, std::size_t slot_bytes, bool parses_text)
        : SlotDevices(devices, device_pipeline(slot_bytes, devices.size(), parses_text)) {}

    const PipelineShape& shape() const { return shape_; }
    const DeviceInfo& of(std::size_t slot) const { return devices_[slot % devices_.size()]; }
    // Makes a slot's device the calling thread's current one.
    void enter(std::size_t slot) const { CHECK(cudaSetDevice(of(slot).ordinal)); }
    // The results of make(device), called for each slot with the slot's device current.
    template <typename Make>
    auto for_each_slot(Make make) const {
        std::vector<decltype(make(devices_.front()))> made;
        for (std::size_t slot = 0; slot < shape_.slots(); ++slot) {
            const OnDevice there(of(slot).ordinal);
            made.push_back(make(of(slot)));
        }
        return made;
    }

private:
    // A context takes a fraction of a second to create, so those of several devices are created at once. A failure here
    // is reported where the device is first used.
    void make_contexts() const {
        std::vector<std::thread> threads;
        try {
            for (std::size_t i = 1; i < devices_.size(); ++i)
                threads.emplace_back([ordinal = devices_[i].ordinal] { static_cast<void>(cudaSetDevice(ordinal)); });
        } catch (const std::exception&) {  // no more threads or memory: the other contexts are created later
        }
        static_cast<void>(cudaSetDevice(devices_.front().ordinal));
        for (std::thread& thread : threads) thread.join();
    }

    const std::vector<DeviceInfo> devices_;
    const PipelineShape shape_;
};

}  // namespace BACKEND

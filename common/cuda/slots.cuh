// Slots whose pieces go on to the device: page-locked, so that the copy engine reads them while threads fill others.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "common/cuda/buffers.cuh"
#include "common/io/numbers.hpp"
#include "common/io/pipeline.hpp"

namespace BACKEND {

inline const SlotMemory pinned_memory = {
    [](std::size_t bytes) { return allocate_pinned(bytes, cudaHostAllocDefault); },
    [](void* memory) { static_cast<void>(cudaFreeHost(memory)); },
};

// Elements of a piece: enough of them to be worth a copy and a launch, and few enough for many slots.
constexpr std::size_t device_piece_elements = std::size_t{1} << 20;

// A slot on the host and its piece on the device. What is enqueued for it goes into one stream; those of different slots
// overlap.
struct DeviceSlot {
    Slot host{pinned_memory};
    Piece d_piece;

    // Enqueues the copy of the host's piece.
    void upload(cudaStream_t stream) {
        const std::size_t bytes = host.piece.count * size_of(host.piece.dtype);
        if (bytes > room_.size()) room_ = DeviceBuffer<std::byte>(bytes);
        d_piece = {host.piece.dtype, host.piece.count, room_.data()};
        CHECK(cudaMemcpyAsync(room_.data(), host.piece.bytes, bytes, cudaMemcpyHostToDevice, stream));
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

// What is to be done, in order, when what the slots' streams have been given is complete.
class PendingResults {
public:
    void push(std::size_t slot, cudaStream_t stream, std::function<void()> finish) {
        pending_.push_back({slot, stream, std::move(finish)});
    }
    // Finishes what is pending for the slot, and all before it.
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
        cudaStream_t stream;
        std::function<void()> finish;
    };

    void complete_oldest() {
        CHECK(cudaStreamSynchronize(pending_.front().stream));
        pending_.front().finish();
        pending_.pop_front();
    }

    std::deque<Pending> pending_;
};

// Beyond eight threads the bus is the limit; two slots each, so that a thread fills one while the other is copied.
inline PipelineShape device_pipeline() { return {std::clamp(usable_cores(), 2U, 8U), 2}; }

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// What the filter keeps in memory: pieces of the signal, and their outputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/cuda/slots.cuh"
#include "common/io/slot.hpp"
#include "tools/conv1d/host_pieces.hpp"
#include "tools/conv1d/method.cuh"

namespace BACKEND {

// Consecutive outputs.
template <typename T>
struct Outputs {
    explicit Outputs(const SlotMemory& memory) : room(memory) {}
    void make_room(size_t n) { piece = {dtype_of<T>, n, room.reserve(n * sizeof(T))}; }
    T* data() const { return piece.as<T>(); }
    bool are_finite() const { return is_all_finite(data(), piece.count); }

    Piece piece;
    std::string text;

private:
    SlotBuffer room;
};

// A piece of the signal, and its outputs.
template <typename T>
struct ConvolutionSlot {
    ConvolutionSlot() : ahead_room(pageable_memory), outputs(pageable_memory) {}
    ConvolutionSlot(const DeviceInfo& device_, const std::vector<T>& h_taps)
        : ahead_room(pinned_memory),
          outputs(pinned_memory),
          device(device_),
          on_device(std::make_unique<DeviceSlot>()),
          stream(std::make_unique<Stream>()),
          taps(std::make_unique<TapArrays<T>>(h_taps)) {}
    Slot& signal() { return on_device ? on_device->host : on_host; }

    Slot on_host;
    SlotBuffer ahead_room;
    Outputs<T> outputs;
    // On the host, for outputs that need elements of other pieces: their inputs, and the outputs.
    std::vector<T> inputs_across;
    Outputs<T> outputs_across{pageable_memory};
    // On a device:
    DeviceInfo device;
    std::unique_ptr<DeviceSlot> on_device;
    std::unique_ptr<Stream> stream;
    std::unique_ptr<TapArrays<T>> taps;
    DeviceBuffer<T> d_outputs;
    Signal<T> d_signal;
    ReadyMethod ready;  // for d_signal and d_outputs
};

}  // namespace BACKEND

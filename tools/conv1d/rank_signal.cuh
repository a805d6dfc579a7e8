// SPDX-License-Identifier: MIT
// One device's part of a signal that several share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/measure/random.hpp"
#include "tools/conv1d/method.cuh"
#include "tools/conv1d/shares.cuh"

namespace BACKEND {

// A rank's window of the signal with its own elements, and room for its outputs. Elements and outputs begin `offset`
// elements past an aligned address. Halos arrive later; zeros beyond the signal's ends are there from the start.
template <typename T>
struct RankSignal {
    RankSignal(const SharedSignal& signal, size_t rank, const std::vector<T>& h_taps, size_t offset, std::uint64_t seed)
        : window(signal.window_of(rank)), outputs(signal.outputs_of(rank)), taps(h_taps) {
        const Range elements = signal.elements_of(rank);
        const size_t halo = size_t(elements.begin - window.begin);
        const size_t lead = divide_up(halo, vector_bytes) * vector_bytes - halo + offset;
        d_window_memory = DeviceBuffer<T>(lead + window.size());
        d_output_memory = DeviceBuffer<T>(offset + outputs.size());
        d_window = d_window_memory.data() + lead;
        d_output = d_output_memory.data() + offset;
        if (elements.size() == 0) return;
        std::vector<T> h_elements(elements.size());
        fill(h_elements.data(), h_elements.size(),
             [=](size_t i) { return uniform<T>(seed, size_t(elements.begin) + i); });
        fill_device(d_window, 0, window.size() * sizeof(T));
        copy_to_device(at(elements.begin), h_elements.data(), elements.size() * sizeof(T));
    }

    T* at(std::int64_t element) const { return d_window + (element - window.begin); }

    const Range window, outputs;
    const TapArrays<T> taps;
    DeviceBuffer<T> d_window_memory, d_output_memory;
    T *d_window = nullptr, *d_output = nullptr;
    std::unique_ptr<Reference<T>> reference;  // none with --no-verify
};

}  // namespace BACKEND

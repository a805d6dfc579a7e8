// SPDX-License-Identifier: MIT
// vecadd's vectors in one kind of host memory, and what each stage of a round trip costs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/cuda/host_memory.cuh"
#include "common/measure/random.hpp"
#include "common/measure/statistics.hpp"
#include "common/measure/timing.cuh"

namespace BACKEND {

// Two inputs and an output of n elements in host memory of one kind, and what the kernel gets to work on.
template <typename T>
class Vectors {
public:
    // The device's vectors begin `offset` elements past an aligned address. They hold the seed's numbers from `first`
    // on.
    Vectors(const MemoryKind& kind, size_t n, size_t offset, std::uint64_t seed, size_t first = 0)
        : kind_(kind),
          n_(n),
          offset_(offset),
          d_a_(on_device(n + offset)),
          d_b_(on_device(n + offset)),
          d_c_(on_device(n + offset)),
          a_(kind, n + offset),
          b_(kind, n + offset),
          c_(kind, n + offset) {
        fill(h_a(), n, [=](size_t i) { return uniform<T>(seed, 2 * (first + i)); });
        fill(h_b(), n, [=](size_t i) { return uniform<T>(seed, 2 * (first + i) + 1); });
    }

    T* h_a() const { return a_.data() + offset_; }
    T* h_b() const { return b_.data() + offset_; }
    T* h_c() const { return c_.data() + offset_; }
    // Mapped memory has the same address on the device: all supported systems have unified addressing.
    T* d_a() const { return kind_.transfer == Transfer::direct ? h_a() : d_a_.data() + offset_; }
    T* d_b() const { return kind_.transfer == Transfer::direct ? h_b() : d_b_.data() + offset_; }
    T* d_c() const { return kind_.transfer == Transfer::direct ? h_c() : d_c_.data() + offset_; }
    size_t size() const { return n_; }
    const MemoryKind& kind() const { return kind_; }

    void upload(cudaStream_t stream) const {
        if (kind_.transfer == Transfer::direct || n_ == 0) return;
        CHECK(cudaMemcpyAsync(d_a(), h_a(), n_ * sizeof(T), cudaMemcpyHostToDevice, stream));
        CHECK(cudaMemcpyAsync(d_b(), h_b(), n_ * sizeof(T), cudaMemcpyHostToDevice, stream));
    }
    // What a program does on the host before and after a round trip: write the inputs, read the output. This moves the
    // pages of managed memory; one element of each page is enough.
    void touch_inputs() const {
        for (size_t i = 0; i < n_; i += elements_per_page) {
            *const_cast<volatile T*>(h_a() + i) = h_a()[i];
            *const_cast<volatile T*>(h_b() + i) = h_b()[i];
            *const_cast<volatile T*>(h_c() + i) = T{};
        }
    }
    void touch_output() const {
        for (size_t i = 0; i < n_; i += elements_per_page) static_cast<void>(*const_cast<volatile T*>(h_c() + i));
    }

    // So that a kernel that writes nothing cannot pass.
    void poison(cudaStream_t stream) const {
        if (n_ > 0) CHECK(cudaMemsetAsync(d_c(), 0xa5, n_ * sizeof(T), stream));
    }

    void download(cudaStream_t stream) const {
        if (kind_.transfer == Transfer::direct || n_ == 0) return;
        CHECK(cudaMemcpyAsync(h_c(), d_c(), n_ * sizeof(T), cudaMemcpyDeviceToHost, stream));
    }

private:
    static constexpr size_t elements_per_page = 4096 / sizeof(T);
    size_t on_device(size_t n) const { return kind_.transfer == Transfer::direct ? 0 : n; }

    const MemoryKind& kind_;
    size_t n_, offset_;
    // Allocated before the host's arrays, so that the message for too large a size names the device's free memory.
    DeviceBuffer<T> d_a_, d_b_, d_c_;
    HostVector<T> a_, b_, c_;
};

// Nanoseconds of host time, each the median of a few round trips that end with the host reading the output; all zero
// for vectors that never leave the device.
struct StageCosts {
    double allocate = 0, h2d = 0, kernel = 0, d2h = 0;
    double total = 0;  // the three stages in one go, without allocation
};

template <typename T, typename Launch>
StageCosts measure_stages(const Vectors<T>& vectors, cudaStream_t stream, Launch launch) {
    constexpr int round_trips = 5;
    StageCosts costs;
    if (vectors.kind().transfer == Transfer::none) return costs;
    const auto finished = [&](auto stage) {
        return host_time([&] {
            stage();
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(stream));
        });
    };
    const auto upload = [&] { vectors.upload(stream); };
    const auto run_kernel = [&] { launch(stream); };
    const auto download = [&] {
        vectors.download(stream);
        CHECK(cudaStreamSynchronize(stream));
        vectors.touch_output();
    };
    std::vector<double> allocate, h2d, kernel, d2h, total;
    for (int i = 0; i < round_trips; ++i) {
        allocate.push_back(host_time([&] {
            for (int vector = 0; vector < 3; ++vector) HostVector<T>(vectors.kind(), vectors.size());
        }));
        vectors.touch_inputs();
        h2d.push_back(finished(upload));
        kernel.push_back(finished(run_kernel));
        d2h.push_back(finished(download));
        vectors.touch_inputs();
        total.push_back(finished([&] { upload(), run_kernel(), download(); }));
    }
    costs = {summarize(allocate).median, summarize(h2d).median, summarize(kernel).median, summarize(d2h).median,
             summarize(total).median};
    return costs;
}

}  // namespace BACKEND

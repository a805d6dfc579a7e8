// SPDX-License-Identifier: MIT
// The kinds of memory that a chase goes through.
#pragma once

#ifndef __SIMCC__

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/latency/curves.cuh"

namespace BACKEND {

// A multiprocessor's L1 and shared memory are one memory, of which the system reserves a little.
inline double l1_bytes(const Lab& lab) {
    return double(lab.attribute_of_device(cudaDevAttrMaxSharedMemoryPerMultiprocessor)) + 28 * 1024;
}

inline std::string level_of_global(const Lab& lab, const CurvePoint& first) {
    if (first.bytes < l1_bytes(lab)) return "l1";
    return first.bytes < double(lab.session().device.l2_bytes) ? "l2" : "dram";
}
inline std::string level_past_l1(const Lab& lab, const CurvePoint& first) {
    return first.bytes < double(lab.session().device.l2_bytes) ? "l2" : "dram";
}

inline std::size_t half_of_memory() {
    std::size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return std::min(total_bytes / 2, free_bytes / 10 * 9);
}

// The larger of the largest stride and the largest working set that is asked for.
inline std::size_t bytes_needed(const Lab& lab, std::size_t largest) {
    std::size_t needed = 0;
    for (std::size_t bytes : working_sets(lab.session(), 1024, largest)) needed = std::max(needed, bytes);
    for (std::size_t stride : lab.asked().strides) needed = std::max(needed, stride);
    return needed;
}

template <typename Space>
LaunchShape walk_addresses(unsigned long long start, unsigned lanes, LatencySteps steps, LatencyReading* d_reading) {
    chase_addresses<Space><<<1, lanes>>>(start, steps, d_reading);
    return {dim3(1), dim3(lanes), 0};
}

// A chase through memory that has a device address.
template <typename Space>
ChaseWay chase_through(const Lab& lab, unsigned char* memory, std::size_t largest) {
    ChaseWay way;
    way.largest_bytes = largest;
    const auto address = [=](std::size_t stride, unsigned long long place) {
        return reinterpret_cast<unsigned long long>(memory) + place * stride;
    };
    way.link = [=](const FullCycle& cycle, std::size_t stride) {
        link_addresses<<<1024, 256>>>(memory, stride, on_device(cycle));
        CHECK(cudaGetLastError());
    };
    way.lanes = unsigned(lab.asked().lanes);
    way.walk = [=, lanes = way.lanes](const FullCycle&, std::size_t stride, unsigned long long place,
                                      LatencySteps steps, LatencyReading* d_reading) {
        return walk_addresses<Space>(address(stride, place), lanes, steps, d_reading);
    };
    way.end_at = address;
    return way;
}

template <typename Space>
void measure_device_memory(Lab& lab, const LatencyVariant& variant, decltype(ChaseWay::level) level) {
    const std::size_t largest = half_of_memory();
    const DeviceBuffer<unsigned char> d_memory(bytes_needed(lab, largest));
    ChaseWay way = chase_through<Space>(lab, d_memory.data(), largest);
    way.level = level;
    measure_curve(lab, variant, way);
}
inline void measure_global(Lab& lab, const LatencyVariant& variant) {
    measure_device_memory<CachedLoad>(lab, variant, level_of_global);
}
inline void measure_uncached(Lab& lab, const LatencyVariant& variant) {
    measure_device_memory<UncachedLoad>(lab, variant, level_past_l1);
}

inline void measure_host_memory(Lab& lab, const LatencyVariant& variant) {
    // (No cache holds it, so a few sizes are enough.)
    const std::size_t largest = std::size_t{lab.session().options.sizes.given ? 64u : 1u} << 20;
    const PinnedBuffer<unsigned char> memory(bytes_needed(lab, largest), cudaHostAllocMapped);
    ChaseWay way = chase_through<VolatileLoad>(lab, memory.data(), largest);
    way.smallest_bytes = std::size_t{64} << 10;
    way.level = [](const Lab&, const CurvePoint&) { return std::string("host"); };
    measure_curve(lab, variant, way);
}

inline void measure_constant(Lab& lab, const LatencyVariant& variant) {
    const DeviceBuffer<unsigned long long> d_base(1);
    find_constants<<<1, 1>>>(d_base.data());
    CHECK(cudaGetLastError());
    unsigned long long base = 0;
    CHECK(cudaMemcpy(&base, d_base.data(), sizeof base, cudaMemcpyDeviceToHost));
    ChaseWay way;
    way.smallest_bytes = 256;
    way.largest_bytes = latency_constant_bytes;
    way.end_at = [=](std::size_t stride, unsigned long long place) { return base + place * stride; };
    way.link = [=](const FullCycle& cycle, std::size_t stride) {
        std::vector<unsigned long long> words(latency_constant_bytes / sizeof(unsigned long long));
        for (std::uint64_t x = 0; x < cycle.n; ++x) {
            const std::size_t word = x * stride / sizeof(unsigned long long);
            if (word < words.size()) words[word] = base + cycle.next(x) * stride;
        }
        CHECK(cudaMemcpyToSymbol(latency_constants, words.data(), latency_constant_bytes));
    };
    way.lanes = unsigned(lab.asked().lanes);
    way.walk = [=, lanes = way.lanes](const FullCycle&, std::size_t stride, unsigned long long place,
                                      LatencySteps steps, LatencyReading* d_reading) {
        return walk_addresses<ConstantLoad>(base + place * stride, lanes, steps, d_reading);
    };
    // (Jia et al.: Dissecting the NVIDIA Volta GPU architecture via microbenchmarking, 2018: 2 KiB of L1, 64 KiB of
    // L1.5.)
    way.level = [](const Lab&, const CurvePoint& first) {
        return std::string(first.bytes < 2048 ? "constant-l1" : "constant-l1.5");
    };
    measure_curve(lab, variant, way);
}

inline void measure_texture(Lab& lab, const LatencyVariant& variant) {
    const std::size_t most_texels = std::size_t(lab.attribute_of_device(cudaDevAttrMaxTexture1DLinearWidth));
    const std::size_t largest = std::min<std::size_t>(most_texels * sizeof(unsigned), std::size_t{256} << 20);
    const DeviceBuffer<unsigned> d_words(bytes_needed(lab, largest) / sizeof(unsigned) + 1);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_words.data();
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = std::min(d_words.size(), most_texels) * sizeof(unsigned);
    const cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    const std::unique_ptr<cudaTextureObject_t, void (*)(const cudaTextureObject_t*)> owner(
        &texture, [](const cudaTextureObject_t* of) { static_cast<void>(cudaDestroyTextureObject(*of)); });
    ChaseWay way;
    way.largest_bytes = largest;
    way.end_at = [](std::size_t stride, unsigned long long place) { return place * stride / sizeof(unsigned); };
    way.link = [&](const FullCycle& cycle, std::size_t stride) {
        link_indices<<<1024, 256>>>(d_words.data(), stride, on_device(cycle));
        CHECK(cudaGetLastError());
    };
    way.walk = [&](const FullCycle&, std::size_t stride, unsigned long long place, LatencySteps steps,
                   LatencyReading* d_reading) -> LaunchShape {
        chase_texture<<<1, 1>>>(texture, unsigned(way.end_at(stride, place)), steps, d_reading);
        return {dim3(1), dim3(1), 0};
    };
    way.level = [](const Lab& of, const CurvePoint& first) { return "texture-" + level_of_global(of, first); };
    measure_curve(lab, variant, way);
}

inline void measure_shared(Lab& lab, const LatencyVariant& variant) {
    ChaseWay way;
    way.largest_bytes = std::size_t(lab.attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    CHECK(cudaFuncSetAttribute(chase_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, int(way.largest_bytes)));
    way.link = [](const FullCycle&, std::size_t) {};
    way.walk = [](const FullCycle& cycle, std::size_t stride, unsigned long long place, LatencySteps steps,
                  LatencyReading* d_reading) -> LaunchShape {
        const std::size_t shared_bytes = (cycle.n - 1) * stride + sizeof(unsigned);
        chase_shared<<<1, 128, shared_bytes>>>(unsigned(place), unsigned(stride), on_device(cycle), steps, d_reading);
        return {dim3(1), dim3(128), shared_bytes};
    };
    way.end_at = [](std::size_t, unsigned long long place) { return place; };
    way.level = [](const Lab&, const CurvePoint&) { return std::string("shared"); };
    measure_curve(lab, variant, way);
}

}  // namespace BACKEND

#endif

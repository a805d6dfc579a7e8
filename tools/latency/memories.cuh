// SPDX-License-Identifier: MIT
// Chases over working sets of many sizes, and the kinds of memory that they go through.
#pragma once

#ifndef __SIMCC__

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/latency/steps.cuh"
#include "tools/latency/cycle.hpp"
#include "tools/latency/lab.cuh"

namespace BACKEND {

// ---- the curve of a kind of memory, and its plateaus as rows

// A chase through one kind of memory.
struct ChaseWay {
    std::size_t smallest_bytes = 1024, largest_bytes = 0;
    unsigned lanes = 1;  // that walk together
    // Links the places of a cycle, `stride` bytes apart.
    std::function<void(const FullCycle& cycle, std::size_t stride)> link;
    // Walks from a place.
    std::function<LaunchShape(const FullCycle& cycle, std::size_t stride, unsigned long long place, LatencySteps steps,
                              LatencyReading* d_reading)>
        walk;
    // What `end` of a reading must be for a walk that ends at a place.
    std::function<unsigned long long(std::size_t stride, unsigned long long place)> end_at;
    std::string (*level)(const Lab& lab, const CurvePoint& first) = nullptr;
};

inline ChaseCycle on_device(const FullCycle& cycle) { return {cycle.n, cycle.a, cycle.c}; }

// The working sets of a curve: those of --size, or four per octave.
inline std::vector<std::size_t> working_sets(const Session& session, std::size_t smallest, std::size_t largest) {
    std::set<std::size_t> sizes;
    if (session.options.sizes.given) {
        for (std::size_t bytes : session.sizes())
            if (bytes <= largest) sizes.insert(bytes);
        return {sizes.begin(), sizes.end()};
    }
    for (std::size_t octave = smallest; octave <= largest; octave *= 2)
        for (std::size_t quarter = 4; quarter < 8; ++quarter)
            if (octave / 4 * quarter <= largest) sizes.insert(octave / 4 * quarter);
    return {sizes.begin(), sizes.end()};
}

// Walks over one working set. Each sample continues where the last one ended, so that a set that is larger than a cache
// misses it again.
inline LatencySeries walk_working_set(Lab& lab, const Variant& variant, const ChaseWay& way, std::size_t bytes,
                                      std::size_t stride) {
    const FullCycle cycle(std::max<std::size_t>(bytes / stride, 1));
    way.link(cycle, stride);
    CHECK(cudaDeviceSynchronize());
    unsigned long long place = 0;
    LatencyRun run;
    run.launch = [&](LatencySteps steps, LatencyReading* d_reading) {
        return way.walk(cycle, stride, place, steps, d_reading);
    };
    run.expected_end = [&](LatencySteps steps) {
        place = cycle.after(place, std::uint64_t(steps.warm) + steps.timed);
        return way.end_at(stride, place);
    };
    // A set that may stay in the first caches is first visited as a whole, untimed; of others, enough places are
    // visited for address translation.
    constexpr unsigned long long largest_warm_set = 16384, other_warm_steps = 1024;
    return lab.measure(variant, run, unsigned(cycle.n <= largest_warm_set ? cycle.n : other_warm_steps));
}

// A measured curve.
struct MeasuredCurve {
    LatencyCurve points;
    std::vector<LatencySeries> series;  // of each point
};

// Empty if a walk went wrong, or with --profile, which needs only one launch.
inline MeasuredCurve take_curve(Lab& lab, const Variant& variant, const ChaseWay& way, std::size_t stride) {
    MeasuredCurve curve;
    for (std::size_t bytes : working_sets(lab.session(), way.smallest_bytes, way.largest_bytes)) {
        lab.session().begin_step(text("{} in {}", variant.name, human_bytes(double(bytes))));
        const LatencySeries one = walk_working_set(lab, variant, way, bytes, stride);
        if (one.ns.empty() || lab.session().options.profile) return {};
        curve.points.push_back(one.point(double(bytes)));
        curve.series.push_back(one);
    }
    return curve;
}

// Where a plateau ends, to within 1 %: between its last point and the next one.
inline std::size_t find_end(Lab& lab, const Variant& variant, const ChaseWay& way, std::size_t stride,
                            const LatencyCurve& points, const Plateau& plateau) {
    std::size_t inside = std::size_t(points[plateau.end - 1].bytes);
    if (plateau.end == points.size() || lab.session().options.sizes.given) return inside;
    std::size_t outside = std::size_t(points[plateau.end].bytes);
    const double most = plateau_median(points, plateau, &CurvePoint::cycles) * (1 + plateau_tolerance);
    while (outside - inside > std::max(inside / 100, stride)) {
        const std::size_t between = inside + (outside - inside) / 2;
        lab.session().begin_step(text("{} in {}", variant.name, human_bytes(double(between))));
        const LatencySeries one = walk_working_set(lab, variant, way, between, stride);
        if (one.ns.empty()) break;
        (one.point(0).cycles <= most ? inside : outside) = between;
    }
    return inside;
}

// The level of each plateau; further plateaus of the same level are numbered.
inline std::vector<std::string> levels_of(const Lab& lab, const ChaseWay& way, const LatencyCurve& points,
                                          const std::vector<Plateau>& plateaus) {
    std::map<std::string, int> plateaus_in;
    std::vector<std::string> levels;
    for (const Plateau& plateau : plateaus) {
        const std::string level = way.level(lab, points[plateau.begin]);
        const int number = ++plateaus_in[level];
        levels.push_back(number == 1 ? level : text("{}-{}", level, number));
    }
    return levels;
}

inline void measure_curve(Lab& lab, const Variant& variant, const ChaseWay& way) {
    for (std::size_t stride : lab.asked().strides) {
        const MeasuredCurve curve = take_curve(lab, variant, way, stride);
        const std::vector<Plateau> plateaus = find_plateaus(curve.points);
        const std::vector<std::string> levels = levels_of(lab, way, curve.points, plateaus);
        LatencyCells cells;
        cells.stride = stride;
        cells.participants = way.lanes;
        if (lab.asked().sweep) {
            for (std::size_t i = 0; i < curve.points.size(); ++i) {
                cells.level = "slope";
                for (std::size_t k = 0; k < plateaus.size(); ++k)
                    if (i >= plateaus[k].begin && i < plateaus[k].end) cells.level = levels[k];
                cells.bytes = std::size_t(curve.points[i].bytes);
                lab.add_row(variant, curve.series[i], cells);
            }
            continue;
        }
        for (std::size_t k = 0; k < plateaus.size(); ++k) {
            LatencySeries of_plateau;
            for (std::size_t i = plateaus[k].begin; i < plateaus[k].end; ++i) of_plateau.append(curve.series[i]);
            cells.level = levels[k];
            cells.bytes = find_end(lab, variant, way, stride, curve.points, plateaus[k]);
            lab.add_row(variant, of_plateau, cells);
        }
        if (plateaus.empty() && !curve.points.empty())
            lab.session().notice(
                text("{}: no plateau in {} working sets; --sweep shows the curve", variant.name, curve.points.size()));
    }
}

// ---- the kinds of memory

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

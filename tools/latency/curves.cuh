// SPDX-License-Identifier: MIT
// Chases over working sets of many sizes: each kind of memory's curve, and its plateaus as rows.
#pragma once

#ifndef __SIMCC__

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/latency.cuh"
#include "tools/latency/cycle.hpp"
#include "tools/latency/lab.cuh"

namespace BACKEND {

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

}  // namespace BACKEND

#endif

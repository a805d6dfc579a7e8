// Chases over working sets of many sizes: each kind of memory's curve, and its plateaus as rows.
#pragma once

#ifndef __SIMCC__

#include <map>

#include "kernels/latency/chase.cuh"
#include "tools/latency/cycle.hpp"
#include "tools/latency/lab.cuh"

namespace BACKEND {

// A chase through one kind of memory.
struct ChaseWay {
    std::size_t smallest_bytes = 1024, largest_bytes = 0;
    // Links the places of a cycle, `stride` bytes apart.
    std::function<void(const FullCycle& cycle, std::size_t stride)> link;
    // Walks from a place.
    std::function<LaunchShape(const FullCycle& cycle, std::size_t stride, unsigned long long place, LatencySteps steps,
                              LatencyReading* d_reading)>
        walk;
    // The reading's end of a walk that ends at a place.
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

// Walks over one working set. Each sample goes on where the last one ended, so that a set that is larger than a cache is
// met anew.
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
    // The whole of a set that may stay in the first caches is visited untimed, of others enough for address translation.
    constexpr unsigned long long largest_warm_set = 16384, other_warm_steps = 1024;
    return lab.measure(variant, run, unsigned(cycle.n <= largest_warm_set ? cycle.n : other_warm_steps));
}

inline void measure_curve(Lab& lab, const Variant& variant, const ChaseWay& way) {
    Session& session = lab.session();
    for (std::size_t stride : lab.asked().strides) {
        LatencyCurve curve;
        std::vector<LatencySeries> series;
        for (std::size_t bytes : working_sets(session, way.smallest_bytes, way.largest_bytes)) {
            session.begin_step(text("{} in {}", variant.name, human_bytes(double(bytes))));
            const LatencySeries one = walk_working_set(lab, variant, way, bytes, stride);
            if (one.ns.empty()) return;
            curve.push_back(one.point(double(bytes)));
            series.push_back(one);
            if (session.options.profile) return;
        }
        const std::vector<Plateau> plateaus = find_plateaus(curve);
        std::map<std::string, int> rows_of_level;
        std::vector<std::string> levels;
        for (const Plateau& plateau : plateaus) {
            const std::string level = way.level(lab, curve[plateau.begin]);
            const int number = ++rows_of_level[level];
            levels.push_back(number == 1 ? level : text("{}-{}", level, number));
        }
        for (std::size_t i = 0; i < (lab.asked().sweep ? curve.size() : plateaus.size()); ++i) {
            LatencyCells cells;
            cells.stride = stride;
            if (lab.asked().sweep) {
                cells.level = "slope";
                for (std::size_t k = 0; k < plateaus.size(); ++k)
                    if (i >= plateaus[k].begin && i < plateaus[k].end) cells.level = levels[k];
                cells.bytes = std::size_t(curve[i].bytes);
                lab.add_row(variant, series[i], cells);
                continue;
            }
            LatencySeries of_plateau;
            for (std::size_t k = plateaus[i].begin; k < plateaus[i].end; ++k) of_plateau.append(series[k]);
            cells.level = levels[i];
            cells.bytes = std::size_t(curve[plateaus[i].end - 1].bytes);
            lab.add_row(variant, of_plateau, cells);
        }
        if (plateaus.empty() && !lab.asked().sweep)
            session.notice(
                text("{}: no plateau in {} working sets; --sweep shows the curve", variant.name, curve.size()));
    }
}

}  // namespace BACKEND

#endif

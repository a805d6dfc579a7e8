// SPDX-License-Identifier: MIT
// What devquery shows without asking the device: the compute capabilities, Little's law and the roofline.
#pragma once

#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/capabilities.hpp"
#include "common/cuda/throughput.hpp"
#include "tools/devquery/questions.hpp"

namespace BACKEND {

inline Cell rate_cell(int rate) { return rate > 0 ? Cell(whole(rate)) : Cell(absent()); }

inline Cell lanes_of(const Capability& of, ThroughputRate rate) {
    const auto rates = throughput_of(of.limits.compute_capability, "");
    return rate_cell(rates ? (*rates).*rate : 0);
}

// clang-format off
inline const ColumnOf<Capability> capability_columns[] = {
    {{"compute_capability", "capability", 1, 1}, [](const Capability& of) -> Cell { return of.limits.name(); }},
    {{"architecture", "architecture"}, [](const Capability& of) -> Cell { return of.architecture; }},
    {{"gpu", "such as", 1, 0, 0, 1}, [](const Capability& of) -> Cell { return of.gpu; }},
    {{"threads_per_multiprocessor", "threads", 1, 0, 0, 2}, [](const Capability& of) -> Cell { return whole(of.limits.threads); }},
    {{"blocks_per_multiprocessor", "blocks", 1, 0, 0, 3}, [](const Capability& of) -> Cell { return whole(of.limits.blocks); }},
    {{"threads_per_block"}, [](const Capability& of) -> Cell { return whole(of.limits.most_threads_per_block); }},
    {{"registers_per_multiprocessor", "registers", 1, 0, 0, 4}, [](const Capability& of) -> Cell { return whole(of.limits.registers); }},
    {{"registers_per_block"}, [](const Capability& of) -> Cell { return whole(of.limits.most_registers_per_block()); }},
    {{"registers_per_thread"}, [](const Capability& of) -> Cell { return whole(of.limits.register_rules.most_per_thread); }},
    {{"shared_memory_per_multiprocessor_bytes", "shared KiB", 1.0 / 1024, 0, 0, 5}, [](const Capability& of) -> Cell { return whole(of.limits.shared_bytes()); }},
    {{"shared_memory_per_block_bytes"}, [](const Capability& of) -> Cell { return whole(of.limits.most_shared_bytes()); }},
    {{"f32_lanes"}, [](const Capability& of) { return lanes_of(of, &Throughput::f32); }},
    {{"f64_lanes"}, [](const Capability& of) { return lanes_of(of, &Throughput::f64); }},
    {{"introduced", "introduced", 1, 0, 0, 6}, [](const Capability& of) -> Cell { return of.introduced; }},
};

inline const ColumnOf<Hiding> hiding_columns[] = {
    {{"instructions", "instructions"}, [](const Hiding& of) -> Cell { return of.is_memory ? "memory" : "arithmetic"; }},
    {{"latency_cycles", "latency", 1, 1}, [](const Hiding& of) -> Cell { return computed(of.latency, 2); }},
    {{"per_cycle", "per cycle", 1, 1}, [](const Hiding& of) -> Cell { return computed(of.per_cycle, 2); }},
    {{"in_flight", "in flight", 1, 0}, [](const Hiding& of) -> Cell { return computed(of.in_flight, 1); }},
    {{"unit", "unit"}, [](const Hiding& of) -> Cell { return of.is_memory ? "byte" : "operation"; }},
    {{"bytes_per_load", "bytes/load"}, [](const Hiding& of) { return whole_if_any(of.bytes); }},
    {{"in_flight_per_thread", "per thread"}, [](const Hiding& of) -> Cell { return whole(of.per_thread); }},
    {{"threads_per_multiprocessor", "threads", 1, 0, 0, 1}, [](const Hiding& of) -> Cell { return Fixed{of.threads, 0}; }},
    {{"warps_per_multiprocessor", "warps"}, [](const Hiding& of) -> Cell { return Fixed{of.warps, 0}; }},
    {{"occupancy_percent", "occupancy %", 1, 1}, [](const Hiding& of) -> Cell { return Fixed{of.occupancy_percent, 2}; }},
    {{"possible"}, [](const Hiding& of) -> Cell { return whole(of.is_possible()); }},
};

inline const ColumnOf<RooflinePoint> roofline_columns[] = {
    {{"gpu"}, [](const RooflinePoint& of) -> Cell { return of.gpu; }},
    {{"bytes_per_flop", "bytes/flop", 1, 4}, [](const RooflinePoint& of) -> Cell { return computed(of.bytes_per_flop, 4); }},
    {{"gbyte_per_s", "peak GB/s", 1, 1}, [](const RooflinePoint& of) -> Cell { return computed(of.gbyte_per_s, 1); }},
    {{"gflop_per_s", "peak GFLOP/s", 1, 1}, [](const RooflinePoint& of) -> Cell { return computed(of.gflop_per_s, 1); }},
    {{"needed_gbyte_per_s", "needed GB/s", 1, 1}, [](const RooflinePoint& of) -> Cell { return computed(of.needed_gbyte_per_s(), 1); }},
    {{"attainable_gflop_per_s", "attainable", 1, 1}, [](const RooflinePoint& of) -> Cell { return computed(of.attainable_gflop_per_s(), 1); }},
    {{"percent_of_peak", "% of peak", 1, 2}, [](const RooflinePoint& of) -> Cell { return computed(100 * of.attainable_gflop_per_s() / of.gflop_per_s, 2); }},
    {{"limiter", "limited by"}, [](const RooflinePoint& of) -> Cell { return of.is_bound_by_memory() ? "memory" : "arithmetic"; }},
};
// clang-format on

inline void show_capabilities(Session& session) {
    Table table(session.output, session.format(), session.options.header, columns_of(capability_columns));
    for (const Capability& capability : capabilities()) table.add(cells_of(capability_columns, capability));
    table.flush();
}

inline void show_ways_to_hide(Session& session, const Question& question) {
    const HidingFigures figures = figures_for_little(question, session.device);
    std::vector<Column> columns = columns_of(hiding_columns);
    columns.insert(columns.begin(), Column{"gpu"});
    Table table(session.output, session.format(), session.options.header, columns);
    for (const Hiding& way : ways_to_hide(figures)) {
        std::vector<Cell> row = cells_of(hiding_columns, way);
        row.insert(row.begin(), figures.gpu);
        table.add(std::move(row));
    }
    table.flush(text("to hide latency, per multiprocessor: {}", figures.gpu));
    if (session.format() != Format::human) return;
    session.output.write_wrapped(text(
        "Memory moves {:.0f} bytes per cycle of {:.0f} MHz; {:.0f} cycles later they arrive: {:.1f} KiB are in flight "
        "on {:.0f} multiprocessors, or {:.1f} KiB on each.",
        figures.bytes_per_cycle(), figures.clock_mhz, figures.memory_latency,
        figures.bytes_in_flight() * figures.multiprocessors / 1024, figures.multiprocessors,
        figures.bytes_in_flight() / 1024));
}

inline void show_roofline(Session& session, const Question& question) {
    const std::vector<RooflinePoint> points = roofline(question, session.device);
    Table table(session.output, session.format(), session.options.header, columns_of(roofline_columns));
    for (const RooflinePoint& point : points) table.add(cells_of(roofline_columns, point));
    table.flush(text("attainable arithmetic: {}", points.front().gpu));
}

}  // namespace BACKEND

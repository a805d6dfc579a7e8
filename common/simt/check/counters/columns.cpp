// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/simt/check/counters/results.hpp"

namespace simt::check {

namespace {

// Adds columns that apply where there is traffic of one kind. It keeps references to its arguments.
template <auto traffic>
auto adder(std::vector<CounterColumn>& columns, const std::string& prefix, const std::string& what) {
    return [&](const char* name, const char* description, bool is_count, double (*value)(const Counters&),
               const CounterHeading& heading = {}) {
        columns.push_back({prefix + name, what + description, is_count, value,
                           [](const Counters& of) { return (of.*traffic).requests > 0; }, heading});
    };
}

// The headings of the columns that explain a kernel's performance.
struct TrafficHeadings {
    CounterHeading requests = {}, each = {}, used = {};
};
constexpr CounterHeading sectors_each = {"sectors each", 1, 2}, wavefronts_each = {"wavefronts each", 1, 2};

// The columns of one kind of traffic. `prefix`: as profilers have named them, gld, gst, ...
template <GlobalTraffic Counters::*traffic>
void add_global_columns(std::vector<CounterColumn>& columns, const std::string& prefix, const std::string& what,
                        const TrafficHeadings& headings) {
    const auto add = adder<traffic>(columns, prefix, what);
    add(
        "_requests", ": requests of warps", true, [](const Counters& of) { return double((of.*traffic).requests); },
        headings.requests);
    add("_lanes", ": lanes in them", true, [](const Counters& of) { return double((of.*traffic).lanes); });
    add("_bytes", ": bytes asked for by lanes", true, [](const Counters& of) { return double((of.*traffic).bytes); });
    add("_sectors", ": sectors of 32 bytes moved", true,
        [](const Counters& of) { return double((of.*traffic).sectors); });
    add(
        "_sectors_per_request", ": sectors per request", false,
        [](const Counters& of) { return (of.*traffic).sectors_per_request(); }, headings.each);
    add("_efficiency_asked", ": bytes asked for / bytes moved", false,
        [](const Counters& of) { return (of.*traffic).asked_efficiency(); });
    add(
        "_efficiency_distinct", ": distinct bytes asked for / bytes moved", false,
        [](const Counters& of) { return (of.*traffic).distinct_efficiency(); }, headings.used);
}

template <SharedTraffic Counters::*traffic>
void add_shared_columns(std::vector<CounterColumn>& columns, const std::string& prefix, const std::string& what,
                        const TrafficHeadings& headings = {}) {
    const auto add = adder<traffic>(columns, prefix, what);
    add(
        "_requests", ": requests of warps", true, [](const Counters& of) { return double((of.*traffic).requests); },
        headings.requests);
    add("_lanes", ": lanes in them", true, [](const Counters& of) { return double((of.*traffic).lanes); });
    add("_bytes", ": bytes asked for by lanes", true, [](const Counters& of) { return double((of.*traffic).bytes); });
    add("_wavefronts", ": passes through the banks", true,
        [](const Counters& of) { return double((of.*traffic).wavefronts); });
    add("_conflicts", ": wavefronts by bank conflicts", true,
        [](const Counters& of) { return double((of.*traffic).conflicts()); });
    add(
        "_wavefronts_per_request", ": wavefronts per request", false,
        [](const Counters& of) { return (of.*traffic).wavefronts_per_request(); }, headings.each);
}

void add_texture_columns(std::vector<CounterColumn>& columns) {
    const std::string prefix = "tex", what = "texture fetches";
    const auto add = adder<&Counters::texture_fetches>(columns, prefix, what);
    add("_requests", ": texels that warps asked for", true,
        [](const Counters& of) { return double(of.texture_fetches.requests); }, {"fetches"});
    add("_lanes", ": lanes in them", true, [](const Counters& of) { return double(of.texture_fetches.lanes); });
    add("_bytes", ": bytes asked for by lanes", true,
        [](const Counters& of) { return double(of.texture_fetches.bytes); });
    const auto is_linear = [](const Counters& of) { return of.texture_fetches.linear_requests > 0; };
    columns.push_back({prefix + "_sectors", what + ": sectors of 32 bytes moved, of linear memory", true,
                       [](const Counters& of) { return double(of.texture_fetches.sectors); }, is_linear});
    columns.push_back({prefix + "_sectors_per_request", what + ": sectors per request, of linear memory", false,
                       [](const Counters& of) { return of.texture_fetches.sectors_per_request(); }, is_linear,
                       sectors_each});
}

void add_constant_columns(std::vector<CounterColumn>& columns) {
    const std::string prefix = "const", what = "constant loads";
    const auto add = adder<&Counters::constant_loads>(columns, prefix, what);
    add("_requests", ": requests of warps", true, [](const Counters& of) { return double(of.constant_loads.requests); },
        {"constant loads"});
    add("_lanes", ": lanes in them", true, [](const Counters& of) { return double(of.constant_loads.lanes); });
    add("_bytes", ": bytes asked for by lanes", true,
        [](const Counters& of) { return double(of.constant_loads.bytes); });
    add("_passes", ": passes, one for each address", true,
        [](const Counters& of) { return double(of.constant_loads.passes); });
    add("_passes_per_request", ": passes per request", false,
        [](const Counters& of) { return of.constant_loads.passes_per_request(); }, {"passes each", 1, 2});
    add("_lanes_per_request", ": lanes per request", false,
        [](const Counters& of) { return of.constant_loads.lanes_per_request(); });
}

std::vector<CounterColumn> make_columns() {
    std::vector<CounterColumn> columns;
    add_global_columns<&Counters::global_loads>(columns, "gld", "global loads",
                                                {{"loads"}, sectors_each, {"used %", 100, 1}});
    add_global_columns<&Counters::global_stores>(columns, "gst", "global stores", {{"stores"}, sectors_each, {}});
    add_global_columns<&Counters::global_atomics>(columns, "gatom", "global atomics", {{"atomics"}, {}, {}});
    add_shared_columns<&Counters::shared_loads>(columns, "sld", "shared loads",
                                                {{"shared loads"}, wavefronts_each, {}});
    add_shared_columns<&Counters::shared_stores>(columns, "sst", "shared stores",
                                                 {{"shared stores"}, wavefronts_each, {}});
    add_shared_columns<&Counters::shared_atomics>(columns, "satom", "shared atomics");
    columns.push_back({"most_contended_operations",
                       "atomic operations on the address that had most",
                       true,
                       [](const Counters& of) { return double(of.most_contended.operations); },
                       [](const Counters& of) { return of.most_contended.operations > 0; },
                       {"on one address"}});
    const auto branches = [](const Counters& of) { return of.branching.branches > 0; };
    columns.push_back({"branches", "branches of warps", true,
                       [](const Counters& of) { return double(of.branching.branches); }, branches});
    columns.push_back({"divergent_branches", "branches that lanes of a warp took different ways", true,
                       [](const Counters& of) { return double(of.branching.divergent_branches()); }, branches});
    columns.push_back({"branch_efficiency",
                       "branches that all lanes took the same way / branches",
                       false,
                       [](const Counters& of) { return of.branching.efficiency(); },
                       branches,
                       {"uniform branches %", 100, 1}});
    columns.push_back({"active_lanes",
                       "lanes per executed basic block, on average",
                       false,
                       [](const Counters& of) { return of.branching.active_lanes(); },
                       [](const Counters& of) { return of.branching.blocks > 0; },
                       {"active lanes", 1, 1}});
    columns.push_back({"block_barriers",
                       "arrivals of warps at __syncthreads and its relatives",
                       true,
                       [](const Counters& of) { return double(of.block_barriers); },
                       [](const Counters& of) { return of.block_barriers > 0; },
                       {"barriers"}});
    columns.push_back({"warp_barriers", "arrivals of warps at __syncwarp", true,
                       [](const Counters& of) { return double(of.warp_barriers); },
                       [](const Counters& of) { return of.warp_barriers > 0; }});
    columns.push_back({"exchanges",
                       "shuffles, votes and matches of warps",
                       true,
                       [](const Counters& of) { return double(of.exchanges); },
                       [](const Counters& of) { return of.exchanges > 0; },
                       {"shuffles"}});
    add_texture_columns(columns);
    add_constant_columns(columns);
    return columns;
}

}  // namespace

const std::vector<CounterColumn>& counter_columns() {
    static const std::vector<CounterColumn> columns = make_columns();
    return columns;
}

std::vector<CounterColumn> used_columns(const std::vector<const Counters*>& rows) {
    std::vector<CounterColumn> used;
    for (const CounterColumn& column : counter_columns()) {
        const bool applies =
            std::any_of(rows.begin(), rows.end(), [&](const Counters* row) { return column.applies(*row); });
        if (applies) used.push_back(column);
    }
    return used;
}

std::string text_of(const CounterColumn& column, const Counters& counters) {
    if (!column.applies(counters)) return "";
    char text[32];
    std::snprintf(text, sizeof text, column.is_count ? "%.0f" : "%.6g", column.value(counters));
    return text;
}

}  // namespace simt::check

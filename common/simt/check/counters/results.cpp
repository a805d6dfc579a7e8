// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/results.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/counters/places.hpp"

namespace simt::check {

namespace {

// The ended launches of a kernel that take_counters() has not returned yet.
struct KeptLaunches {
    std::string kernel;
    uint64_t launches = 0, by_kernels = 0, blocks = 0, threads = 0;
    PlaceTable places;
};

class KeptCounters {
public:
    static KeptCounters& instance() {
        static auto& counters = *new KeptCounters;  // outlives the program's own exit handlers
        return counters;
    }

    void add(const LaunchCheck& launch) {
        const uint64_t blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
        const std::lock_guard lock(mutex_);
        KeptLaunches& kept = launches_of(launch.kernel);
        ++kept.launches;
        kept.by_kernels += launch.is_by_kernel;
        kept.blocks += blocks;
        kept.threads += blocks * launch.block.x * launch.block.y * launch.block.z;
        kept.places.add(launch.counters->take());
    }

    std::vector<KeptLaunches> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(kernels_, {});
    }

private:
    KeptLaunches& launches_of(const std::string& kernel) {
        for (KeptLaunches& kept : kernels_) {
            if (kept.kernel == kernel) return kept;
        }
        kernels_.emplace_back().kernel = kernel;
        return kernels_.back();
    }

    std::mutex mutex_;
    std::vector<KeptLaunches> kernels_;
};

// Adds up places.
class CounterSum {
public:
    void add(const PlaceTally& tally);
    // The branch at the end of a basic block.
    void add_branch(const PlaceTally& tally);
    // The sum so far.
    Counters counters() const;

private:
    static void add_requests(Traffic& traffic, AddressCounts& addresses, const PlaceTally& tally);
    void add_global(GlobalTraffic& traffic, const PlaceTally& tally);
    void add_shared(SharedTraffic& traffic, const PlaceTally& tally);
    void add_fetches(const PlaceTally& tally, bool of_array);
    void add_constants(const PlaceTally& tally);
    void add_local(LocalTraffic& traffic, const PlaceTally& tally);

    Counters counters_;
    AddressCounts global_, shared_;
};

void CounterSum::add_requests(Traffic& traffic, AddressCounts& addresses, const PlaceTally& tally) {
    traffic.requests += tally.requests;
    traffic.lanes += tally.lanes;
    traffic.bytes += tally.lanes * tally.place.bytes();
    if (tally.addresses) tally.addresses->for_each([&](uintptr_t address, uint64_t n) { addresses.add(address, n); });
}

void CounterSum::add_global(GlobalTraffic& traffic, const PlaceTally& tally) {
    add_requests(traffic, global_, tally);
    traffic.distinct_bytes += tally.distinct_bytes;
    traffic.sectors += tally.moved;
}

void CounterSum::add_shared(SharedTraffic& traffic, const PlaceTally& tally) {
    add_requests(traffic, shared_, tally);
    traffic.wavefronts += tally.moved;
    traffic.ideal_wavefronts += tally.ideal;
}

void CounterSum::add_fetches(const PlaceTally& tally, bool of_array) {
    TextureTraffic& fetches = counters_.texture_fetches;
    add_requests(fetches, global_, tally);
    if (!of_array) fetches.linear_requests += tally.requests;
    fetches.sectors += tally.moved;
}

void CounterSum::add_constants(const PlaceTally& tally) {
    add_requests(counters_.constant_loads, global_, tally);
    counters_.constant_loads.passes += tally.moved;
}

void CounterSum::add_local(LocalTraffic& traffic, const PlaceTally& tally) {
    add_requests(traffic, global_, tally);
    traffic.sectors += tally.moved;
}

void CounterSum::add(const PlaceTally& tally) {
    switch (tally.place.kind()) {
        case EventKind::global_load: return add_global(counters_.global_loads, tally);
        case EventKind::global_store: return add_global(counters_.global_stores, tally);
        case EventKind::global_atomic: return add_global(counters_.global_atomics, tally);
        case EventKind::shared_load: return add_shared(counters_.shared_loads, tally);
        case EventKind::shared_store: return add_shared(counters_.shared_stores, tally);
        case EventKind::shared_atomic: return add_shared(counters_.shared_atomics, tally);
        case EventKind::linear_fetch: return add_fetches(tally, false);
        case EventKind::array_fetch: return add_fetches(tally, true);
        case EventKind::constant_load: return add_constants(tally);
        case EventKind::local_load: return add_local(counters_.local_loads, tally);
        case EventKind::local_store: return add_local(counters_.local_stores, tally);
        case EventKind::block_barrier: counters_.block_barriers += tally.requests; return;
        case EventKind::warp_barrier: counters_.warp_barriers += tally.requests; return;
        case EventKind::exchange: counters_.exchanges += tally.requests; return;
        case EventKind::copy_started:
        case EventKind::copy_arrived:
        case EventKind::kernel_left: return;
        case EventKind::block_entered: break;
    }
    counters_.branching.blocks += tally.requests;
    counters_.branching.block_lanes += tally.lanes;
}

void CounterSum::add_branch(const PlaceTally& tally) {
    counters_.branching.branches += tally.departures;
    counters_.branching.uniform_branches += tally.uniform_departures;
}

Counters CounterSum::counters() const {
    Counters counters = counters_;
    const auto choose = [&](bool is_shared) {
        return [&counters, is_shared](uintptr_t address, uint64_t operations) {
            if (operations > counters.most_contended.operations) {
                counters.most_contended = {is_shared, address, operations};
            }
        };
    };
    global_.for_each(choose(false));
    shared_.for_each(choose(true));
    return counters;
}

// A line of the source, in the order of the reports.
using LineKey = std::pair<std::string, unsigned>;

std::string full_path(const std::string& path) {
    std::error_code error;
    const auto full = std::filesystem::weakly_canonical(path, error);
    return error || path.empty() ? path : full.string();
}

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

struct LineSum {
    std::string function;
    CounterSum sum;
};

// The place of this code, or of the next code that has one: the start of a function may have none.
std::optional<Frame> frame_at(uintptr_t code) {
    constexpr uintptr_t farthest = 64;
    for (uintptr_t ahead = 0; ahead < farthest; ++ahead) {
        const auto frames = device_frames(symbol_of(reinterpret_cast<const void*>(code + ahead)));
        if (!frames.empty()) return frames.front();
    }
    return std::nullopt;
}

class Lines {
public:
    // Null if the code has no line.
    LineSum* find(uintptr_t code) {
        const Symbol& symbol = symbol_of(reinterpret_cast<const void*>(code));
        if (!symbol.lacks_lines_of.empty()) lacks_lines_of = symbol.lacks_lines_of;
        const auto frame = frame_at(code);
        if (!frame) return nullptr;
        LineSum& line = at(frame->path, frame->line);
        line.function = frame->function;
        return &line;
    }
    LineSum& at(const std::string& path, unsigned line) { return lines_[{full_path(path), line}]; }

    std::vector<LineCounters> counters() const {
        std::vector<LineCounters> result;
        for (const auto& [key, line] : lines_) {
            result.push_back({file_of(key.first), key.first, key.second, line.function, line.sum.counters()});
        }
        return result;
    }

    std::string lacks_lines_of;

private:
    std::map<LineKey, LineSum> lines_;
};

// The branch at the end of a basic block, as a return address; null if there is none that counts.
uintptr_t branch_of(const PlaceTally& tally) {
    const BranchMark mark = branch_mark_at(tally.place.code());
    if (mark.is_known) return mark.address;
    return tally.has_several_successors ? tally.place.code() : 0;
}

KernelCounters by_line(const KeptLaunches& kept) {
    CounterSum total;
    Lines lines;
    kept.places.for_each([&](const PlaceTally& tally) {
        if (tally.place.kind() == EventKind::kernel_left) return;
        total.add(tally);
        const uintptr_t code = tally.place.code();
        if (tally.file) {
            lines.at(reinterpret_cast<const char*>(tally.file), tally.place.line()).sum.add(tally);
        } else if (LineSum* const line = lines.find(code)) {
            line->sum.add(tally);
        } else if (tally.place.kind() != EventKind::block_entered) {
            lines.at("", 0).sum.add(tally);
        }
        const uintptr_t branch = tally.place.kind() == EventKind::block_entered ? branch_of(tally) : 0;
        if (!branch) return;
        total.add_branch(tally);
        if (LineSum* const line = lines.find(branch)) line->sum.add_branch(tally);
    });
    Counters counters = total.counters();
    counters.child_launches = kept.by_kernels;
    return {kept.kernel, kept.launches,    kept.blocks,          kept.threads,
            counters,    lines.counters(), lines.lacks_lines_of, std::nullopt};
}

}  // namespace

LineCounters line_of(EventPlace place, uintptr_t file) {
    LineCounters line;
    if (file) {
        line.path = full_path(reinterpret_cast<const char*>(file));
        line.line = place.line();
    } else if (const auto frame = frame_at(place.code())) {
        line.path = full_path(frame->path);
        line.line = frame->line;
        line.function = frame->function;
    }
    line.file = file_of(line.path);
    return line;
}

void keep_counters(const LaunchCheck& launch) { KeptCounters::instance().add(launch); }

std::string note_on_lines(const KernelCounters& kernel) { return note_on_missing_lines(kernel.lacks_lines_of); }

std::vector<KernelCounters> take_counters() {
    std::vector<KernelCounters> kernels;
    for (const KeptLaunches& kept : KeptCounters::instance().take()) kernels.push_back(by_line(kept));
    return kernels;
}

// ---- costs

namespace {

// (A forecast's lines have no paths.)
bool is_same(const LineCounters& counted, const LineCounters& cost) {
    return counted.file == cost.file && counted.line == cost.line && (cost.path.empty() || cost.path == counted.path);
}

void add_cost(KernelCounters& kernel, const LineCounters& cost) {
    LineCounters more = cost;
    for (LineCounters& line : kernel.lines) {
        if (is_same(line, cost)) {
            line.predicted_ns += cost.predicted_ns;
            return;
        }
        if (more.path.empty() && line.file == more.file) more.path = line.path;
    }
    const auto is_before = [](const LineCounters& a, const LineCounters& b) {
        return std::tuple(a.is_launch(), a.path, a.line) < std::tuple(b.is_launch(), b.path, b.line);
    };
    kernel.lines.insert(std::upper_bound(kernel.lines.begin(), kernel.lines.end(), more, is_before), more);
}

}  // namespace

void add_costs(std::vector<KernelCounters>& kernels, const std::vector<KernelCounters>& costs) {
    for (const KernelCounters& cost : costs) {
        auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                   [&](const KernelCounters& of) { return of.kernel == cost.kernel; });
        if (kernel == kernels.end()) {
            kernel = kernels.insert(kernels.end(), KernelCounters());
            kernel->kernel = cost.kernel;
        }
        kernel->predicted = cost.predicted;
        for (const LineCounters& line : cost.lines) add_cost(*kernel, line);
    }
}

// ---- sums

namespace {

void add_requests(Traffic& sum, const Traffic& more) {
    sum.requests += more.requests;
    sum.lanes += more.lanes;
    sum.bytes += more.bytes;
}

void add(GlobalTraffic& sum, const GlobalTraffic& more) {
    add_requests(sum, more);
    sum.distinct_bytes += more.distinct_bytes;
    sum.sectors += more.sectors;
}

void add(SharedTraffic& sum, const SharedTraffic& more) {
    add_requests(sum, more);
    sum.wavefronts += more.wavefronts;
    sum.ideal_wavefronts += more.ideal_wavefronts;
}

void add(TextureTraffic& sum, const TextureTraffic& more) {
    add_requests(sum, more);
    sum.linear_requests += more.linear_requests;
    sum.sectors += more.sectors;
}

void add(ConstantTraffic& sum, const ConstantTraffic& more) {
    add_requests(sum, more);
    sum.passes += more.passes;
}

void add(LocalTraffic& sum, const LocalTraffic& more) {
    add_requests(sum, more);
    sum.sectors += more.sectors;
}

void add(Branching& sum, const Branching& more) {
    sum.blocks += more.blocks;
    sum.block_lanes += more.block_lanes;
    sum.branches += more.branches;
    sum.uniform_branches += more.uniform_branches;
}

}  // namespace

Counters& operator+=(Counters& sum, const Counters& more) {
    add(sum.global_loads, more.global_loads);
    add(sum.global_stores, more.global_stores);
    add(sum.global_atomics, more.global_atomics);
    add(sum.shared_loads, more.shared_loads);
    add(sum.shared_stores, more.shared_stores);
    add(sum.shared_atomics, more.shared_atomics);
    add(sum.texture_fetches, more.texture_fetches);
    add(sum.constant_loads, more.constant_loads);
    add(sum.local_loads, more.local_loads);
    add(sum.local_stores, more.local_stores);
    if (more.most_contended.operations > sum.most_contended.operations) sum.most_contended = more.most_contended;
    add(sum.branching, more.branching);
    sum.block_barriers += more.block_barriers;
    sum.warp_barriers += more.warp_barriers;
    sum.child_launches += more.child_launches;
    sum.exchanges += more.exchanges;
    return sum;
}

// ---- columns of tables

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

// What all kinds of traffic count.
template <auto traffic, typename Add>
void add_requests(const Add& add, const CounterHeading& heading, const char* name = "_requests",
                  const char* description = ": requests of warps") {
    add(
        name, description, true, [](const Counters& of) { return double((of.*traffic).requests); }, heading);
    add("_lanes", ": lanes in them", true, [](const Counters& of) { return double((of.*traffic).lanes); });
    add("_bytes", ": bytes asked for by lanes", true, [](const Counters& of) { return double((of.*traffic).bytes); });
}

// The columns of one kind of traffic. `prefix`: as profilers have named them, gld, gst, ...
template <GlobalTraffic Counters::*traffic>
void add_global_columns(std::vector<CounterColumn>& columns, const std::string& prefix, const std::string& what,
                        const TrafficHeadings& headings) {
    const auto add = adder<traffic>(columns, prefix, what);
    add_requests<traffic>(add, headings.requests);
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
    add_requests<traffic>(add, headings.requests);
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
    add_requests<&Counters::texture_fetches>(add, {"fetches"}, "_requests", ": texels that warps asked for");
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
    add_requests<&Counters::constant_loads>(add, {"constant loads"});
    add("_passes", ": passes, one for each address", true,
        [](const Counters& of) { return double(of.constant_loads.passes); });
    add("_passes_per_request", ": passes per request", false,
        [](const Counters& of) { return of.constant_loads.passes_per_request(); }, {"passes each", 1, 2});
    add("_lanes_per_request", ": lanes per request", false,
        [](const Counters& of) { return of.constant_loads.lanes_per_request(); });
}

template <LocalTraffic Counters::*traffic>
void add_local_columns(std::vector<CounterColumn>& columns, const std::string& name, const std::string& what,
                       const TrafficHeadings& headings) {
    const auto add = adder<traffic>(columns, "local_" + name, what);
    add_requests<traffic>(add, headings.requests, "s");
    add("_sectors", ": sectors of 32 bytes moved", true,
        [](const Counters& of) { return double((of.*traffic).sectors); });
    add(
        "_sectors_per_request", ": sectors per request", false,
        [](const Counters& of) { return (of.*traffic).sectors_per_request(); }, headings.each);
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
    add_local_columns<&Counters::local_loads>(columns, "load", "local loads", {{"local loads"}, sectors_each, {}});
    add_local_columns<&Counters::local_stores>(columns, "store", "local stores", {{"local stores"}, sectors_each, {}});
    columns.push_back({"child_launches",
                       "grids that kernels have launched",
                       true,
                       [](const Counters& of) { return double(of.child_launches); },
                       [](const Counters& of) { return of.child_launches > 0; },
                       {"child launches"}});
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

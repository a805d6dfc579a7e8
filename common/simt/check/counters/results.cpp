// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/results.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "common/simt/check/core/code_marks.hpp"
#include "common/simt/check/core/launch_check.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/counters/launch.hpp"

namespace simt::check {

namespace {

// The ended launches of a kernel that take_counters() has not returned yet.
struct KeptLaunches {
    std::string kernel;
    uint64_t launches = 0, blocks = 0, threads = 0;
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
        case EventKind::block_barrier: counters_.block_barriers += tally.requests; return;
        case EventKind::warp_barrier: counters_.warp_barriers += tally.requests; return;
        case EventKind::exchange: counters_.exchanges += tally.requests; return;
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

struct LineSum {
    std::string function;
    CounterSum sum;
};

class Lines {
public:
    // The line of this code, or of the next code that has one: the start of a function may have none. Null if there is
    // none.
    LineSum* find(uintptr_t code) {
        constexpr uintptr_t farthest = 64;
        for (uintptr_t ahead = 0; ahead < farthest; ++ahead) {
            const Symbol& symbol = symbol_of(reinterpret_cast<const void*>(code + ahead));
            const auto frames = device_frames(symbol);
            if (ahead == 0 && !symbol.lacks_lines_of.empty()) lacks_lines_of = symbol.lacks_lines_of;
            if (frames.empty()) continue;
            LineSum& line = at(frames.front().path, frames.front().line);
            line.function = frames.front().function;
            return &line;
        }
        return nullptr;
    }
    LineSum& at(const std::string& path, unsigned line) { return lines_[{full_path(path), line}]; }

    std::vector<LineCounters> counters() const {
        std::vector<LineCounters> result;
        for (const auto& [key, line] : lines_) {
            const std::string file = key.first.substr(key.first.rfind('/') + 1);
            result.push_back({file, key.first, key.second, line.function, line.sum.counters()});
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
    return {kept.kernel,      kept.launches,    kept.blocks,         kept.threads,
            total.counters(), lines.counters(), lines.lacks_lines_of};
}

}  // namespace

void keep_counters(const LaunchCheck& launch) { KeptCounters::instance().add(launch); }

std::string note_on_lines(const KernelCounters& kernel) { return note_on_missing_lines(kernel.lacks_lines_of); }

std::vector<KernelCounters> take_counters() {
    std::vector<KernelCounters> kernels;
    for (const KeptLaunches& kept : KeptCounters::instance().take()) kernels.push_back(by_line(kept));
    return kernels;
}

}  // namespace simt::check

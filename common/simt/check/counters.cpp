#include "common/simt/check/counters.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "common/simt/check/launch_counters.hpp"
#include "common/simt/check/launch_watch.hpp"
#include "common/simt/check/symbols.hpp"

namespace simt::checking {

namespace {

// The launches of a kernel that have ended and have not been asked for.
struct KeptLaunches {
    std::string kernel;
    uint64_t launches = 0, blocks = 0, threads = 0;
    PlaceTable places;
};

class KeptCounters {
public:
    static KeptCounters& instance() {
        static auto& counters = *new KeptCounters;  // outlives what the program has registered for its end
        return counters;
    }

    void add(const LaunchWatch& launch) {
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
    // What has been added.
    Counters counters() const;

private:
    void add_global(GlobalTraffic& traffic, const PlaceTally& tally);
    void add_shared(SharedTraffic& traffic, const PlaceTally& tally);

    Counters counters_;
    AddressCounts global_, shared_;
};

void CounterSum::add_global(GlobalTraffic& traffic, const PlaceTally& tally) {
    traffic.requests += tally.requests;
    traffic.lanes += tally.lanes;
    traffic.bytes += tally.lanes * tally.place.bytes();
    traffic.distinct_bytes += tally.distinct_bytes;
    traffic.sectors += tally.moved;
    if (tally.addresses) tally.addresses->for_each([&](uintptr_t address, uint64_t n) { global_.add(address, n); });
}

void CounterSum::add_shared(SharedTraffic& traffic, const PlaceTally& tally) {
    traffic.requests += tally.requests;
    traffic.lanes += tally.lanes;
    traffic.bytes += tally.lanes * tally.place.bytes();
    traffic.wavefronts += tally.moved;
    traffic.ideal_wavefronts += tally.ideal;
    if (tally.addresses) tally.addresses->for_each([&](uintptr_t address, uint64_t n) { shared_.add(address, n); });
}

void CounterSum::add(const PlaceTally& tally) {
    switch (tally.place.kind()) {
        case EventKind::global_load: return add_global(counters_.global_loads, tally);
        case EventKind::global_store: return add_global(counters_.global_stores, tally);
        case EventKind::global_atomic: return add_global(counters_.global_atomics, tally);
        case EventKind::shared_load: return add_shared(counters_.shared_loads, tally);
        case EventKind::shared_store: return add_shared(counters_.shared_stores, tally);
        case EventKind::shared_atomic: return add_shared(counters_.shared_atomics, tally);
        case EventKind::block_barrier: counters_.block_barriers += tally.requests; return;
        case EventKind::warp_barrier: counters_.warp_barriers += tally.requests; return;
        case EventKind::exchange: counters_.exchanges += tally.requests; return;
        case EventKind::kernel_left: return;
        case EventKind::block_entered: break;
    }
    Branching& branching = counters_.branching;
    branching.blocks += tally.requests;
    branching.block_lanes += tally.lanes;
    if (!tally.has_several_successors) return;
    branching.branches += tally.departures;
    branching.uniform_branches += tally.uniform_departures;
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

void add_by_line(std::map<LineKey, LineSum>& lines, const PlaceTally& tally) {
    LineKey key{"", 0};
    std::string function;
    if (tally.file) {
        key = {full_path(reinterpret_cast<const char*>(tally.file)), tally.place.line()};
    } else {
        const std::vector<Frame> frames = device_frames(symbol_of(reinterpret_cast<const void*>(tally.place.code())));
        if (!frames.empty()) {
            key = {full_path(frames.front().path), frames.front().line};
            function = frames.front().function;
        }
    }
    LineSum& line = lines[key];
    if (line.function.empty()) line.function = function;
    line.sum.add(tally);
}

KernelCounters by_line(const KeptLaunches& kept) {
    std::map<LineKey, LineSum> lines;
    CounterSum total;
    kept.places.for_each([&](const PlaceTally& tally) {
        if (tally.place.kind() == EventKind::kernel_left) return;
        total.add(tally);
        add_by_line(lines, tally);
    });
    KernelCounters kernel{kept.kernel, kept.launches, kept.blocks, kept.threads, total.counters(), {}};
    for (const auto& [key, line] : lines) {
        const std::string file = key.first.substr(key.first.rfind('/') + 1);
        kernel.lines.push_back({file, key.first, key.second, line.function, line.sum.counters()});
    }
    return kernel;
}

}  // namespace

void keep_counters(const LaunchWatch& launch) { KeptCounters::instance().add(launch); }

std::vector<KernelCounters> take_counters() {
    std::vector<KernelCounters> kernels;
    for (const KeptLaunches& kept : KeptCounters::instance().take()) kernels.push_back(by_line(kept));
    return kernels;
}

}  // namespace simt::checking

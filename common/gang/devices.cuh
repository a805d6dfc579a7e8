// Several devices that work on one problem: their streams, their communicators, and a benchmark's case on them.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/cuda/peer_access.cuh"
#include "common/gang/device_gather.cuh"
#include "common/gang/nccl.cuh"
#include "common/measure/bench.cuh"

namespace BACKEND {

// What a rank works on: `size` elements from `begin` on.
struct Share {
    size_t begin, size;
};

// Of n elements; the shares of two ranks differ by one element at most.
constexpr Share share_of(size_t n, size_t rank, size_t ranks) {
    const size_t least = n / ranks, longer = n % ranks;
    return {rank * least + std::min(rank, longer), least + (rank < longer)};
}

// The gangs that a benchmark runs on, one after the other: the first device, to compare with, and all; also powers of two
// between, if asked for.
inline std::vector<std::vector<DeviceInfo>> gangs_of(const std::vector<DeviceInfo>& devices, bool between) {
    std::vector<std::vector<DeviceInfo>> gangs;
    const auto add = [&](size_t size) { gangs.emplace_back(devices.begin(), devices.begin() + std::ptrdiff_t(size)); };
    add(1);
    for (size_t size = 2; between && size < devices.size(); size *= 2) add(size);
    if (devices.size() > 1) add(devices.size());
    return gangs;
}
inline std::vector<std::vector<DeviceInfo>> gangs_of(const std::vector<DeviceInfo>& devices,
                                                     const MeasureSettings& settings) {
    return gangs_of(devices, settings.ladder || !settings.predict.gangs.empty());
}

// Devices that work together: rank r is the r-th of them. Those that this process drives have a stream each, in which
// their work is timed. All processes of the team make all gangs, those without a member, too: a gang is made together,
// and what it does is.
class Gang {
public:
    Gang(const std::vector<DeviceInfo>& devices, const MeasureSettings& settings)
        : team_(*settings.team),
          devices_(devices),
          own_(own_ranks(devices, team_.process())),
          watch_(own_ordinals(), settings.cold_cache && !settings.profile, own_.size > 0 ? own(0).l2_bytes : 0,
                 own_.begin, team_) {
        for (size_t i = 0; i < own_.size; ++i) clocks_.emplace_back(own(i).simulated ? "" : own(i).uuid);
        if (team_.processes() > 1) connect();
    }

    // Of all processes.
    size_t size() const { return devices_.size(); }
    const std::vector<DeviceInfo>& devices() const { return devices_; }
    const DeviceInfo& device(size_t rank) const { return devices_[rank]; }
    bool is_in_one_process() const { return devices_.front().process == devices_.back().process; }
    // Of this process's ranks alone.
    cudaStream_t stream(size_t rank) const { return watch_.stream(rank); }
    GangStopwatch& watch() { return watch_; }
    // Whether the clocks of any of this process's devices are held down.
    bool is_throttled() const {
        return std::any_of(clocks_.begin(), clocks_.end(),
                           [](const ClockMonitor& clocks) { return clocks.throttled(); });
    }

    // Calls work(rank) for this process's ranks, with the rank's device as the current one.
    template <typename Work>
    void on_each(Work work) const {
        for (size_t rank = own_.begin; rank < own_.begin + own_.size; ++rank) {
            const OnDevice there(devices_[rank].ordinal);
            work(rank);
        }
    }

    // NCCL is looked for at the first use. Why there is none, and what to do; "" if there is.
    const std::string& why_not_nccl() {
        if (!nccl_) nccl_ = std::make_unique<Nccl>();
        return nccl_->why_not();
    }
    // Failure(unavailable) if it is missing.
    const Nccl& nccl() {
        if (!why_not_nccl().empty()) fail(Exit::unavailable, "{}", why_not_nccl());
        return *nccl_;
    }
    // One per rank of this process.
    const Communicators& communicators() {
        if (!communicators_) communicators_ = std::make_unique<Communicators>(nccl(), own_ordinals());
        return *communicators_;
    }

    // Does work that other ranks take part in. If it fails they are told before anything is freed, since that may wait
    // for collectives that never end.
    template <typename Work>
    auto together(Work work) {
        try {
            return work();
        } catch (const Failure& failure) {
            leave(failure.what(), failure.exit());
            throw;
        } catch (const std::bad_alloc&) {
            leave("not enough host memory; choose a smaller size", Exit::cuda_error);
            throw;
        } catch (const std::exception& error) {
            leave(error.what(), Exit::cuda_error);
            throw;
        }
    }

private:
    void leave(const std::string& why, Exit exit) {
        static_cast<void>(team_.fail(why, exit));
        if (communicators_) communicators_->abort();
    }

    static Share own_ranks(const std::vector<DeviceInfo>& devices, size_t process) {
        const auto is_own = [=](const DeviceInfo& device) { return device.process == process; };
        const auto first = std::find_if(devices.begin(), devices.end(), is_own);
        return {size_t(first - devices.begin()), size_t(std::count_if(first, devices.end(), is_own))};
    }
    const DeviceInfo& own(size_t i) const { return devices_[own_.begin + i]; }

    std::vector<int> own_ordinals() const {
        std::vector<int> numbers;
        for (size_t i = 0; i < own_.size; ++i) numbers.push_back(own(i).ordinal);
        return numbers;
    }

    // The processes first learn to tell each other things by their devices, and then make the gang's communicators.
    void connect() {
        static_cast<void>(nccl());
        if (!team_.gathers_by_devices()) {
            int current = 0;
            CHECK(cudaGetDevice(&current));
            const auto by_devices = std::make_shared<DeviceGather>(team_, current);
            team_.gather_by([by_devices](const std::string& mine) { return by_devices->gather(mine); });
        }
        const ncclUniqueId id = common_id(nccl(), team_);
        communicators_ = std::make_unique<Communicators>(nccl(), id, size(), own_.begin, own_ordinals());
        if (own_.size == 0 || is_in_one_process()) return;
        on_each([&](size_t rank) {
            d_met_.emplace_back(1);
            CHECK(cudaMemsetAsync(d_met_.back().data(), 0, d_met_.back().bytes(), stream(rank)));
        });
        // (The first time takes long: NCCL connects the ranks, and CUDA loads its kernel.)
        meet();
        watch_.synchronize();
        watch_.meet_by([this] { meet(); });
    }

    // Holds the streams until those of all ranks have come to it.
    void meet() {
        nccl().group([&] {
            on_each([&](size_t rank) {
                std::int32_t* const d_met = d_met_[rank - own_.begin].data();
                nccl().expect(
                    nccl().all_reduce(d_met, d_met, 1, ncclInt32, ncclSum, communicators()[rank], stream(rank)),
                    "ncclAllReduce", communicators()[rank]);
            });
        });
    }

    Team& team_;
    const std::vector<DeviceInfo> devices_;
    const Share own_;  // ranks of this process
    GangStopwatch watch_;
    std::deque<ClockMonitor> clocks_;  // of those
    std::unique_ptr<Nccl> nccl_;
    std::unique_ptr<Communicators> communicators_;
    std::vector<DeviceBuffer<std::int32_t>> d_met_;
};

// A stream of the current device for what ranks send each other, beside their work. Where both are ready it goes first:
// its few blocks would otherwise wait for a whole grid.
inline Stream message_stream() {
    int lowest = 0, highest = 0;
    CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    return Stream(cudaStreamNonBlocking, highest);
}

// What a case on a gang consists of. Each is called with a rank, whose device is then the current one.
struct GangWork {
    // Enqueues into the rank's stream what a launch needs, ahead of each and not timed. May be empty.
    std::function<void(size_t rank)> prepare;
    // Enqueues the rank's part into its stream.
    std::function<LaunchShape(size_t rank)> launch;
    // Enqueues, after all ranks have launched, what joins their results; called once. May be empty.
    std::function<void()> join;
    // Overwrites the rank's output, in its stream.
    std::function<void(size_t rank)> poison;
    // Compares the rank's output with the reference.
    std::function<Verdict(size_t rank)> check;
};

// Sets how a case is timed: `prepare` is enqueued for each rank, `launch` enqueues the work of all. The gang must outlive it.
inline void set_timing(Case& one, Gang& gang, const GangStopwatch::EnqueueOn& prepare,
                       const std::function<void()>& launch) {
    one.time = [&gang, prepare, launch] { return gang.together([&] { return gang.watch().time(prepare, launch); }); };
    one.flushes = true;
    one.elapsed = [&gang] { return gang.watch().elapsed(); };
    one.is_throttled = [&gang] { return gang.is_throttled(); };
}

// Sets how a case is verified and timed. The gang must outlive it.
inline void set_work(Case& one, Gang& gang, GangWork work) {
    one.problem.gang = gang.size();
    const auto launch = [&gang, work] {
        LaunchShape first;
        gang.on_each([&](size_t rank) {
            const LaunchShape shape = work.launch(rank);
            if (rank == 0) first = shape;
        });
        if (work.join) work.join();
        return first;
    };
    // (A copy from pageable memory may end after its call, and beside the rank's stream.)
    one.poison = [&gang, work](cudaStream_t) {
        gang.on_each([&](size_t rank) {
            work.poison(rank);
            CHECK(cudaDeviceSynchronize());
        });
    };
    // (The launch that is verified runs in the gang's own streams, too.)
    one.launch = [&gang, launch](cudaStream_t) {
        return gang.together([&] {
            const LaunchShape shape = launch();
            gang.watch().synchronize();
            return shape;
        });
    };
    GangStopwatch::EnqueueOn prepare;
    if (work.prepare) {
        prepare = [work](size_t rank, cudaStream_t) { work.prepare(rank); };
        one.prepare = [&gang, work](cudaStream_t) { gang.on_each(work.prepare); };
    }
    set_timing(one, gang, prepare, launch);
    one.check = [&gang, work] {
        Verdict verdict;
        gang.on_each([&](size_t rank) {
            if (!verdict.right) return;
            verdict = work.check(rank);
            if (gang.size() > 1) verdict.detail = text("rank {}: {}", rank, verdict.detail);
        });
        return verdict;
    };
}

}  // namespace BACKEND

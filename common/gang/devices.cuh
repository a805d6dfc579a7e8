// Several devices that work on one problem: their streams, their communicators, and a benchmark's case on them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/cuda/peer_access.cuh"
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

// The devices of one process: rank r is the r-th of them. Each has a stream, in which its work is timed.
class Gang {
public:
    Gang(const std::vector<DeviceInfo>& devices, const MeasureSettings& settings)
        : devices_(devices), watch_(ordinals(), settings.cold_cache && !settings.profile, devices.front().l2_bytes) {}

    size_t size() const { return devices_.size(); }
    const std::vector<DeviceInfo>& devices() const { return devices_; }
    const DeviceInfo& device(size_t rank) const { return devices_[rank]; }
    cudaStream_t stream(size_t rank) const { return watch_.stream(rank); }
    GangStopwatch& watch() { return watch_; }

    // Calls work(rank) with the rank's device as the current one.
    template <typename Work>
    void on_each(Work work) const {
        for (size_t rank = 0; rank < size(); ++rank) {
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
    const Communicators& communicators() {
        if (!communicators_) communicators_ = std::make_unique<Communicators>(nccl(), ordinals());
        return *communicators_;
    }

private:
    std::vector<int> ordinals() const {
        std::vector<int> numbers;
        for (const DeviceInfo& device : devices_) numbers.push_back(device.ordinal);
        return numbers;
    }

    const std::vector<DeviceInfo> devices_;
    GangStopwatch watch_;
    std::unique_ptr<Nccl> nccl_;
    std::unique_ptr<Communicators> communicators_;
};

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
        const LaunchShape shape = launch();
        gang.watch().synchronize();
        return shape;
    };
    GangStopwatch::EnqueueOn prepare;
    if (work.prepare) {
        prepare = [work](size_t rank, cudaStream_t) { work.prepare(rank); };
        one.prepare = [&gang, work](cudaStream_t) { gang.on_each(work.prepare); };
    }
    one.time = [&gang, prepare, launch] { return gang.watch().time(prepare, launch); };
    one.flushes = true;
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

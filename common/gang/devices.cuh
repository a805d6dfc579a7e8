// SPDX-License-Identifier: MIT
// Several devices that work on one problem: their streams, their communicators, and benchmark cases that run on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <new>
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

// A rank's share of n elements. Any two shares differ by at most one element.
constexpr Share share_of(size_t n, size_t rank, size_t ranks) {
    const size_t least = n / ranks, longer = n % ranks;
    return {rank * least + std::min(rank, longer), least + (rank < longer)};
}

// The gangs that a benchmark runs on, one after the other: the first device for comparison, then all devices. `between`
// adds gangs of the powers of two in between.
std::vector<std::vector<DeviceInfo>> gangs_of(const std::vector<DeviceInfo>& devices, bool between);
std::vector<std::vector<DeviceInfo>> gangs_of(const std::vector<DeviceInfo>& devices, const MeasureSettings& settings);

// Devices that work together: rank r is the r-th of them. Each device that this process drives has a stream, in which
// its work is timed. Making and using a gang are collective: all processes take part, even those without a device in
// it.
class Gang {
public:
    // `first`: the watch of the first of this process's devices, if it has one already.
    Gang(const std::vector<DeviceInfo>& devices, const MeasureSettings& settings, Stopwatch* first = nullptr);

    // The number of ranks in all processes.
    size_t size() const { return devices_.size(); }
    const std::vector<DeviceInfo>& devices() const { return devices_; }
    const DeviceInfo& device(size_t rank) const { return devices_[rank]; }
    bool is_in_one_process() const { return devices_.front().process == devices_.back().process; }
    // Only for this process's ranks.
    cudaStream_t stream(size_t rank) const { return watch_.stream(rank); }
    GangStopwatch& watch() { return watch_; }
    const GangStopwatch& watch() const { return watch_; }
    // Whether any of this process's devices is throttled.
    bool is_throttled() const;

    // Calls work(rank) for this process's ranks, with the rank's device as the current one.
    template <typename Work>
    void on_each(Work work) const {
        for (size_t rank = own_.begin; rank < own_.begin + own_.size; ++rank) {
            const OnDevice there(devices_[rank].ordinal);
            work(rank);
        }
    }

    // Loads NCCL at the first use. Why that failed, and what to do; "" if it did not.
    const std::string& why_not_nccl();
    // Throws Failure(unavailable) if NCCL is missing.
    const Nccl& nccl();
    // One per rank of this process.
    const Communicators& communicators();

    // Does work that other ranks take part in. If it fails, the others are told before anything is freed, because
    // freeing may wait for collectives that never end.
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
    void leave(const std::string& why, Exit exit);
    const DeviceInfo& own(size_t i) const { return devices_[own_.begin + i]; }

    std::vector<int> own_ordinals() const;
    // Makes the processes gather texts over their devices from now on, then makes the gang's communicators.
    void connect();
    // Enqueues a barrier: each stream waits until those of all ranks have reached it.
    void meet();

    Team& team_;
    const std::vector<DeviceInfo> devices_;
    const Share own_;  // ranks of this process
    GangStopwatch watch_;
    std::deque<ClockMonitor> clocks_;  // of this process's devices
    std::unique_ptr<Nccl> nccl_;
    std::unique_ptr<Communicators> communicators_;
    std::vector<DeviceBuffer<std::int32_t>> d_met_;
};

// A stream of the current device for messages between ranks, concurrent with their work. It has the highest priority:
// its few blocks would otherwise wait for a whole grid.
Stream message_stream();

// A case on the devices of a gang, which must outlive it; a single device is a gang of one. What has a rank is called
// with the rank's device as the current one.
class GangCase : public Case {
public:
    GangCase(const Variant& variant_, const Problem& problem_, Gang& gang);

    // Enqueues what a launch needs into the rank's stream, before each launch and not timed.
    virtual void prepare_on([[maybe_unused]] size_t rank) {}
    // Enqueues the rank's part into its stream.
    virtual LaunchShape launch_on(size_t rank) = 0;
    // Enqueues what combines the ranks' results. Called once, after all ranks have launched.
    virtual void join() {}
    // Overwrites the rank's output, in its stream.
    virtual void poison_on(size_t rank) = 0;
    // Compares the rank's output with the reference.
    virtual Verdict check_on(size_t rank) = 0;

    void poison(cudaStream_t) final;
    void prepare(cudaStream_t) final;
    LaunchShape launch(cudaStream_t) final;
    Verdict check() final;
    double time(Stopwatch&) final;
    ClockReading elapsed(const Stopwatch&) const final { return gang.watch().elapsed(); }
    bool is_throttled(const ClockMonitor&) const final { return gang.is_throttled(); }

protected:
    Gang& gang;

private:
    LaunchShape launch_on_all();
};

}  // namespace BACKEND

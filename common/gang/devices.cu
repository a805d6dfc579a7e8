// SPDX-License-Identifier: MIT
// make: room -O1 (it simulates too little to be worth the compile time of a higher level)
#include "common/gang/devices.cuh"

#include <cstddef>
#include <cstdint>

#include "common/gang/device_gather.cuh"

namespace BACKEND {

std::vector<std::vector<DeviceInfo>> gangs_of(const std::vector<DeviceInfo>& devices, bool between) {
    std::vector<std::vector<DeviceInfo>> gangs;
    const auto add = [&](size_t size) { gangs.emplace_back(devices.begin(), devices.begin() + std::ptrdiff_t(size)); };
    add(1);
    for (size_t size = 2; between && size < devices.size(); size *= 2) add(size);
    if (devices.size() > 1) add(devices.size());
    return gangs;
}
std::vector<std::vector<DeviceInfo>> gangs_of(const std::vector<DeviceInfo>& devices, const MeasureSettings& settings) {
    return gangs_of(devices, settings.ladder || !settings.predict.gangs.empty());
}

static Share own_ranks(const std::vector<DeviceInfo>& devices, size_t process) {
    const auto is_own = [=](const DeviceInfo& device) { return device.process == process; };
    const auto first = std::find_if(devices.begin(), devices.end(), is_own);
    return {size_t(first - devices.begin()), size_t(std::count_if(first, devices.end(), is_own))};
}

Gang::Gang(const std::vector<DeviceInfo>& devices, const MeasureSettings& settings, Stopwatch* first)
    : team_(*settings.team),
      devices_(devices),
      own_(own_ranks(devices, team_.process())),
      watch_(own_ordinals(), settings.cold_cache && !settings.profile, own_.size > 0 ? own(0).l2_bytes : 0, own_.begin,
             team_, first) {
    for (size_t i = 0; i < own_.size; ++i) clocks_.emplace_back(own(i).simulated ? "" : own(i).uuid);
    if (team_.processes() > 1) connect();
}

bool Gang::is_throttled() const {
    return std::any_of(clocks_.begin(), clocks_.end(), [](const ClockMonitor& clocks) { return clocks.throttled(); });
}

const std::string& Gang::why_not_nccl() {
    if (!nccl_) nccl_ = std::make_unique<Nccl>();
    return nccl_->why_not();
}

const Nccl& Gang::nccl() {
    if (!why_not_nccl().empty()) fail(Exit::unavailable, "{}", why_not_nccl());
    return *nccl_;
}

const Communicators& Gang::communicators() {
    if (!communicators_) communicators_ = std::make_unique<Communicators>(nccl(), own_ordinals());
    return *communicators_;
}

void Gang::leave(const std::string& why, Exit exit) {
    static_cast<void>(team_.fail(why, exit));
    if (communicators_) communicators_->abort();
}

std::vector<int> Gang::own_ordinals() const {
    std::vector<int> numbers;
    for (size_t i = 0; i < own_.size; ++i) numbers.push_back(own(i).ordinal);
    return numbers;
}

void Gang::connect() {
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
    // (The first time is slow: NCCL connects the ranks, and CUDA loads its kernel.)
    meet();
    watch_.synchronize();
    watch_.meet_by([this] { meet(); });
}

void Gang::meet() {
    nccl().group([&] {
        on_each([&](size_t rank) {
            std::int32_t* const d_met = d_met_[rank - own_.begin].data();
            nccl().expect(nccl().all_reduce(d_met, d_met, 1, ncclInt32, ncclSum, communicators()[rank], stream(rank)),
                          "ncclAllReduce", communicators()[rank]);
        });
    });
}

Stream message_stream() {
    int lowest = 0, highest = 0;
    CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    return Stream(cudaStreamNonBlocking, highest);
}

GangCase::GangCase(const Variant& variant_, const Problem& problem_, Gang& gang_)
    : Case(variant_, problem_), gang(gang_) {
    problem.gang = gang.size();
}

// (A copy from pageable memory may still be in flight when its call returns, and not in the rank's stream.)
void GangCase::poison(cudaStream_t) {
    gang.on_each([&](size_t rank) {
        poison_on(rank);
        CHECK(cudaDeviceSynchronize());
    });
}

void GangCase::prepare(cudaStream_t) {
    gang.on_each([&](size_t rank) { prepare_on(rank); });
}

LaunchShape GangCase::launch_on_all() {
    LaunchShape first;
    gang.on_each([&](size_t rank) {
        const LaunchShape shape = launch_on(rank);
        if (rank == 0) first = shape;
    });
    join();
    return first;
}

// (The launch that is verified also runs in the gang's own streams.)
LaunchShape GangCase::launch(cudaStream_t) {
    return gang.together([&] {
        const LaunchShape shape = launch_on_all();
        gang.watch().synchronize();
        return shape;
    });
}

double GangCase::time(Stopwatch&) {
    return gang.together([&] {
        return gang.watch().time([this](size_t rank, cudaStream_t) { prepare_on(rank); }, [this] { launch_on_all(); });
    });
}

Verdict GangCase::check() {
    Verdict verdict;
    gang.on_each([&](size_t rank) {
        if (!verdict.right) return;
        verdict = check_on(rank);
        if (gang.size() > 1) verdict.detail = text("rank {}: {}", rank, verdict.detail);
    });
    return verdict;
}

}  // namespace BACKEND

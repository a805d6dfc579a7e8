// SPDX-License-Identifier: MIT
#include "common/simt/check/trace/block_trace.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <tuple>
#include <utility>

#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {
namespace {

class KeptTraces {
public:
    static KeptTraces& instance() {
        static auto& traces = *new KeptTraces;  // outlives the program's own exit handlers
        return traces;
    }

    void add(TracedBlock&& block) {
        const std::lock_guard lock(mutex_);
        blocks_.push_back(std::move(block));
    }

    std::vector<TracedBlock> take() {
        const std::lock_guard lock(mutex_);
        std::sort(blocks_.begin(), blocks_.end(), [](const TracedBlock& a, const TracedBlock& b) {
            return std::tie(a.launch, a.index) < std::tie(b.launch, b.index);
        });
        return std::exchange(blocks_, {});
    }

private:
    std::mutex mutex_;
    std::vector<TracedBlock> blocks_;
};

uint64_t word_at(uintptr_t address, uint32_t bytes) {
    uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(address), std::min<size_t>(bytes, sizeof word));
    return word;
}

}  // namespace

void BlockTrace::begin_block() {
    lanes_.assign(check_.lane_count(), {});
    actions_.clear();
    unsettled_ = 0;
}

void BlockTrace::settle() {
    if (unsettled_ == 0) return;
    actions_.back().value = word_at(unsettled_, actions_.back().bytes);
    unsettled_ = 0;
}

void BlockTrace::access(const Access& access) {
    using Kind = LaneAction::Kind;
    settle();
    if (access.space == Space::local) return;
    const bool is_shared = access.space == Space::shared;
    const uint64_t word = word_at(access.address, access.bytes);
    actions_.push_back({access.is_atomic && access.is_write ? Kind::atomic
                        : access.is_write                   ? Kind::store
                                                            : Kind::load,
                        is_shared, access.lane, lanes_[access.lane].epoch, access.bytes, access.lane,
                        access.address - (is_shared ? check_.shared_window().begin : 0), word, word});
    if (access.is_write) unsettled_ = access.address;
}

void BlockTrace::arrive(check::Wait kind, unsigned, unsigned source, Site) {
    using check::Wait;
    if (kind == Wait::active_mask || kind == Wait::poll) return;
    const Uninterrupted section;
    settle();
    const unsigned number = check_.running_lane();
    Lane& lane = lanes_[number];
    if (kind == Wait::shuffle) lane.shuffle = number / lanes_of_warp * lanes_of_warp + source;
    else ++lane.epoch;
}

// The values that the lanes give are there, and nobody has read them.
void BlockTrace::meeting_completed(unsigned warp, unsigned lanes) {
    const Uninterrupted section;
    settle();
    const Exchange& exchange = *check_.block().warp(warp).arriving;
    for (unsigned left = lanes; left; left &= left - 1) {
        const auto in_warp = static_cast<unsigned>(std::countr_zero(left));
        const unsigned number = warp * lanes_of_warp + in_warp;
        Lane& lane = lanes_[number];
        if (!lane.shuffle) continue;
        const uint64_t given = exchange.values[in_warp];
        actions_.push_back({LaneAction::Kind::shuffle, false, number, lane.epoch++, 0, *lane.shuffle, 0, given, given});
        lane.shuffle.reset();
    }
}

void BlockTrace::lane_ended(unsigned) {
    const Uninterrupted section;
    settle();
}

void BlockTrace::block_ended() {
    settle();
    const LaunchCheck& launch = check_.launch();
    KeptTraces::instance().add(
        {launch.kernel, launch.serial, check_.block_index(), check_.lane_count(), std::exchange(actions_, {})});
}

std::vector<TracedBlock> take_traces() { return KeptTraces::instance().take(); }

}  // namespace simt::check

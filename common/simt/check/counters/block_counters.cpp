// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/block_counters.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/counters/requests.hpp"
#include "common/simt/check/predict/launch_costs.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

void BlockCounters::begin_block() {
    const LaunchCheck& launch = check_.launch();
    if (launch_serial_ != launch.serial) {
        launch_serial_ = launch.serial;
        table_ = &launch.counters->new_table();
        constants_.clear();
        for (const Allocation& variable : runtime().memory.live_constants())
            constants_.push_back({variable.base, variable.bytes});
    }
    is_costed_ = launch.costs && launch.costs->sample().contains(check_.block_index());
    is_on_ = settings().counters || is_costed_;
    polls_ = 0;
    if (is_costed_) {
        if (!costs_) costs_ = std::make_unique<BlockCosts>();
        costs_->begin(launch.costs->model(), check_.lane_count(), launch.costs->l1_bytes_of_block(),
                      settings().predict_lines);
    }
    for (std::vector<AddressRange>& arrays : local_arrays_) arrays.clear();
    if (is_on_) local_arrays_.resize(std::max<size_t>(local_arrays_.size(), check_.lane_count()));
    branches_.assign((check_.lane_count() + lanes_of_warp - 1) / lanes_of_warp, {});
    log_.clear();
}

void BlockCounters::wait_for_room(const LaneLog& log) {
    while (log.is_full()) check_.pause_running_lane();
}

// The compiler copies a structure as a whole; a GPU copies it in words of up to 16 bytes.
void BlockCounters::append_range(const Access& access, EventKind kind, uintptr_t operand) {
    uint32_t word = 16;
    while (access.bytes % word != 0) word /= 2;
    for (uint32_t offset = 0; offset < access.bytes; offset += word) {
        append(access.lane, EventPlace(kind, word, access.pc), operand + offset);
    }
}

void BlockCounters::begin_local_array(AddressRange array) {
    if (!is_on_) return;
    const Uninterrupted section;
    local_arrays_[check_.running_lane()].push_back(array);
}

void BlockCounters::end_local_array(uintptr_t begin) {
    if (!is_on_) return;
    std::vector<AddressRange>& arrays = local_arrays_[check_.running_lane()];
    while (!arrays.empty() && arrays.back().begin != begin) arrays.pop_back();
    if (!arrays.empty()) arrays.pop_back();
}

// In local memory the same word of all lanes lies together, wherever their stacks are: a word is known by the array's
// number and its offset in it.
constexpr unsigned bits_of_offset = 32;

void BlockCounters::local_access(const Access& access) {
    if (!is_on_) return;
    const std::vector<AddressRange>& arrays = local_arrays_[access.lane];
    for (size_t number = 0; number < arrays.size(); ++number) {
        if (!arrays[number].contains(access.address)) continue;
        const EventKind kind = access.is_write ? EventKind::local_store : EventKind::local_load;
        return append_range(access, kind, number << bits_of_offset | (access.address - arrays[number].begin));
    }
}

// For a texel, or a variable of the executable.
void BlockCounters::append_rare(const Access& access) {
    const auto of_kind = [&](EventKind kind) {
        append(access.lane, EventPlace(kind, access.bytes, access.pc), access.address);
    };
    switch (access.texture) {
        case Texture::linear: return of_kind(EventKind::linear_fetch);
        case Texture::array: return of_kind(EventKind::array_fetch);
        case Texture::none: break;
    }
    if (!access.is_write && !access.is_atomic && access.bytes <= 16 && is_constant(access.address))
        return of_kind(EventKind::constant_load);
    append_access(access);
}

void BlockCounters::note_copy(EventKind kind, uintptr_t target, const void* pc) {
    if (is_costed_) append(check_.running_lane(), EventPlace(kind, 0, pc), target);
}

bool BlockCounters::is_constant(uintptr_t address) const {
    return std::any_of(constants_.begin(), constants_.end(),
                       [=](const AddressRange& range) { return range.contains(address); });
}

void BlockCounters::arrive(check::Wait kind, unsigned, unsigned, Site site) {
    using check::Wait;
    constexpr unsigned many = 16;  // per lane: a lane that reads a clock also lets others go first, once
    if (is_costed_ && kind == Wait::poll && ++polls_ > many * check_.lane_count()) check_.launch().costs->give_up();
    if (!is_on_ || kind == Wait::active_mask || kind == Wait::poll) return;
    const Uninterrupted section;
    const EventKind event = kind == Wait::block_barrier || kind == Wait::grid_barrier ? EventKind::block_barrier
                            : kind == Wait::warp_barrier                              ? EventKind::warp_barrier
                                                                                      : EventKind::exchange;
    append(check_.running_lane(), EventPlace(event, site), reinterpret_cast<uintptr_t>(site.file));
}

void BlockCounters::lane_ended(unsigned lane) {
    if (!is_on_) return;
    const Uninterrupted section;
    log_.lane(lane % lanes_of_warp).append(EventPlace(EventKind::kernel_left, 0, nullptr), 0);
}

void BlockCounters::warp_stalled(unsigned warp, unsigned paused) {
    if (!is_on_) return;
    // Lanes also pause for reasons other than a full log; those logs can wait.
    if (paused && !(log_.full_lanes() & paused)) return;
    draining_warp_ = warp;
    reconvergence_.drain(log_, paused, *this);
}

void BlockCounters::block_ended() {
    if (is_costed_) check_.launch().costs->add(check_.block_index(), costs_->take());
}

void BlockCounters::step(EventPlace place, uint32_t lanes, const uintptr_t* operands) {
    const bool is_local = place.kind() == EventKind::local_load || place.kind() == EventKind::local_store;
    if (is_costed_ && !is_local) costs_->step(draining_warp_, place, lanes, operands);
    if (!settings().counters || place.kind() == EventKind::copy_started || place.kind() == EventKind::copy_arrived)
        return;
    BranchTracker& branches = branches_[draining_warp_];
    if (place.kind() == EventKind::kernel_left) return branches.left(lanes);
    PlaceTally& tally = (*table_)[place];
    if (place.kind() == EventKind::block_entered) return branches.entered(tally, lanes);
    ++tally.requests;
    tally.lanes += std::popcount(lanes);
    switch (place.kind()) {
        case EventKind::global_atomic: count_operations(tally, lanes, operands, 0); [[fallthrough]];
        case EventKind::global_load:
        case EventKind::global_store:
        case EventKind::linear_fetch: return count_global(tally, lanes, operands);
        case EventKind::array_fetch: return;  // the layout of its texels is unknown
        case EventKind::constant_load: return count_constants(tally, lanes, operands);
        case EventKind::local_load:
        case EventKind::local_store: return count_local(tally, lanes, operands);
        case EventKind::shared_atomic:
            count_operations(tally, lanes, operands, check_.shared_window().begin);
            [[fallthrough]];
        case EventKind::shared_load:
        case EventKind::shared_store: return count_shared(tally, lanes, operands);
        default: tally.file = operands[std::countr_zero(lanes)];
    }
}

void BlockCounters::count_global(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses) {
    uintptr_t of_lanes[lanes_of_warp];
    const unsigned count = std::popcount(lanes);
    if (count == lanes_of_warp) {
        std::copy(addresses, addresses + count, of_lanes);
    } else {
        for (unsigned i = 0; i < count; ++i, lanes &= lanes - 1) of_lanes[i] = addresses[std::countr_zero(lanes)];
    }
    // Only loads were cached in lines.
    const unsigned line_bytes = tally.place.kind() == EventKind::global_load ? settings().line_bytes : 32;
    const MovedSectors moved = moved_sectors(of_lanes, count, tally.place.bytes(), line_bytes);
    tally.moved += moved.sectors;
    tally.distinct_bytes += moved.distinct_bytes;
}

// The constant cache serves all lanes that ask for the same address together.
void BlockCounters::count_constants(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses) {
    while (lanes) {
        const uintptr_t address = addresses[std::countr_zero(lanes)];
        for (uint32_t left = lanes; left; left &= left - 1) {
            const unsigned lane = std::countr_zero(left);
            if (addresses[lane] == address) lanes &= ~(1u << lane);
        }
        ++tally.moved;
    }
}

void BlockCounters::count_shared(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses) {
    const EventKind kind = tally.place.kind();
    const SharedAccess access = kind == EventKind::shared_atomic  ? SharedAccess::atomic
                                : kind == EventKind::shared_store ? SharedAccess::store
                                                                  : SharedAccess::load;
    const Wavefronts wavefronts = wavefronts_of(addresses, lanes, tally.place.bytes(), access);
    tally.moved += wavefronts.wavefronts;
    tally.ideal += wavefronts.ideal;
}

// The words of 32 lanes fill a line of 128 bytes, and those of 8 lanes a sector of it.
void BlockCounters::count_local(PlaceTally& tally, uint32_t lanes, const uintptr_t* operands) {
    constexpr unsigned lanes_per_sector = 8, word_bytes = 4, most_words = 5;  // 16 bytes that begin within a word
    uint64_t sectors[lanes_of_warp * most_words];
    unsigned count = 0;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = std::countr_zero(lanes);
        const uint64_t first = operands[lane] / word_bytes,
                       last = (operands[lane] + tally.place.bytes() - 1) / word_bytes;
        for (uint64_t word = first; word <= last; ++word)
            sectors[count++] = word * (lanes_of_warp / lanes_per_sector) + lane / lanes_per_sector;
    }
    std::sort(sectors, sectors + count);
    tally.moved += static_cast<uint64_t>(std::unique(sectors, sectors + count) - sectors);
}

void BlockCounters::count_operations(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses, uintptr_t origin) {
    if (!tally.addresses) tally.addresses = std::make_unique<AddressCounts>();
    while (lanes) {
        const uintptr_t address = addresses[std::countr_zero(lanes)];
        uint64_t same = 0;
        for (uint32_t left = lanes; left; left &= left - 1) {
            const unsigned lane = std::countr_zero(left);
            if (addresses[lane] != address) continue;
            lanes &= ~(1u << lane);
            ++same;
        }
        tally.addresses->add(address - origin, same);
    }
}

}  // namespace simt::check

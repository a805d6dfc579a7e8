// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/block_costs.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/simt/check/counters/requests.hpp"

namespace simt::check {

namespace {

constexpr unsigned sector_bits = 5, line_bits = 2;  // 32 bytes, and 4 sectors

// The different sectors that these lanes ask for, in order; at most one request's.
struct Sectors {
    uint64_t at[lanes_of_warp * 2];
    unsigned count = 0, lines = 0;

    Sectors(uint32_t lanes, const uintptr_t* addresses, uint32_t bytes) {
        for (; lanes; lanes &= lanes - 1) {
            const uintptr_t address = addresses[std::countr_zero(lanes)];
            const uint64_t first = address >> sector_bits, last = (address + bytes - 1) >> sector_bits;
            if (count == 0 || at[count - 1] != first) at[count++] = first;
            if (last != first) at[count++] = last;
        }
        if (!std::is_sorted(at, at + count)) std::sort(at, at + count);
        count = static_cast<unsigned>(std::unique(at, at + count) - at);
        for (unsigned i = 0; i < count; ++i) lines += i == 0 || at[i] >> line_bits != at[i - 1] >> line_bits;
    }
};

void note(std::vector<uint64_t>& sectors, uint64_t sector) {
    if (sectors.empty() || sectors.back() != sector) sectors.push_back(sector);
}

void make_unique(std::vector<uint64_t>& sectors) {
    std::sort(sectors.begin(), sectors.end());
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
}

}  // namespace

// ---- the cache

void CacheModel::clear(size_t bytes) {
    sets_ = std::max<size_t>(1, bytes / (ways << (sector_bits + line_bits)));
    lines_.assign(sets_ * ways, {});
    now_ = 0;
}

bool CacheModel::has(uint64_t sector) const {
    const uint64_t tag = sector >> line_bits;
    const Line* const set = &lines_[set_of(tag)];
    for (unsigned way = 0; way < ways; ++way)
        if (set[way].tag == tag) return set[way].sectors >> (sector & 3) & 1;
    return false;
}

bool CacheModel::holds(uint64_t sector) {
    const uint64_t tag = sector >> line_bits;
    const uint32_t bit = 1u << (sector & 3);
    Line* const set = &lines_[set_of(tag)];
    Line* oldest = set;
    ++now_;
    for (unsigned way = 0; way < ways; ++way) {
        Line& line = set[way];
        if (line.tag == tag) {
            line.used = now_;
            const bool was_there = line.sectors & bit;
            line.sectors |= bit;
            return was_there;
        }
        if (line.used < oldest->used) oldest = &line;
    }
    *oldest = {tag, bit, now_};
    return false;
}

// ---- the block

void BlockCosts::begin(const GpuModel& model, unsigned lanes, size_t l1_bytes) {
    model_ = &model;
    cost_ = {};
    warps_.assign((lanes + lanes_of_warp - 1) / lanes_of_warp, {});
    if (lanes % lanes_of_warp != 0) warps_.back().running = (1u << lanes % lanes_of_warp) - 1;
    at_barrier_ = ended_ = 0;
    shared_begin_ = shared_end_ = 0;
    atomics_ = {};
    l1_.clear(l1_bytes);
}

const WorkMark& BlockCosts::work_at(const void* pc) {
    const auto [position, is_new] = works_.try_emplace(pc);
    if (is_new) position->second = work_mark_at(reinterpret_cast<uintptr_t>(pc));
    return position->second;
}

// What a basic block has loaded is needed in the next one, at the latest; until then its loads overlap.
void BlockCosts::wait(Warp& warp) {
    if (warp.arrives > warp.clock) {
        warp.waits += warp.misses;
        warp.clock = warp.arrives;
    }
    warp.misses = false;
}

void BlockCosts::entered(Warp& warp, const void* pc) {
    wait(warp);
    const WorkMark& work = work_at(pc);
    cost_.integer += work.integer;
    cost_.single += work.single;
    cost_.double_ += work.double_;
    cost_.special += work.special;
    // (About every second instruction depends on the one before it.)
    warp.clock += (work.integer + work.single + work.double_ + 8.0 * work.special) * model_->arithmetic_latency / 2;
}

void BlockCosts::load(Warp& warp, uint32_t lanes, const uintptr_t* addresses, uint32_t bytes) {
    const Sectors sectors(lanes, addresses, bytes);
    unsigned missed = 0;
    for (unsigned i = 0; i < sectors.count; ++i) {
        if (l1_.holds(sectors.at[i])) continue;
        ++missed;
        note(cost_.loaded, sectors.at[i]);
    }
    const double wavefronts = std::max<double>(sectors.lines, (std::popcount(lanes) * bytes + 127) / 128);
    cost_.global_wavefronts += wavefronts;
    cost_.asked_sectors += sectors.count;
    cost_.missed_sectors += missed;
    warp.arrives = std::max(warp.arrives, warp.clock + wavefronts + (missed ? model_->l2_latency : model_->l1_latency));
    warp.misses |= missed > 0;
}

void BlockCosts::write(uint32_t lanes, const uintptr_t* addresses, uint32_t bytes, bool is_atomic) {
    const Sectors sectors(lanes, addresses, bytes);
    for (unsigned i = 0; i < sectors.count; ++i) note(cost_.stored, sectors.at[i]);
    (is_atomic ? cost_.atomic_sectors : cost_.stored_sectors) += sectors.count;
    cost_.global_wavefronts += std::max<double>(sectors.lines, (std::popcount(lanes) * bytes + 127) / 128);
    if (!is_atomic) return;
    uintptr_t last = 0;
    for (; lanes; lanes &= lanes - 1) {  // a warp's operations on one address leave it as one
        const uintptr_t address = addresses[std::countr_zero(lanes)];
        if (address != last) atomics_.add(address, 1);
        last = address;
    }
}

void BlockCosts::use_shared(Warp& warp, EventKind kind, uint32_t lanes, const uintptr_t* addresses, uint32_t bytes) {
    const SharedAccess access = kind == EventKind::shared_atomic  ? SharedAccess::atomic
                                : kind == EventKind::shared_store ? SharedAccess::store
                                                                  : SharedAccess::load;
    const double wavefronts = wavefronts_of(addresses, lanes, bytes, access).wavefronts;
    cost_.shared_wavefronts += wavefronts;
    for (; lanes; lanes &= lanes - 1) {
        const uintptr_t address = addresses[std::countr_zero(lanes)];
        if (shared_begin_ == 0 || address < shared_begin_) shared_begin_ = address;
        shared_end_ = std::max(shared_end_, address + bytes);
    }
    if (access == SharedAccess::load) {
        warp.arrives = std::max(warp.arrives, warp.clock + wavefronts + model_->shared_latency);
    } else {
        wait(warp);
        warp.clock += wavefronts;
    }
}

void BlockCosts::end_barrier() {
    double latest = 0;
    for (const Warp& warp : warps_) latest = std::max(latest, warp.clock);
    for (Warp& warp : warps_) {
        if (warp.is_at_barrier) warp.clock = latest + model_->barrier_latency;
        warp.is_at_barrier = false;
    }
    at_barrier_ = 0;
}

void BlockCosts::step(unsigned number, EventPlace place, uint32_t lanes, const uintptr_t* operands) {
    Warp& warp = warps_[number];
    const EventKind kind = place.kind();
    if (kind == EventKind::block_entered) return entered(warp, reinterpret_cast<const void*>(place.code()));
    switch (kind) {
        case EventKind::global_load:
        case EventKind::linear_fetch:
            ++cost_.accesses;
            cost_.texels += kind == EventKind::linear_fetch;
            return load(warp, lanes, operands, place.bytes());
        case EventKind::array_fetch:
            ++cost_.accesses;
            ++cost_.texels;
            warp.arrives = std::max(warp.arrives, warp.clock + model_->l1_latency);
            return;
        case EventKind::constant_load:
            ++cost_.accesses;
            cost_.global_wavefronts += 1;
            warp.clock += model_->arithmetic_latency;
            return;
        case EventKind::global_store:
        case EventKind::global_atomic:
            ++cost_.accesses;
            wait(warp);
            return write(lanes, operands, place.bytes(), kind == EventKind::global_atomic);
        case EventKind::shared_load:
        case EventKind::shared_store:
        case EventKind::shared_atomic: ++cost_.accesses; return use_shared(warp, kind, lanes, operands, place.bytes());
        case EventKind::warp_barrier:
        case EventKind::exchange:
            ++cost_.exchanges;
            wait(warp);
            warp.clock += kind == EventKind::exchange ? model_->exchange_latency : model_->arithmetic_latency;
            return;
        case EventKind::block_barrier:
            ++cost_.barriers;
            wait(warp);
            at_barrier_ += !warp.is_at_barrier;
            warp.is_at_barrier = true;
            break;
        default:  // lanes have left
            wait(warp);
            warp.running &= ~lanes;
            ended_ += warp.running == 0;
            break;
    }
    if (at_barrier_ > 0 && at_barrier_ + ended_ >= warps_.size()) end_barrier();
}

BlockCost BlockCosts::take() {
    for (Warp& warp : warps_) {
        wait(warp);
        cost_.chain = std::max(cost_.chain, warp.clock);
        cost_.waits_for_l2 = std::max(cost_.waits_for_l2, warp.waits);
    }
    cost_.shared_bytes = static_cast<double>(shared_end_ - shared_begin_);
    make_unique(cost_.loaded);
    make_unique(cost_.stored);
    atomics_.for_each([&](uintptr_t address, uint64_t operations) {
        cost_.contended.emplace_back(address, static_cast<double>(operations));
    });
    std::sort(cost_.contended.begin(), cost_.contended.end(),
              [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a < b; });
    constexpr size_t kept = 64;
    if (cost_.contended.size() > kept) cost_.contended.resize(kept);
    return std::exchange(cost_, {});
}

}  // namespace simt::check

// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/block_costs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
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

// Atomic operations are counted in parts of one on a float.
constexpr unsigned parts_of_operation = 256;

std::vector<std::pair<uintptr_t, double>> most_of(const AddressCounts& counts) {
    std::vector<std::pair<uintptr_t, double>> most;
    counts.for_each([&](uintptr_t address, uint64_t operations) {
        most.emplace_back(address, static_cast<double>(operations) / parts_of_operation);
    });
    std::sort(most.begin(), most.end(),
              [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a < b; });
    constexpr size_t kept = 64;
    if (most.size() > kept) most.resize(kept);
    return most;
}

void make_unique(std::vector<uint64_t>& sectors) {
    std::sort(sectors.begin(), sectors.end());
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
}

}  // namespace

// ---- the cache

void CacheModel::clear(size_t bytes, unsigned warps) {
    capacity_ = bytes / line_bytes;
    window_ = double(capacity_) / warps;
    lines_.clear();
}

bool CacheModel::holds(uint64_t sector, uint32_t progress) {
    uint32_t& last = lines_[sector / sectors_of_line][sector % sectors_of_line];
    const bool was_there =
        last != 0 && (lines_.size() <= capacity_ || std::abs(double(progress) + 1 - double(last)) <= window_);
    last = progress + 1;
    return was_there;
}

// ---- the block

void BlockCosts::begin(const GpuModel& model, unsigned lanes, size_t l1_bytes, bool by_place) {
    model_ = &model;
    total_ = {};
    cost_ = &total_;
    is_by_place_ = by_place;
    places_.clear();
    numbers_.clear();
    warps_.assign((lanes + lanes_of_warp - 1) / lanes_of_warp, {});
    if (lanes % lanes_of_warp != 0) warps_.back().running = (1u << lanes % lanes_of_warp) - 1;
    at_barrier_ = ended_ = 0;
    shared_begin_ = shared_end_ = 0;
    atomics_ = shared_updates_ = {};
    l1_.clear(l1_bytes, static_cast<unsigned>(warps_.size()));
}

const WorkMark& BlockCosts::work_at(const void* pc) {
    const auto [position, is_new] = works_.try_emplace(pc);
    if (is_new) position->second = work_mark_at(reinterpret_cast<uintptr_t>(pc));
    return position->second;
}

unsigned BlockCosts::number_of(EventPlace place, uint32_t lanes, const uintptr_t* operands) {
    const auto [position, is_new] = numbers_.try_emplace(place.word(), static_cast<unsigned>(places_.size()));
    if (is_new) {
        const bool is_wait = place.kind() == EventKind::block_barrier || place.kind() == EventKind::warp_barrier ||
                             place.kind() == EventKind::exchange;
        PlaceCost& of = places_.emplace_back().of;
        of.place = place;
        if (is_wait) of.file = operands[std::countr_zero(lanes)];
    }
    return position->second;
}

void BlockCosts::spend(Warp& warp, unsigned place, Spent spent) {
    warp.clock += spent.cycles;
    warp.waits += spent.waits;
    if (!is_by_place_) return;
    if (warp.spent.size() <= place) warp.spent.resize(places_.size());
    warp.spent[place].cycles += spent.cycles;
    warp.spent[place].waits += spent.waits;
}

// What is loaded here arrives after so many cycles.
void BlockCosts::expect(Warp& warp, double cycles) {
    if (warp.clock + cycles <= warp.arrives) return;
    warp.arrives = warp.clock + cycles;
    warp.arrives_at = at_;
}

// What a basic block has loaded is needed in the next one, at the latest; until then its loads overlap.
void BlockCosts::wait(Warp& warp) {
    if (warp.arrives > warp.clock) spend(warp, warp.arrives_at, {warp.arrives - warp.clock, double(warp.misses)});
    warp.clock = std::max(warp.clock, warp.arrives);
    warp.misses = false;
}

// Returns whether the warp was in this block a few blocks ago, so that it is in a small loop. nvcc unrolls those, most
// often by four: the loads of four turns overlap.
bool BlockCosts::goes_round(Warp& warp, const void* pc) {
    constexpr unsigned unrolled = 4;
    const bool is_in_loop = std::find(warp.path.begin(), warp.path.end(), pc) != warp.path.end();
    warp.at = (warp.at + 1) % warp.path.size();
    warp.path[warp.at] = pc;
    if (!is_in_loop) {
        warp.loop = nullptr;
        wait(warp);
        return false;
    }
    if (!warp.loop) {
        warp.loop = pc;
        warp.turn = 0;
    }
    if (warp.loop == pc) {
        ++cost_->turns;
        if (++warp.turn % unrolled == 0) wait(warp);
    }
    return true;
}

void BlockCosts::entered(Warp& warp, const void* pc) {
    const bool is_in_loop = goes_round(warp, pc);
    const WorkMark& work = work_at(pc);
    (is_in_loop ? cost_->loop_integer : cost_->integer) += work.integer;
    cost_->single += work.single;
    cost_->double_ += work.double_;
    cost_->special += work.special;
    // (About every second instruction depends on the one before it.)
    const double integer = is_in_loop ? 0.0 : work.integer;
    spend(warp, at_, {(integer + work.single + work.double_ + 8.0 * work.special) * model_->arithmetic_latency / 3});
}

void BlockCosts::touch(Warp& warp, uint64_t line) {
    if (std::find(warp.lines.begin(), warp.lines.end(), line) == warp.lines.end())
        warp.lines[warp.progress++ % warp.lines.size()] = line;
}

void BlockCosts::load(Warp& warp, uint32_t lanes, const uintptr_t* addresses, uint32_t bytes, bool is_texture) {
    const Sectors sectors(lanes, addresses, bytes);
    unsigned missed = 0;
    uint64_t missed_pair = ~uint64_t{0};
    for (unsigned i = 0; i < sectors.count; ++i) {
        touch(warp, sectors.at[i] >> line_bits);
        if (l1_.holds(sectors.at[i], warp.progress) && (is_texture || model_->l1_keeps_loads != 0)) continue;
        ++missed;
        note(cost_->loaded, sectors.at[i]);
        cost_->missed_pairs += sectors.at[i] >> 1 != missed_pair;
        missed_pair = sectors.at[i] >> 1;
    }
    const double least = model_->wavefronts_per_cycle / model_->l1_requests_per_cycle;
    const double words = (std::popcount(lanes) * bytes + 127) / 128;
    double wavefronts = words;
    if (is_texture) {
        cost_->texture_cycles += std::max(std::popcount(lanes) / model_->texels_per_cycle,
                                          sectors.count / model_->texture_sectors_per_cycle);
    } else {  // the lines lie in the same banks as shared memory
        const double banks = wavefronts_of(addresses, lanes, bytes, SharedAccess::load).wavefronts;
        wavefronts = std::max({sectors.lines / model_->l1_lines_per_cycle, banks, words, least});
        cost_->global_wavefronts += wavefronts;
    }
    cost_->asked_sectors += sectors.count;
    cost_->missed_sectors += missed;
    if (warp.makes_copy) return;
    expect(warp, wavefronts + (missed ? model_->l2_latency : model_->l1_latency));
    warp.misses |= missed > 0;
}

// The data have been on their way since the copy started.
void BlockCosts::take_copy(Warp& warp, uintptr_t target) {
    const auto copy = warp.copies.find(target);
    if (copy == warp.copies.end()) return;
    const double cycles = copy->second.started + model_->l2_latency - warp.clock;
    // One wait for the copies of a stage.
    if (cycles > 0) spend(warp, copy->second.place, {cycles, double(!warp.makes_copy)});
    warp.copies.erase(copy);
    warp.makes_copy = true;
}

// A constant that is the same for all lanes is an operand of the instruction that uses it.
void BlockCosts::load_constant(Warp& warp, uint32_t lanes, const uintptr_t* addresses) {
    uintptr_t different[lanes_of_warp];
    unsigned count = 0;
    for (; lanes; lanes &= lanes - 1) different[count++] = addresses[std::countr_zero(lanes)];
    std::sort(different, different + count);
    count = static_cast<unsigned>(std::unique(different, different + count) - different);
    if (count == 1) return;
    ++cost_->accesses;
    cost_->global_wavefronts += count;
    spend(warp, at_, {count + model_->arithmetic_latency});
}

void BlockCosts::write(uint32_t lanes, const uintptr_t* addresses, uint32_t bytes) {
    const Sectors sectors(lanes, addresses, bytes);
    for (unsigned i = 0; i < sectors.count; ++i) note(cost_->stored, sectors.at[i]);
    cost_->stored_sectors += sectors.count;
    if (std::popcount(lanes) * bytes < sectors.count << sector_bits) cost_->partial_sectors += sectors.count;
    cost_->global_wavefronts += std::max<double>(sectors.lines, (std::popcount(lanes) * bytes + 127) / 128);
}

// Operations of a warp on one address leave it as one if they are on integers, else one by one. One on an integer counts
// for less.
void BlockCosts::update(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* addresses) {
    wait(warp);
    const Sectors sectors(lanes, addresses, place.bytes());
    for (unsigned i = 0; i < sectors.count; ++i) note(cost_->stored, sectors.at[i]);
    cost_->atomic_sectors += sectors.count;
    cost_->global_wavefronts += sectors.lines;
    const double weight = place.is_floating() ? 1 : model_->integer_atomic_ns / model_->atomic_ns;
    const auto parts = static_cast<uint64_t>(std::lround(weight * parts_of_operation));
    uintptr_t last = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uintptr_t address = addresses[std::countr_zero(lanes)];
        const bool is_counted = place.is_floating() || address != last;
        if (is_counted) atomics_.add(address, parts);
        if (is_counted && is_by_place_) places_[at_].atomics.add(address, parts);
        last = address;
    }
}

void BlockCosts::use_shared(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* addresses) {
    const EventKind kind = place.kind();
    const SharedAccess access = kind == EventKind::shared_atomic  ? SharedAccess::atomic
                                : kind == EventKind::shared_store ? SharedAccess::store
                                                                  : SharedAccess::load;
    const double wavefronts = wavefronts_of(addresses, lanes, place.bytes(), access).wavefronts;
    cost_->shared_wavefronts += wavefronts;
    for (; lanes; lanes &= lanes - 1) {
        const uintptr_t address = addresses[std::countr_zero(lanes)];
        if (shared_begin_ == 0 || address < shared_begin_) shared_begin_ = address;
        shared_end_ = std::max(shared_end_, address + place.bytes());
        if (place.is_floating()) shared_updates_.add(address, 1);
        if (place.is_floating() && is_by_place_) ++places_[at_].shared_updates;
    }
    if (access == SharedAccess::load) {
        expect(warp, wavefronts + model_->shared_latency);
    } else if (warp.makes_copy) {
        warp.makes_copy = false;
    } else {
        wait(warp);
        spend(warp, at_, {wavefronts});
    }
}

// The chain goes through the warp that comes last.
void BlockCosts::keep_chain_of(const Warp& warp) {
    for (size_t place = 0; place < warp.spent.size(); ++place) {
        places_[place].spent.cycles += warp.spent[place].cycles;
        places_[place].spent.waits += warp.spent[place].waits;
    }
}

void BlockCosts::end_barrier() {
    const Warp& latest =
        *std::max_element(warps_.begin(), warps_.end(), [](const Warp& a, const Warp& b) { return a.clock < b.clock; });
    keep_chain_of(latest);
    const double start = latest.clock;
    for (Warp& warp : warps_) {
        warp.spent.clear();
        if (!warp.is_at_barrier) continue;
        warp.clock = start;
        spend(warp, barrier_, {model_->barrier_latency});
        warp.is_at_barrier = false;
    }
    at_barrier_ = 0;
}

void BlockCosts::step(unsigned number, EventPlace place, uint32_t lanes, const uintptr_t* operands) {
    // (A copy arrives where it was started, and lanes end nowhere.)
    if (is_by_place_ && place.kind() != EventKind::kernel_left && place.kind() != EventKind::copy_arrived) {
        at_ = number_of(place, lanes, operands);
        cost_ = &places_[at_].of.cost;
    }
    count(warps_[number], place, lanes, operands);
}

void BlockCosts::count(Warp& warp, EventPlace place, uint32_t lanes, const uintptr_t* operands) {
    const EventKind kind = place.kind();
    if (kind == EventKind::block_entered) return entered(warp, reinterpret_cast<const void*>(place.code()));
    switch (kind) {
        case EventKind::global_load:
        case EventKind::linear_fetch:
        case EventKind::array_fetch:
            ++cost_->accesses;
            return load(warp, lanes, operands, place.bytes(), kind != EventKind::global_load);
        case EventKind::constant_load: return load_constant(warp, lanes, operands);
        case EventKind::global_store:
            ++cost_->accesses;
            wait(warp);
            return write(lanes, operands, place.bytes());
        case EventKind::global_atomic: ++cost_->accesses; return update(warp, place, lanes, operands);
        case EventKind::shared_load:
        case EventKind::shared_store:
        case EventKind::shared_atomic: ++cost_->accesses; return use_shared(warp, place, lanes, operands);
        case EventKind::copy_started: warp.copies[operands[std::countr_zero(lanes)]] = {warp.clock, at_}; return;
        case EventKind::copy_arrived: return take_copy(warp, operands[std::countr_zero(lanes)]);
        case EventKind::warp_barrier:
        case EventKind::exchange:
            ++cost_->exchanges;
            wait(warp);
            return spend(warp, at_,
                         {kind == EventKind::exchange ? model_->exchange_latency : model_->arithmetic_latency});
        case EventKind::block_barrier:
            ++cost_->barriers;
            barrier_ = at_;
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

BlockCost& BlockCost::operator+=(const BlockCost& more) {
    using Of = BlockCost;
    constexpr double Of::*amounts[] = {
        &Of::integer,           &Of::loop_integer,   &Of::turns,          &Of::single,          &Of::double_,
        &Of::special,           &Of::accesses,       &Of::exchanges,      &Of::barriers,        &Of::global_wavefronts,
        &Of::shared_wavefronts, &Of::texture_cycles, &Of::missed_pairs,   &Of::partial_sectors, &Of::asked_sectors,
        &Of::missed_sectors,    &Of::stored_sectors, &Of::atomic_sectors, &Of::chain,           &Of::waits_for_l2};
    for (double Of::*const amount : amounts) this->*amount += more.*amount;
    shared_bytes = std::max(shared_bytes, more.shared_bytes);
    return *this;
}

// Gives each place its part of what the places have together, and adds up the rest.
void BlockCosts::add_places(double shared_updates) {
    keep_chain_of(*std::max_element(warps_.begin(), warps_.end(),
                                    [](const Warp& a, const Warp& b) { return a.clock < b.clock; }));
    double updates_of_all = 0;
    for (const Place& place : places_) updates_of_all += place.shared_updates;
    for (Place& place : places_) {
        BlockCost& cost = place.of.cost;
        total_ += cost;
        total_.loaded.insert(total_.loaded.end(), cost.loaded.begin(), cost.loaded.end());
        total_.stored.insert(total_.stored.end(), cost.stored.begin(), cost.stored.end());
        make_unique(cost.loaded);
        make_unique(cost.stored);
        cost.contended = most_of(place.atomics);
        cost.chain = place.spent.cycles;
        if (place.shared_updates > 0) cost.chain += shared_updates * place.shared_updates / updates_of_all;
        cost.waits_for_l2 = place.spent.waits;
        total_.places.push_back(std::move(place.of));
    }
}

BlockCost BlockCosts::take() {
    for (Warp& warp : warps_) wait(warp);
    // Shared memory adds no floating-point numbers: a lane loads, adds, compares and swaps. Those of the block that are at
    // the same number succeed one after the other.
    uint64_t most = 0;
    shared_updates_.for_each([&](uintptr_t, uint64_t updates) { most = std::max(most, updates); });
    const double shared_updates = static_cast<double>(most) * model_->shared_update_latency;
    if (is_by_place_) add_places(shared_updates);
    double clocks = 0;
    for (const Warp& warp : warps_) {
        total_.chain = std::max(total_.chain, warp.clock);
        total_.waits_for_l2 = std::max(total_.waits_for_l2, warp.waits);
        clocks += warp.clock;
    }
    if (total_.chain > 0) total_.of_warps = clocks / (total_.chain * static_cast<double>(warps_.size()));
    total_.chain += shared_updates;
    total_.shared_bytes = static_cast<double>(shared_end_ - shared_begin_);
    make_unique(total_.loaded);
    make_unique(total_.stored);
    total_.contended = most_of(atomics_);
    return std::exchange(total_, {});
}

}  // namespace simt::check

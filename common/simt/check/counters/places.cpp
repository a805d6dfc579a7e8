// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/places.hpp"

#include <algorithm>

namespace simt::check {

void AddressCounts::add(uintptr_t address, uint64_t operations) {
    if (counts_.empty()) counts_.resize(16);
    Count* count = &slot_of(address);
    if (count->operations == 0) {
        if (used_ * 2 >= counts_.size()) {
            make_room();
            count = &slot_of(address);
        }
        ++used_;
        count->address = address;
    }
    count->operations += operations;
}

AddressCounts::Count& AddressCounts::slot_of(uintptr_t address) {
    size_t slot = (address * 0x9e3779b97f4a7c15u >> 32) & (counts_.size() - 1);
    while (counts_[slot].operations > 0 && counts_[slot].address != address) slot = (slot + 1) & (counts_.size() - 1);
    return counts_[slot];
}

void AddressCounts::make_room() {
    std::vector<Count> old(std::min(counts_.size() * 2, most_slots));
    old.swap(counts_);
    const bool may_grow = old.size() < counts_.size();
    uint64_t forgotten = 0;  // an upper bound on forgotten operations
    for (size_t kept = used_; !may_grow && kept * 4 > counts_.size();) {
        forgotten = forgotten * 2 + 1;
        kept = std::count_if(old.begin(), old.end(), [&](const Count& count) { return count.operations > forgotten; });
    }
    used_ = 0;
    for (const Count& count : old) {
        if (count.operations <= forgotten) continue;
        slot_of(count.address) = count;
        ++used_;
    }
}

void PlaceTally::went_to(uintptr_t next) {
    if (successor == 0) successor = next;
    if (successor != next) has_several_successors = true;
}

void PlaceTally::add(const PlaceTally& other) {
    if (other.file) file = other.file;
    requests += other.requests;
    lanes += other.lanes;
    distinct_bytes += other.distinct_bytes;
    moved += other.moved;
    ideal += other.ideal;
    if (other.successor) went_to(other.successor);
    has_several_successors |= other.has_several_successors;
    departures += other.departures;
    uniform_departures += other.uniform_departures;
    if (!other.addresses) return;
    if (!addresses) addresses = std::make_unique<AddressCounts>();
    other.addresses->for_each([&](uintptr_t address, uint64_t operations) { addresses->add(address, operations); });
}

PlaceTally& PlaceTable::insert(EventPlace place) {
    tallies_.push_back(std::make_unique<PlaceTally>());
    tallies_.back()->place = place;
    if (tallies_.size() * 2 > slots_.size()) {
        slots_.assign(slots_.size() * 2, nullptr);
        for (const auto& tally : tallies_) put(tally.get());
    } else {
        put(tallies_.back().get());
    }
    return *tallies_.back();
}

void PlaceTable::put(PlaceTally* tally) {
    size_t slot = first_slot(tally->place);
    while (slots_[slot]) slot = (slot + 1) % slots_.size();
    slots_[slot] = tally;
}

void PlaceTable::add(const PlaceTable& other) {
    other.for_each([&](const PlaceTally& tally) { (*this)[tally.place].add(tally); });
}

}  // namespace simt::check

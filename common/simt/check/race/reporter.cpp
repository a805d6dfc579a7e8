// SPDX-License-Identifier: MIT
#include "common/simt/check/race/reporter.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/race/place.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {
namespace {

// One of the record's lanes, if possible not the current lane.
RecordedLane lane_of(const ShadowRecord& earlier, const CheckedAccess& current) {
    const bool same_block = earlier.owner() == current.record.owner();
    const uint32_t others = same_block ? earlier.lanes() & ~earlier.bit_of(current.lane) : earlier.lanes();
    return earlier.first_lane(others ? others : earlier.lanes());
}

}  // namespace

void RaceReporter::begin_block(std::shared_ptr<RaceLaunch> launch, const char* kernel) {
    launch_ = std::move(launch);
    kernel_ = kernel;
    doubtful_.clear();
    forget_counted();
    trying_reads_.clear();
}

void RaceReporter::block_ended() {
    for (const auto& [key, counted] : counted_) launch_->count(key, counted.count, counted.severity);
    forget_counted();
}

void RaceReporter::forget_counted() {
    counted_.clear();
    recent_.fill(nullptr);
}

void RaceReporter::note_trying_read(uint64_t place) {
    if (trying_reads_.insert(place).second) launch_->add_trying_read(place);
}

void RaceReporter::report_race(const ShadowRecord& earlier, bool earlier_is_store, const CheckedAccess& current,
                               const PossibleFlag& unless_flag) {
    const bool same_block = earlier.owner() == current.record.owner() && !earlier.has(ShadowRecord::several_blocks);
    const bool same_warp = same_block && earlier.warp() == current.lane / 32 && !earlier.is_of_warps();
    const bool both_store = earlier_is_store && current.is_write && current.kind <= AccessKind::volatile_access;
    const bool same_place = earlier.place() == current.record.place();
    const Clash clash{earlier, earlier_is_store, current, lane_of(earlier, current)};
    // Some programs rely on the lanes of a warp advancing in lockstep, which is a programming model of its own; but a
    // place where all of them store is wrong in any model. A plain read of one whole word that other blocks update with
    // atomic operations never sees a torn value, but it may see an old one.
    const bool is_mild = same_warp ? !(both_store && same_place) : !same_block && tried_read(clash) != 0;
    const Severity severity = is_mild ? Severity::warning : Severity::error;

    const auto kind_of = [](bool is_store, AccessKind kind) { return uint64_t{is_store} << 2 | uint64_t(kind); };
    uint64_t first = earlier.place(), second = current.record.place();
    uint64_t first_kind = kind_of(earlier_is_store || is_atomic(earlier.kind()), earlier.kind());
    uint64_t second_kind = kind_of(current.is_write, current.kind);
    if (clash.earlier_comes_second()) {
        std::swap(first, second);
        std::swap(first_kind, second_kind);
    }
    const RaceKey key{first << 32 | second, first_kind << 3 | second_kind, unless_flag};
    // A pending copy stores later; any other store may find its own value already there.
    const bool may_be_same = both_store && !earlier.has(ShadowRecord::pending) && current.bytes <= 16;
    CountedRace& race = note(key, may_be_same ? Severity::info : severity, clash);
    if (!may_be_same || race.second.severity <= severity) return;
    Doubtful doubt{current.address, current.bytes, {}, &race, severity};
    std::memcpy(doubt.before, reinterpret_cast<const void*>(current.address), current.bytes);
    doubtful_.push_back(doubt);
}

RaceReporter::CountedRace& RaceReporter::note(const RaceKey& key, Severity severity, const Clash& clash) {
    // Races repeat: the same places, or the same variables, again and again.
    auto& recent = recent_[(key.places ^ key.places >> 32 ^ key.unless_flag.address >> 2) % recent_.size()];
    if (!recent || recent->first != key) recent = &*counted_.try_emplace(key).first;
    Counted& counted = recent->second;
    if (counted.is_known && severity >= counted.severity) {
        ++counted.count;
        return *recent;
    }
    counted.is_known = true;
    counted.severity = severity;
    const CheckedAccess& current = clash.current;
    Race race{severity, 1, clash, {}};
    race.threads = {clash.earlier.owner() - LaunchHistory::numbers_of(clash.earlier.owner()).first,
                    clash.earlier_lane.lane,
                    current.record.owner() - LaunchHistory::numbers_of(current.record.owner()).first, current.lane};
    if (clash.earlier_comes_second()) {
        std::swap(race.threads[0], race.threads[2]);
        std::swap(race.threads[1], race.threads[3]);
    }
    launch_->add(key, race);
    return *recent;
}

// The lane's store has happened by now.
void RaceReporter::settle_doubts() {
    for (const Doubtful& doubt : doubtful_) {
        if (std::memcmp(doubt.before, reinterpret_cast<const void*>(doubt.address), doubt.bytes) == 0) continue;
        auto& [key, counted] = *doubt.race;
        if (doubt.severity >= counted.severity) continue;
        counted.severity = doubt.severity;
        launch_->count(key, 0, doubt.severity);
    }
    doubtful_.clear();
}

void RaceReporter::report_foreign(const ForeignRange& range, const Access& access, uint32_t owner) {
    const Severity severity = range.is_flag(access) ? Severity::warning : Severity::error;
    Finding finding;
    finding.tool = range.tool;
    finding.title = range.tool == Tool::memcheck
                        ? std::string("Invalid __global__ ") + (access.is_write ? "write" : "read") + " of size " +
                              std::to_string(access.bytes) + " bytes"
                        : title_of_race(range.title, severity);
    finding.severity = severity;
    finding.kernel = kernel_;
    finding.sides.push_back(side_of(LaunchHistory::numbers_of(owner), "", place_of(access.pc), owner, {access.lane}));
    finding.details.push_back(range.what);
    if (severity == Severity::warning) finding.details.push_back(flag_of_copy);
    if (range.host_pc)
        for (const std::string& frame : describe_backtrace({range.host_pc})) finding.details.push_back("    " + frame);
    report(std::move(finding));
}

}  // namespace simt::check

#include "common/simt/check/race/reporter.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/race/place.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {
namespace {

const char* name_of_access(bool is_store, AccessKind kind, bool is_write) {
    if (is_atomic(kind)) return "Atomic access";
    return is_store || is_write ? "Write access" : "Read access";
}

BlockNumbers numbers_of(uint32_t owner) { return LaunchHistory::instance().find(owner).value_or(BlockNumbers()); }

// The place of the plain read if the two are a plain read and an atomic operation on an aligned word; otherwise 0.
uint64_t tried_read(const ShadowRecord& earlier, bool earlier_is_store, const CheckedAccess& current) {
    if (earlier_is_store || earlier.bytes() != 15 || current.bytes > 8 || current.address % current.bytes) return 0;
    if (earlier.kind() == AccessKind::plain && is_atomic(current.kind)) return earlier.place();
    if (is_atomic(earlier.kind()) && current.kind == AccessKind::plain && !current.is_write) {
        return current.record.place();
    }
    return 0;
}

}  // namespace

void RaceReporter::begin_block(std::shared_ptr<RaceLaunch> launch, const char* kernel) {
    launch_ = std::move(launch);
    kernel_ = kernel;
    doubtful_.clear();
    counted_.clear();
    trying_reads_.clear();
}

void RaceReporter::block_ended() {
    for (const auto& [key, counted] : counted_) launch_->count(key, counted.count, counted.severity);
    counted_.clear();
}

void RaceReporter::note_trying_read(uint64_t place) {
    if (trying_reads_.insert(place).second) launch_->add_trying_read(place);
}

void RaceReporter::report_race(const ShadowRecord& earlier, bool earlier_is_store, const CheckedAccess& current) {
    const bool same_block = earlier.owner() == current.record.owner() && !earlier.has(ShadowRecord::several_blocks);
    const bool same_warp = same_block && earlier.warp() == current.lane / 32 &&
                           (earlier_is_store || !earlier.has(ShadowRecord::several_warps));
    const bool both_store = earlier_is_store && current.is_write && current.kind <= AccessKind::volatile_access;
    const bool same_place = earlier.place() == current.record.place();
    // Some programs rely on the lanes of a warp advancing in lockstep, which is a programming model of its own; but a
    // place where all of them store is wrong in any model. A plain read of one whole word that other blocks update by
    // atomic operations never sees a torn value, but it may see an old one.
    const bool is_mild =
        same_warp ? !(both_store && same_place) : !same_block && tried_read(earlier, earlier_is_store, current) != 0;
    const Severity severity = is_mild ? Severity::warning : Severity::error;

    uint64_t first = earlier.place(), second = current.record.place();
    const bool swap = earlier_is_store ? both_store && first > second : current.is_write;
    if (swap) std::swap(first, second);
    const uint64_t kinds = uint64_t{earlier_is_store} << swap | uint64_t{current.is_write} << (1 - swap) |
                           static_cast<uint64_t>(earlier.kind()) << 2 | static_cast<uint64_t>(current.kind) << 4;
    const RaceKey key{first << 32 | second, kinds};
    // A pending copy stores later; any other store may find its own value already there.
    const bool may_be_same = both_store && !earlier.has(ShadowRecord::pending) && current.bytes <= 16;
    note(key, may_be_same ? Severity::info : severity, earlier, earlier_is_store, current);
    if (!may_be_same) return;
    Doubtful doubt{current.address, current.bytes, {}, key, severity};
    std::memcpy(doubt.before, reinterpret_cast<const void*>(current.address), current.bytes);
    doubtful_.push_back(doubt);
}

void RaceReporter::note(const RaceKey& key, Severity severity, const ShadowRecord& earlier, bool earlier_is_store,
                        const CheckedAccess& current) {
    const auto [position, is_new] = counted_.try_emplace(key);
    Counted& counted = position->second;
    if (!is_new && severity >= counted.severity) {
        ++counted.count;
        return;
    }
    counted.severity = severity;
    const uint32_t owner = current.record.owner();
    unsigned other_lane = earlier.warp() * 32;
    if (earlier.has(ShadowRecord::several_warps) && !earlier_is_store) {
        const uint32_t warps = earlier.lanes() & ~(1u << current.lane / 32);
        other_lane = static_cast<unsigned>(std::countr_zero(warps ? warps : earlier.lanes())) * 32 + current.lane % 32;
    } else {
        const bool same_warp = earlier.owner() == owner && earlier.warp() == current.lane / 32;
        const uint32_t others = same_warp ? earlier.lanes() & ~(1u << current.lane % 32) : earlier.lanes();
        other_lane += static_cast<unsigned>(std::countr_zero(others ? others : earlier.lanes()));
    }
    Race race;
    race.severity = severity;
    race.count = 1;
    race.tried_read = tried_read(earlier, earlier_is_store, current);
    const char* const what = name_of_access(earlier_is_store, earlier.kind(), false);
    const char* const own_what = name_of_access(false, current.kind, current.is_write);
    const BlockNumbers other = numbers_of(earlier.owner());
    race.kernel = std::min(other.kernel, std::string(kernel_));
    race.sides = {side_of(other, what, earlier.place(), earlier.owner(), other_lane),
                  side_of(numbers_of(owner), own_what, current.record.place(), owner, current.lane)};
    if (!earlier_is_store && current.is_write) std::swap(race.sides[0], race.sides[1]);
    char where[80];
    std::snprintf(where, sizeof where, "Address 0x%zx in %s memory", static_cast<size_t>(current.address),
                  current.is_shared ? "__shared__" : "__global__");
    race.details.push_back(where);
    if (earlier.has(ShadowRecord::pending) && earlier_is_store) {
        race.details.push_back("The write is an asynchronous copy that has not been waited for");
    }
    if (is_atomic(earlier.kind()) && current.kind != AccessKind::plain && current.is_too_narrow_for(earlier)) {
        race.details.push_back("The scope of an atomic operation is too narrow: it is atomic only within its block");
    }
    launch_->add(key, std::move(race));
}

// The lane's store has happened by now.
void RaceReporter::settle_doubts() {
    for (const Doubtful& doubt : std::exchange(doubtful_, {})) {
        if (std::memcmp(doubt.before, reinterpret_cast<const void*>(doubt.address), doubt.bytes) == 0) continue;
        Counted& counted = counted_[doubt.key];
        if (doubt.severity >= counted.severity) continue;
        counted.severity = doubt.severity;
        launch_->count(doubt.key, 0, doubt.severity);
    }
}

void RaceReporter::report_foreign(const Access& access, uint32_t owner) {
    if (access.space != Space::global) return;
    const Uninterrupted section;
    const bool is_read = !access.is_write;
    const auto range = launch_->foreign_range(access.address, access.bytes, !is_read);
    if (!range) return;
    Finding finding;
    finding.tool = range->tool;
    finding.title = range->tool == Tool::memcheck ? std::string("Invalid __global__ ") + (is_read ? "read" : "write") +
                                                        " of size " + std::to_string(access.bytes) + " bytes"
                                                  : range->title;
    finding.kernel = kernel_;
    finding.sides.push_back(side_of(numbers_of(owner), "", place_of(access.pc), owner, access.lane));
    finding.details.push_back(range->what);
    if (range->host_pc)
        for (const std::string& frame : describe_backtrace({range->host_pc})) finding.details.push_back("    " + frame);
    report(std::move(finding));
}

}  // namespace simt::check

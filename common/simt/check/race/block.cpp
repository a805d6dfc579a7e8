#include "common/simt/check/race/block.hpp"

#include <algorithm>
#include <bit>

#include "common/simt/check/core/block_watch_inline.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::checking {

RaceCheck::RaceCheck(BlockWatch& watch)
    : watch_(watch), shared_(watch.shared_window().begin, watch.shared_window().bytes, 1), memory_(race_memory()) {}

void RaceCheck::begin_block() {
    launch_ = watch_.launch().races;
    generation_ = 0;
    clocks_.begin(watch_.lane_count());
    has_deferred_ = has_learned_ = fenced_since_barrier_ = false;
    fenced_warps_ = 0;
    learned_.assign(watch_.lane_count(), nullptr);
    unfenced_.assign(watch_.lane_count(), nullptr);
    shared_polled_.clear();
    named_.assign(watch_.lane_count(), ~0u);
    fenced_.clear();
    shared_logs_.clear();
    polled_ = 0;
    doubtful_.clear();
    counted_.clear();
    trying_reads_.clear();
    take_numbers();
    has_foreign_ = launch_->has_foreign_ranges();
}

void RaceCheck::take_numbers() {
    first_block_ = launch_->first_block(generation_);
    block_count_ = launch_->block_count();
    owner_ = first_block_ + static_cast<uint32_t>(watch_.block_index() % block_count_);
    clocks_.set_owner(owner_);
    // Nothing of this launch before a grid barrier is left to be compared, unless other launches came between.
    const bool is_alone = first_block_ == launch_->ordered_below() + generation_ * block_count_;
    ordered_below_ = is_alone ? first_block_ : launch_->ordered_below();
    ordered_dates_below_ = ShadowRecord::first_date(ordered_below_);
}

// After 16 million meetings and fences the block begins a new numbering, as after a grid barrier.
void RaceCheck::renew_numbers_if_exhausted() {
    if (clocks_.time() < ShadowRecord::largest_clock - 2048) return;
    grid_barrier_completed();
}

void RaceCheck::arrive(watching::Wait kind, unsigned mask, unsigned, Site) {
    settle();
    const bool is_in_warp = kind == watching::Wait::warp_barrier || kind == watching::Wait::shuffle ||
                            kind == watching::Wait::vote || kind == watching::Wait::match;
    if (is_in_warp) named_[watch_.running_lane()] = mask;
}

// ---- any access

void RaceCheck::check(const Access& access, AccessKind kind) {
    ShadowMap* const words = words_of(access.space, access.address);
    if (!words) return;
    const Uninterrupted section;
    has_foreign_ = launch_->has_foreign_ranges();
    Current current{record_of(access.lane, access.pc, kind), access.lane, access.is_write,
                    access.space == Space::shared, kind, access.address, access.bytes};
    // It is a flag from the first look on, whether or not somebody has stored to it by then.
    if (kind == AccessKind::volatile_access && watch_.is_polling(access.lane)) {
        polled_variables_of(access.space).insert(access.address);
    }
    current.is_narrow_load = access.is_atomic && !access.is_write && access.reach == watching::Reach::block;
    const uintptr_t end = access.address + access.bytes;
    for (uintptr_t word = access.address & ~uintptr_t{3}; word < end; word += 4) {
        const unsigned skipped = word < access.address ? static_cast<unsigned>(access.address - word) : 0;
        const unsigned beyond = word + 4 > end ? static_cast<unsigned>(word + 4 - end) : 0;
        check_word(*words, word, (15u << skipped & 15u) & 15u >> beyond, current);
    }
    if (kind == AccessKind::volatile_access) synchronize_by_volatile(access);
}

// A record that nobody can race with any more.
bool RaceCheck::is_obsolete(const ShadowRecord& earlier, const Current& current) const {
    if (earlier.owner() != owner_) return current.is_shared || earlier.owner() < ordered_below_;
    return earlier.clock() < clocks_.block_base() && !earlier.has(ShadowRecord::several_blocks) &&
           !earlier.has(ShadowRecord::split);
}

void RaceCheck::check_word(ShadowMap& words, uintptr_t address, unsigned bytes, Current& current) {
    ShadowCell& cell = *words.word(address);
    current.record = current.record.with_bytes(bytes);
    const ShadowRecord store = ShadowRecord::load(cell.store), use = ShadowRecord::load(cell.use);
    ShadowCell* byte_cells = nullptr;
    if (store.has(ShadowRecord::split) && (store.owner() == owner_ || !current.is_shared)) {
        byte_cells = bytes_of(words).bytes_of_word(address);
    } else {
        const auto would_be_lost = [&](const ShadowRecord& record) {
            return record.bytes() != bytes && !is_obsolete(record, current) && !record.same_but_bytes(current.record);
        };
        if (would_be_lost(store) || would_be_lost(use)) byte_cells = split(words, address, cell);
    }
    if (!byte_cells) {
        // A lane that goes through the bytes of a word one by one has in the end accessed the word.
        if (store.same_but_bytes(current.record)) current.record = current.record.with_bytes(bytes | store.bytes());
        if (use.same_but_bytes(current.record)) current.record = current.record.with_bytes(bytes | use.bytes());
        check_cell(cell, current);
        return;
    }
    for (unsigned byte = 0; byte < 4; ++byte) {
        if (!(bytes >> byte & 1)) continue;
        current.record = current.record.with_bytes(1u << byte);
        check_cell(byte_cells[byte], current);
    }
    if (bytes == 15 && current.is_write && !is_atomic(current.kind)) {
        ShadowRecord::store(cell.use, ShadowRecord());
        ShadowRecord::store(cell.store, current.record.with_bytes(15));
    }
}

ShadowCell* RaceCheck::split(ShadowMap& words, uintptr_t address, ShadowCell& cell) {
    ShadowCell* const cells = bytes_of(words).bytes_of_word(address);
    for (unsigned byte = 0; byte < 4; ++byte) {
        const auto part = [byte](const ShadowRecord& whole) {
            const ShadowRecord record = ShadowRecord::load(whole);
            return record.bytes() >> byte & 1 ? record.with_bytes(1u << byte) : ShadowRecord();
        };
        ShadowRecord::store(cells[byte].use, part(cell.use));
        ShadowRecord::store(cells[byte].store, part(cell.store));
    }
    ShadowRecord::store(cell.use, ShadowRecord());
    ShadowRecord::store(cell.store, ShadowRecord(owner_, 0, 0, 0, 0, 0, AccessKind::plain, ShadowRecord::split));
    return cells;
}

ShadowMap& RaceCheck::bytes_of(const ShadowMap& words) {
    if (&words == &memory_.device) return memory_.device_bytes();
    if (&words == &memory_.variables) return memory_.variable_bytes();
    const AddressRange window = watch_.shared_window();
    if (!shared_bytes_.contains(window.begin)) shared_bytes_ = ShadowMap(window.begin, window.bytes, 4);
    return shared_bytes_;
}

void RaceCheck::check_cell(ShadowCell& cell, const Current& current) {
    const ShadowRecord store = ShadowRecord::load(cell.store), use = ShadowRecord::load(cell.use);
    const bool copy_is_pending = store.has(ShadowRecord::pending) && store.owner() == owner_;
    if (copy_is_pending && !current.finishes_copy) {
        report_race(store, true, current);
    } else if (clash_with_store(store, current) && !is_ordered(store, current)) {
        report_race(store, true, current);
    }
    if (clash_with_use(use, current) && !is_ordered(use, current)) report_race(use, false, current);
    if (current.is_write && !is_atomic(current.kind)) {
        ShadowRecord::store(cell.store, current.record);
        ShadowRecord::store(cell.use, ShadowRecord());
    } else {
        ShadowRecord::store(cell.use, merged(use, current));
    }
}

bool RaceCheck::clash_with_store(const ShadowRecord& earlier, const Current& current) {
    if (earlier.empty() || !(earlier.bytes() & current.record.bytes())) return false;
    if (earlier.kind() == AccessKind::plain || current.kind == AccessKind::plain) return true;
    // To be volatile orders nothing; but that is how flags are written.
    return !is_flag(current, true);
}

bool RaceCheck::clash_with_use(const ShadowRecord& earlier, const Current& current) {
    if (earlier.empty() || !(earlier.bytes() & current.record.bytes())) return false;
    switch (earlier.kind()) {
        case AccessKind::plain: return current.is_write;
        case AccessKind::volatile_access:
            if (!current.is_write || is_atomic(current.kind)) return false;
            return current.kind == AccessKind::plain || !is_flag(current, false);
        case AccessKind::atomic:
        case AccessKind::block_atomic:
            if (current.kind == AccessKind::plain) return true;
            if (is_too_narrow(earlier, current)) return true;
            return !is_atomic(current.kind) && current.is_write && !is_flag(current, false);
    }
    return false;
}

// One of the two is atomic for its block only, and another block takes part.
bool RaceCheck::is_too_narrow(const ShadowRecord& earlier, const Current& current) const {
    const bool for_one_block = earlier.kind() == AccessKind::block_atomic ||
                               current.kind == AccessKind::block_atomic || current.is_narrow_load;
    return for_one_block && (earlier.owner() != owner_ || earlier.has(ShadowRecord::several_blocks));
}

bool RaceCheck::is_known(unsigned lane, const DatedAccess& access) const {
    return learned_[lane] && is_known_through(*learned_[lane], access);
}

// Of other blocks that have used the word only the last is remembered. Where nothing has been learned the others cannot
// be ordered; where something has, they are taken to be if the last one is.
bool RaceCheck::is_ordered(const ShadowRecord& earlier, const Current& current) const {
    const unsigned warp = earlier.warp();
    const auto each_is_known = [&](uint32_t bits, auto lane_of) {
        for (; bits; bits &= bits - 1) {
            const DatedAccess access{earlier.owner(), lane_of(static_cast<unsigned>(std::countr_zero(bits))),
                                     earlier.clock()};
            if (!is_known(current.lane, access)) return false;
        }
        return true;
    };
    const auto lane_of_bit = [warp](unsigned bit) { return warp * 32 + bit; };
    const auto some_lane_of_warp = [](unsigned bit) { return bit * 32; };
    const bool several_warps = earlier.has(ShadowRecord::several_warps);
    if (earlier.owner() != owner_) {
        if (current.is_shared || earlier.owner() < ordered_below_) return true;
        if (launch_->comes_after_block(earlier.owner(), first_block_)) return true;
        return several_warps ? each_is_known(earlier.lanes(), some_lane_of_warp)
                             : each_is_known(earlier.lanes(), lane_of_bit);
    }
    if (earlier.has(ShadowRecord::several_blocks) && !learned_[current.lane]) return false;
    if (earlier.clock() < clocks_.block_base()) return true;
    const unsigned own_warp = current.lane / 32;
    if (several_warps) return each_is_known(earlier.lanes() & ~(1u << own_warp), some_lane_of_warp);
    if (warp != own_warp) return each_is_known(earlier.lanes(), lane_of_bit);
    if (earlier.clock() < clocks_.warp_base(warp)) return true;
    for (uint32_t others = earlier.lanes() & ~(1u << current.lane % 32); others; others &= others - 1) {
        const unsigned other = lane_of_bit(static_cast<unsigned>(std::countr_zero(others)));
        if (clocks_.knows_of_warp(current.lane, other, earlier.clock())) continue;
        if (!is_known(current.lane, {owner_, other, earlier.clock()})) return false;
    }
    return true;
}

// What the word's record of uses is after this one. Where both cannot be kept, plain reads matter most, since they
// clash with every store; dates are rounded down, which can hide a race but makes none up.
ShadowRecord RaceCheck::merged(const ShadowRecord& earlier, const Current& current) const {
    const ShadowRecord& mine = current.record;
    if (earlier.empty() || is_obsolete(earlier, current)) return mine;
    const bool mine_matters = is_atomic(current.kind) || current.kind == AccessKind::plain;
    const bool earlier_matters = is_atomic(earlier.kind()) || earlier.kind() == AccessKind::plain;
    if (earlier_matters && !mine_matters) return earlier;
    if (earlier.owner() != owner_) {
        const bool same_launch = earlier.owner() - first_block_ < block_count_;
        if (!same_launch || earlier.kind() != current.kind || is_ordered(earlier, current)) return mine;
        return mine.with(ShadowRecord::several_blocks);
    }
    const uint64_t blocks = earlier.flags() & ShadowRecord::several_blocks;
    if (earlier.clock() < clocks_.block_base() || earlier.kind() != current.kind) return mine.with(blocks);
    const unsigned own_warp = current.lane / 32;
    if (earlier.has(ShadowRecord::several_warps)) return earlier.with_lanes(earlier.lanes() | 1u << own_warp);
    if (earlier.warp() != own_warp) {
        if (is_ordered(earlier, current)) return mine.with(blocks);
        return mine.with(blocks | ShadowRecord::several_warps).with_lanes(1u << own_warp | 1u << earlier.warp());
    }
    if (earlier.lanes() != mine.lanes() && earlier.clock() != mine.clock() && is_ordered(earlier, current)) {
        return mine.with(blocks);
    }
    if (earlier.lanes() == mine.lanes()) return mine.with(blocks);
    return mine.with(blocks).with_lanes(earlier.lanes() | mine.lanes()).with_clock(
        std::min(earlier.clock(), mine.clock()));
}

void RaceCheck::block_ended() {
    settle();
    for (const auto& [key, counted] : counted_) launch_->count(key, counted.count, counted.severity);
    counted_.clear();
}

void RaceCheck::leave() {
    if (held_) std::exchange(held_, nullptr)->unlock();
    atomic_ = {};
}

// ---- asynchronous copies

void RaceCheck::copy_started(uintptr_t target, size_t bytes, const void* pc) {
    settle();
    Access access{target, static_cast<uint32_t>(bytes), watch_.running_lane(), watch_.space_of(target), true};
    access.pc = pc;
    ShadowMap* const words = words_of(access.space, target);
    if (!words || access.space == Space::local) return;
    check(access, AccessKind::plain);
    for (uintptr_t word = target & ~uintptr_t{3}; word < target + bytes; word += 4) {
        ShadowCell& cell = *words->word(word);
        const ShadowRecord store = ShadowRecord::load(cell.store);
        if (!store.has(ShadowRecord::split)) ShadowRecord::store(cell.store, store.with(ShadowRecord::pending));
    }
}

void RaceCheck::copy_finished(uintptr_t target, size_t bytes) {
    ShadowMap* const words = words_of(watch_.space_of(target), target);
    if (!words || watch_.space_of(target) == Space::local) return;
    const uint32_t clock = clocks_.clock(watch_.running_lane());
    for (uintptr_t word = target & ~uintptr_t{3}; word < target + bytes; word += 4) {
        ShadowCell& cell = *words->word(word);
        const ShadowRecord store = ShadowRecord::load(cell.store);
        if (!store.has(ShadowRecord::pending) || store.owner() != owner_) continue;
        ShadowRecord::store(cell.store, store.without(ShadowRecord::pending).with_clock(clock));
    }
}

}  // namespace simt::checking

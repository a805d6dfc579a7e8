// SPDX-License-Identifier: MIT
// Shadow memory of racecheck: for every 4-byte word, which lanes stored to it last, and which have read it or operated
// on it atomically since.
//
// A record is 16 bytes, loaded and stored in one piece: workers on several OS threads never see half of one. In memory
// that several blocks share, it is replaced only if it is still the one that was seen: see ShadowRecord::replace.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace simt::check {

/// How an access is ordered against others of its kind.
enum class AccessKind : uint8_t {
    plain,
    volatile_access,  ///< a race like a plain one, except to a flag: see RaceCheck::note_flag
    atomic,           ///< an atomic operation that may write
    block_atomic,     ///< the same, atomic only for the threads of one block
};

inline bool is_atomic(AccessKind kind) { return kind == AccessKind::atomic || kind == AccessKind::block_atomic; }

/// A lane of a block, or an unknown lane of its warp.
struct RecordedLane {
    unsigned lane = 0;
    bool is_any_of_warp = false;
};

/// Some lanes of one warp that have accessed a word since the warp's clock stood at `clock`.
//
/// The first half, the date, says when: flags, owner, clock and warp, from the high bits down. So a block's dates grow
/// with its clock, later blocks have larger dates, and any date with flags is larger than all dates without.
class alignas(16) ShadowRecord {
public:
    static constexpr unsigned owner_shift = 29, clock_shift = 5, flags_shift = 61;
    static constexpr uint64_t all_flags = uint64_t{7} << flags_shift;
    static constexpr uint64_t owner_mask = uint64_t{0xffffffff} << owner_shift;

    // In a record of uses: lanes of several warps of the block; `lanes` then has a bit for each warp.
    static constexpr uint64_t several_warps = uint64_t{1} << flags_shift;
    // In any record: accesses of several blocks of the launch; the record is the last one's.
    static constexpr uint64_t several_blocks = uint64_t{2} << flags_shift;
    // In a record of a store: an asynchronous copy to the word is under way.
    static constexpr uint64_t pending = uint64_t{1} << flags_shift;
    // The bytes of this word have records of their own.
    static constexpr uint64_t split = uint64_t{4} << flags_shift;

    // The date of the first access of a block.
    static constexpr uint64_t first_date(uint32_t owner) { return uint64_t{owner} << owner_shift; }

    static constexpr unsigned clock_bits = 24;
    static constexpr uint32_t largest_clock = (1u << clock_bits) - 1;
    static constexpr unsigned place_bits = 26;  // a place, or the number of a history

    ShadowRecord() = default;
    ShadowRecord(uint32_t owner, uint32_t lanes, uint64_t place, uint32_t clock, unsigned warp, unsigned bytes,
                 AccessKind kind, uint64_t flags = 0)
        : date_(flags | uint64_t{owner} << owner_shift | uint64_t{clock} << clock_shift | warp),
          what_(place << place_shift | uint64_t{bytes} << bytes_shift | static_cast<uint64_t>(kind) << kind_shift |
                lanes) {}

    uint64_t date() const { return date_; }
    // The number of the access's block, counted across all launches; 0: there was no access.
    uint32_t owner() const { return static_cast<uint32_t>(date_ >> owner_shift); }
    uint32_t clock() const { return date_ >> clock_shift & largest_clock; }
    unsigned warp() const { return date_ & 31; }
    uint32_t lanes() const { return static_cast<uint32_t>(what_); }
    uint64_t place() const { return what_ >> place_shift; }
    unsigned bytes() const { return what_ >> bytes_shift & 15; }  // a bit for each
    AccessKind kind() const { return static_cast<AccessKind>(what_ >> kind_shift & 3); }
    bool has(uint64_t flag) const { return date_ & flag; }

    uint64_t flags() const { return date_ & all_flags; }
    bool empty() const { return date_ == 0; }
    // Whether `lanes` has a bit for each warp. (A pending store has the same flag, but one lane. std::has_single_bit
    // would be a call: it counts bits, for which not every processor has an instruction.)
    bool is_of_warps() const { return has(several_warps) && (lanes() & (lanes() - 1)); }
    // The bit of `lanes` that stands for this lane of the block, alone or with its warp; 0: none does.
    uint32_t bit_of(unsigned lane) const {
        if (is_of_warps()) return 1u << lane / 32;
        return lane / 32 == warp() ? 1u << lane % 32 : 0;
    }
    // The lane that the lowest of these bits of `lanes` stands for.
    RecordedLane first_lane(uint32_t bits) const {
        const auto bit = static_cast<unsigned>(std::countr_zero(bits));
        if (is_of_warps()) return {bit * 32, true};
        return {warp() * 32 + bit, false};
    }
    // Whether the condition holds for the lanes of all these bits of `lanes`.
    template <typename Condition>
    bool all_of(uint32_t bits, Condition holds) const {
        for (; bits; bits &= bits - 1) {
            if (!holds(first_lane(bits))) return false;
        }
        return true;
    }
    // A plain access to all four bytes.
    bool is_plain_word() const {
        constexpr uint64_t compared = bytes_mask | kind_mask;
        return (what_ & compared) == (bytes_mask | static_cast<uint64_t>(AccessKind::plain) << kind_shift);
    }

    // Whether both are of the same kind, by the same lanes at the same time, whichever bytes they access.
    bool same_but_bytes(const ShadowRecord& other) const {
        return date_ == other.date_ && !((what_ ^ other.what_) & (kind_mask | lanes_mask));
    }

    ShadowRecord with_lanes(uint32_t lanes) const { return {date_, (what_ & ~lanes_mask) | lanes}; }
    ShadowRecord with_owner(uint32_t owner) const {
        return {(date_ & ~owner_mask) | uint64_t{owner} << owner_shift, what_};
    }
    ShadowRecord with_place(uint64_t place) const {
        return {date_, (what_ & ((uint64_t{1} << place_shift) - 1)) | place << place_shift};
    }
    ShadowRecord with_kind(AccessKind kind) const {
        return {date_, (what_ & ~kind_mask) | static_cast<uint64_t>(kind) << kind_shift};
    }
    ShadowRecord with(uint64_t flags) const { return {date_ | flags, what_}; }
    ShadowRecord without(uint64_t flags) const { return {date_ & ~flags, what_}; }
    ShadowRecord with_bytes(unsigned bytes) const {
        return {date_, (what_ & ~bytes_mask) | uint64_t{bytes} << bytes_shift};
    }
    ShadowRecord with_clock(uint32_t clock) const {
        return {(date_ & ~(uint64_t{largest_clock} << clock_shift)) | uint64_t{clock} << clock_shift, what_};
    }
    // Adds another warp of the same block, whose lane accesses the word now. The older date counts for both, which can
    // hide a race but never invents one.
    ShadowRecord with_warp_of(const ShadowRecord& other) const {
        const uint32_t own = has(several_warps) ? lanes() : 1u << warp();
        return with(several_warps).with_lanes(own | 1u << other.warp()).with_clock(std::min(clock(), other.clock()));
    }
    // Adds the place to a record without one.
    ShadowRecord at(uint64_t place) const { return {date_, what_ | place << place_shift}; }

    static ShadowRecord load(const ShadowRecord& from) {
        Words words = *reinterpret_cast<const Words*>(&from);
        keep_whole(words);
        return {words[0], words[1]};
    }
    [[gnu::always_inline]] static uint64_t load_date(const ShadowRecord& from) {
        return __atomic_load_n(&from.date_, __ATOMIC_RELAXED);
    }
    // In two steps, which is faster. The record is whole if its date names the block that this thread runs: no other
    // thread can have stored it between the two steps.
    [[gnu::always_inline]] static ShadowRecord load_own(const ShadowRecord& from) {
        const uint64_t what = __atomic_load_n(&from.what_, __ATOMIC_ACQUIRE);
        return {load_date(from), what};
    }
    [[gnu::always_inline]] static void store(ShadowRecord& to, const ShadowRecord& record) {
        Words words = {record.date_, record.what_};
        keep_whole(words);
        *reinterpret_cast<Words*>(&to) = words;
    }
    // Stores the record if the cell still holds the one that was seen, and returns whether it did. A caller that then
    // looks at the cell's other record either sees what another worker has stored there, or is seen by that worker.
    [[gnu::always_inline]] static bool replace(ShadowRecord& cell, const ShadowRecord& seen,
                                               const ShadowRecord& record) {
#if defined(__x86_64__)
        bool is_done;
        uint64_t date = seen.date_, what = seen.what_;
        asm volatile("lock cmpxchg16b %1"
                     : "=@ccz"(is_done), "+m"(cell), "+a"(date), "+d"(what)
                     : "b"(record.date_), "c"(record.what_)
                     : "memory");
        return is_done;
#else
        typedef unsigned __int128 Both __attribute__((may_alias));
        const auto both = [](const ShadowRecord& one) { return Both{one.what_} << 64 | one.date_; };
        return __sync_bool_compare_and_swap(reinterpret_cast<Both*>(&cell), both(seen), both(record));
#endif
    }

private:
    typedef uint64_t Words __attribute__((vector_size(16), may_alias));

    static constexpr unsigned place_shift = 38, bytes_shift = 34, kind_shift = 32;
    static constexpr uint64_t bytes_mask = uint64_t{15} << bytes_shift, kind_mask = uint64_t{3} << kind_shift;
    static constexpr uint64_t lanes_mask = 0xffffffff;

    // Keeps the compiler from moving the record in two halves.
    static void keep_whole(Words& words) {
#if defined(__x86_64__)
        asm("" : "+x"(words));
#elif defined(__aarch64__)
        asm("" : "+w"(words));
#endif
    }

    ShadowRecord(uint64_t date, uint64_t what) : date_(date), what_(what) {}

    uint64_t date_ = 0;  // flags, owner, clock, warp
    uint64_t what_ = 0;  // place, bytes, kind, lanes
};

/// Which bytes of the aligned word lie in a range of addresses that it overlaps: a bit for each.
inline unsigned bytes_in_word(uintptr_t word, uintptr_t begin, uintptr_t end) {
    const unsigned skipped = word < begin ? static_cast<unsigned>(begin - word) : 0;
    const unsigned beyond = word + 4 > end ? static_cast<unsigned>(word + 4 - end) : 0;
    return (15u << skipped & 15u) & 15u >> beyond;
}

struct ShadowCell {
    ShadowRecord store;  ///< the last one that was not an atomic operation
    ShadowRecord use;    // reads and atomic operations, as far as the store is not ordered after those of other blocks
};

/// The cells of a range of addresses, zero until they are used. Unused cells take no memory.
class ShadowMap {
public:
    ShadowMap() = default;
    /// `cells_per_word`: 1, or 4 for a cell per byte.
    ShadowMap(uintptr_t begin, size_t bytes, unsigned cells_per_word);
    ~ShadowMap();
    ShadowMap(const ShadowMap&) = delete;
    ShadowMap& operator=(ShadowMap&&) noexcept;

    bool contains(uintptr_t address) const { return address - begin_ < bytes_; }
    /// The cell of the word that holds the address, in a map with a cell per word or per byte.
    ShadowCell* word(uintptr_t address) const { return cells_ + ((address - begin_) >> 2); }
    ShadowCell* aligned_word(uintptr_t address) const {
        return reinterpret_cast<ShadowCell*>(origin_ + address * (sizeof(ShadowCell) / 4));
    }
    ShadowCell* bytes_of_word(uintptr_t address) const { return cells_ + ((address - begin_) & ~uintptr_t{3}); }
    /// Forgets what happened to these addresses.
    void clear(uintptr_t begin, size_t bytes);
    void clear() { clear(begin_, bytes_); }

private:
    uintptr_t begin_ = 0;
    size_t bytes_ = 0;
    unsigned cells_per_word_ = 1;
    ShadowCell* cells_ = nullptr;
    uintptr_t origin_ = 0;  // where the cell of the word at address 0 would be, with a cell per word
};

// ---- an access that is being compared with the records of the shadow memory

struct CheckedAccess {
    ShadowRecord record;  ///< as the shadow memory will hold it
    unsigned lane;
    bool is_write;
    bool is_shared;
    AccessKind kind;
    uintptr_t address;  ///< of the whole access
    uint32_t bytes;
    uintptr_t word = 0;           ///< the one that is being compared
    bool is_narrow_load = false;  ///< an atomic load, for the threads of the block only

    bool only_stores() const { return is_write && !is_atomic(kind); }
    /// One of the two is atomic only within its block, and the other comes from another block.
    bool is_too_narrow_for(const ShadowRecord& earlier) const {
        const bool for_one_block =
            earlier.kind() == AccessKind::block_atomic || kind == AccessKind::block_atomic || is_narrow_load;
        return for_one_block && (earlier.owner() != record.owner() || earlier.has(ShadowRecord::several_blocks));
    }
};

/// Two unordered accesses: the earlier one as the shadow memory holds it, and the current one.
struct Clash {
    ShadowRecord earlier;
    bool earlier_is_store;
    CheckedAccess current;
    RecordedLane earlier_lane;  ///< one of those that the record holds

    /// The order of the sides of a race does not depend on which came first: stores, atomic operations, reads; within a
    /// kind, by place.
    bool earlier_comes_second() const {
        const auto rank = [](bool is_store, AccessKind kind) { return is_atomic(kind) ? 1 : is_store ? 0 : 2; };
        const int of_earlier = rank(earlier_is_store, earlier.kind()), own = rank(current.is_write, current.kind);
        return of_earlier != own ? of_earlier > own : earlier.place() > current.record.place();
    }
};

}  // namespace simt::check

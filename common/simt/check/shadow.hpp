// Shadow memory of racecheck: for every word of 4 bytes, who stored to it last, and who has read it or operated on it
// atomically since.
//
// A record is 16 bytes and is loaded and stored as one: workers on several OS threads never see half of one. Two of
// them that meet at the same word at the same moment may lose a record, so a race can be missed, but none is made up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::checking {

// How an access orders itself against others of its kind.
enum class AccessKind : uint8_t {
    plain,
    volatile_access,  // as a relaxed atomic load or store, except among the lanes of one warp in shared memory
    atomic,           // an atomic operation that may write
    block_atomic,     // the same, atomic only for the threads of one block
};

// Some lanes of one warp that have accessed a word since the warp's clock stood at `clock`.
class alignas(16) ShadowRecord {
public:
    // Of a record of uses: lanes of other warps of the block are among them; `lanes` has a bit for each warp then.
    static constexpr uint64_t several_warps = 1;
    // And so are other blocks of the launch.
    static constexpr uint64_t several_blocks = 2;
    // Of a record of a store: an asynchronous copy to the word is under way.
    static constexpr uint64_t pending = 1;
    // The bytes of this word have records of their own.
    static constexpr uint64_t split = 4;

    static constexpr unsigned clock_bits = 24;
    static constexpr uint32_t largest_clock = (1u << clock_bits) - 1;
    static constexpr unsigned place_bits = 26;

    ShadowRecord() = default;
    ShadowRecord(uint32_t owner, uint32_t lanes, uint64_t place, uint32_t clock, unsigned warp, unsigned bytes,
                 AccessKind kind, uint64_t flags = 0)
        : low_(uint64_t{owner} << 32 | lanes),
          high_(place << 38 | uint64_t{clock} << 14 | uint64_t{warp} << 9 | bytes << 5 |
                static_cast<uint64_t>(kind) << 3 | flags) {}

    // The block that the access belongs to, numbered through all launches; 0: there was none.
    uint32_t owner() const { return static_cast<uint32_t>(low_ >> 32); }
    uint32_t lanes() const { return static_cast<uint32_t>(low_); }
    uint64_t place() const { return high_ >> 38; }
    uint32_t clock() const { return high_ >> 14 & largest_clock; }
    unsigned warp() const { return high_ >> 9 & 31; }
    unsigned bytes() const { return high_ >> 5 & 15; }  // a bit for each
    AccessKind kind() const { return static_cast<AccessKind>(high_ >> 3 & 3); }
    bool has(uint64_t flag) const { return high_ & flag; }

    uint64_t flags() const { return high_ & 7; }
    bool empty() const { return low_ == 0; }

    // The same lanes of the same warp and block at the same time in the same way, to whichever bytes.
    bool same_but_bytes(const ShadowRecord& other) const {
        constexpr uint64_t compared = ((uint64_t{1} << 38) - 1) & ~(uint64_t{15} << 5);
        return low_ == other.low_ && !((high_ ^ other.high_) & compared);
    }
    // The same warp at the same time doing the same. Other flags than the two above are never set in both.
    bool same_but_lanes(const ShadowRecord& other) const {
        constexpr uint64_t compared = ((uint64_t{1} << 38) - 1) & ~several_blocks;
        return owner() == other.owner() && !((high_ ^ other.high_) & compared);
    }

    ShadowRecord with_lanes(uint32_t lanes) const { return {low_ >> 32 << 32 | lanes, high_}; }
    ShadowRecord with(uint64_t flags) const { return {low_, high_ | flags}; }
    ShadowRecord without(uint64_t flags) const { return {low_, high_ & ~flags}; }
    ShadowRecord with_bytes(unsigned bytes) const {
        return {low_, (high_ & ~(uint64_t{15} << 5)) | uint64_t{bytes} << 5};
    }
    ShadowRecord with_clock(uint32_t clock) const {
        return {low_, (high_ & ~(uint64_t{largest_clock} << 14)) | uint64_t{clock} << 14};
    }

    static ShadowRecord load(const ShadowRecord& from) {
        Words words = *reinterpret_cast<const Words*>(&from);
        keep_whole(words);
        return {words[0], words[1]};
    }
    static void store(ShadowRecord& to, const ShadowRecord& record) {
        Words words = {record.low_, record.high_};
        keep_whole(words);
        *reinterpret_cast<Words*>(&to) = words;
    }

private:
    typedef uint64_t Words __attribute__((vector_size(16), may_alias));

    // The compiler would rather move two halves.
    static void keep_whole(Words& words) {
#if defined(__x86_64__)
        asm("" : "+x"(words));
#elif defined(__aarch64__)
        asm("" : "+w"(words));
#endif
    }

    ShadowRecord(uint64_t low, uint64_t high) : low_(low), high_(high) {}

    uint64_t low_ = 0;   // owner, lanes
    uint64_t high_ = 0;  // place, clock, warp, bytes, kind, flags
};

struct ShadowCell {
    ShadowRecord store;  // the last one that was not an atomic operation
    ShadowRecord use;    // reads and atomic operations since
};

// The cells of a range of addresses, zero until they are used. Memory is taken only for those that are.
class ShadowMap {
public:
    ShadowMap() = default;
    // `cells_per_word`: 1, or 4 for a cell per byte.
    ShadowMap(uintptr_t begin, size_t bytes, unsigned cells_per_word);
    ~ShadowMap();
    ShadowMap(const ShadowMap&) = delete;
    ShadowMap& operator=(ShadowMap&&) noexcept;

    bool contains(uintptr_t address) const { return address - begin_ < bytes_; }
    // The cell of the word that holds the address, in a map with a cell per word or per byte.
    ShadowCell* word(uintptr_t address) const { return cells_ + ((address - begin_) >> 2); }
    ShadowCell* bytes_of_word(uintptr_t address) const { return cells_ + ((address - begin_) & ~uintptr_t{3}); }
    // Forgets what happened to these addresses.
    void clear(uintptr_t begin, size_t bytes);
    void clear() { clear(begin_, bytes_); }

private:
    uintptr_t begin_ = 0;
    size_t bytes_ = 0;
    unsigned cells_per_word_ = 1;
    ShadowCell* cells_ = nullptr;
};

}  // namespace simt::checking

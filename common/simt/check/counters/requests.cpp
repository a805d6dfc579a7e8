// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/requests.hpp"

#include <algorithm>
#include <bit>

namespace simt::check {

// ---- shared memory

namespace {

constexpr unsigned bank_count = 32, word_bytes = 4;

// The number of words that the lanes of a phase request, and how many of them are in the fullest bank. A word that
// several lanes load or store counts once.
struct Phase {
    uint32_t words = 0, fullest = 0;
};

Phase serve_phase(const uintptr_t* addresses, uint32_t mask, uint32_t bytes, bool is_atomic) {
    uintptr_t wanted[bank_count * 5];
    unsigned count = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        const uintptr_t address = addresses[std::countr_zero(lanes)];
        const uintptr_t last = (address + bytes - 1) / word_bytes;
        for (uintptr_t word = address / word_bytes; word <= last; ++word) wanted[count++] = word;
    }
    std::sort(wanted, wanted + count);
    const uintptr_t* const end = is_atomic ? wanted + count : std::unique(wanted, wanted + count);
    uint32_t in_bank[bank_count] = {};
    Phase phase;
    for (const uintptr_t* word = wanted; word != end; ++word) {
        phase.fullest = std::max(phase.fullest, ++in_bank[*word % bank_count]);
        ++phase.words;
    }
    return phase;
}

// Whether each lane of the mask requests the same as its partner across `bit`, if that is in the mask too.
bool is_shared_by_pairs(const uintptr_t* addresses, uint32_t mask, unsigned bit) {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        const unsigned lane = std::countr_zero(lanes), partner = lane ^ bit;
        if (mask >> partner & 1 && addresses[lane] != addresses[partner]) return false;
    }
    return true;
}

// Whether no bank is asked for two different 4-byte words, or for two atomic operations, as in most requests.
bool is_free_of_conflicts(const uintptr_t* addresses, uint32_t mask, bool is_atomic) {
    uintptr_t word_in_bank[bank_count];
    uint32_t banks = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
        const uintptr_t word = addresses[std::countr_zero(lanes)] / word_bytes;
        const unsigned bank = word % bank_count;
        if (banks >> bank & 1) {
            if (is_atomic || word_in_bank[bank] != word) return false;
        } else {
            banks |= 1u << bank;
            word_in_bank[bank] = word;
        }
    }
    return true;
}

}  // namespace

Wavefronts wavefronts_of(const uintptr_t* addresses, uint32_t mask, uint32_t bytes, SharedAccess access) {
    const bool is_atomic = access == SharedAccess::atomic;
    if (bytes <= word_bytes && is_free_of_conflicts(addresses, mask, is_atomic)) return {1, 1};
    unsigned lanes_per_phase = bytes <= word_bytes ? 32 : bytes <= 2 * word_bytes ? 16 : 8;
    const bool may_share = lanes_per_phase < 32 && access == SharedAccess::load;
    if (may_share && (is_shared_by_pairs(addresses, mask, 1) || is_shared_by_pairs(addresses, mask, 2))) {
        lanes_per_phase *= 2;
    }
    const uint32_t first_phase = lanes_per_phase == 32 ? ~0u : (1u << lanes_per_phase) - 1;
    Wavefronts result;
    for (unsigned first = 0; first < 32; first += lanes_per_phase) {
        const uint32_t lanes = mask & first_phase << first;
        if (!lanes) continue;
        const Phase phase = serve_phase(addresses, lanes, bytes, is_atomic);
        result.wavefronts += phase.fullest;
        result.ideal += (phase.words + bank_count - 1) / bank_count;
    }
    return result;
}

// ---- global memory

MovedSectors moved_sectors(uintptr_t* addresses, unsigned lanes, uint32_t bytes, unsigned line_bytes) {
    const auto line_bits = static_cast<unsigned>(std::countr_zero(line_bytes));
    // Nearly always the addresses rise with the lane.
    if (!std::is_sorted(addresses, addresses + lanes)) std::sort(addresses, addresses + lanes);
    MovedSectors moved;
    uintptr_t counted_end = 0;   // end of the bytes counted so far,
    uintptr_t counted_line = 0;  // and of the lines
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const uintptr_t begin = addresses[lane], end = begin + bytes;
        moved.distinct_bytes += static_cast<uint32_t>(end - std::clamp(counted_end, begin, end));
        counted_end = end;
        const uintptr_t first = std::max(begin >> line_bits, counted_line);
        const uintptr_t behind = ((end - 1) >> line_bits) + 1;
        if (behind > first) {
            moved.sectors += static_cast<uint32_t>(behind - first) * (line_bytes / 32);
            counted_line = behind;
        }
    }
    return moved;
}

}  // namespace simt::check

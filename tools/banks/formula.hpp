// SPDX-License-Identifier: MIT
// The textbook cost of one request to shared memory: how many passes through the banks it takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

// Shared memory has 32 banks, each of which holds every 32nd word of 4 bytes and serves one of them in a pass.
struct BankCost {
    unsigned ways = 0;        // the most passes that one bank needs for the lanes that are served together
    unsigned wavefronts = 0;  // passes of the whole request
};

// The cost of a request whose lanes touch words of `word_bytes` at these byte offsets. Words of up to 4 bytes are
// served for the whole warp at once, words of 8 bytes for half a warp, words of 16 for a quarter. Lanes that read or
// write the same word of a bank share one pass, and if all lanes read the same word, twice as many are served together.
// Atomic operations on one word take a pass each.
enum class BankRequest { read, write, atomic };
inline BankCost bank_cost(const std::vector<unsigned>& bytes, unsigned word_bytes, BankRequest request) {
    constexpr unsigned banks = 32, unit_bytes = 4;
    const bool is_broadcast = std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) == bytes.end();
    const unsigned parts = word_bytes > unit_bytes ? word_bytes / unit_bytes : 1;
    unsigned together = unsigned(bytes.size()) / parts;
    if (is_broadcast && request == BankRequest::read && parts > 1) together *= 2;
    BankCost cost;
    for (std::size_t first = 0; first < bytes.size(); first += together) {
        std::vector<unsigned> units_of[banks];
        unsigned fullest = 0;
        for (std::size_t lane = first; lane < first + together; ++lane)
            for (unsigned part = 0; part < parts; ++part) {
                const unsigned unit = bytes[lane] / unit_bytes + part;
                std::vector<unsigned>& units = units_of[unit % banks];
                const bool is_known = std::find(units.begin(), units.end(), unit) != units.end();
                if (request == BankRequest::atomic || !is_known) units.push_back(unit);
                fullest = std::max(fullest, unsigned(units.size()));
            }
        cost.ways = std::max(cost.ways, fullest);
        cost.wavefronts += fullest;
    }
    return cost;
}

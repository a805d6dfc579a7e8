// SPDX-License-Identifier: MIT
// The results that lanes leave behind: whether they are right, and how long the requests took.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/io/text.hpp"
#include "common/measure/parallel.hpp"
#include "common/measure/statistics.hpp"
#include "common/measure/verify.hpp"
#include "kernels/banks.cuh"

namespace BACKEND {

// One row of the table, before it is measured.
struct BankAccess {
    BankOperation operation;
    unsigned word_bytes;
    BankPattern pattern;
    unsigned block_size, blocks;  // as launched

    unsigned parts() const { return bank_parts(word_bytes); }
    size_t threads() const { return size_t(blocks) * block_size; }
    unsigned byte_of(unsigned lane) const { return pattern.place_of(lane) * word_bytes; }
    std::vector<unsigned> bytes() const {
        std::vector<unsigned> bytes;
        for (unsigned lane = 0; lane < lanes_per_warp; ++lane) bytes.push_back(byte_of(lane));
        return bytes;
    }
    // Up to the end of the last word in the last row, rounded up to 16 bytes.
    unsigned shared_bytes() const {
        const std::vector<unsigned> all = bytes();
        const unsigned end = *std::max_element(all.begin(), all.end()) + word_bytes + (bank_rows - 1) * bank_row_bytes;
        return unsigned(divide_up(end, 16)) * 16;
    }
    size_t result_parts() const {
        const size_t of_threads = threads() * bank_rows * parts();
        return operation == BankOperation::exchange ? of_threads + size_t(blocks) * (shared_bytes() / 4) : of_threads;
    }
};

// Room for the results of the largest of several accesses.
class BankResults {
public:
    BankResults(size_t parts, size_t warps) : d_parts_(parts), d_clocks_(warps) {}
    unsigned* d_parts() const { return d_parts_.data(); }
    WarpClock* d_clocks() const { return d_clocks_.data(); }

    void poison(cudaStream_t stream) const {
        CHECK(cudaMemsetAsync(d_parts_.data(), poison_byte, d_parts_.bytes(), stream));
    }

    Verdict check(const BankAccess& access, size_t requests) const {
        std::vector<unsigned> parts(access.result_parts());
        CHECK(cudaMemcpy(parts.data(), d_parts_.data(), parts.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
        if (access.operation == BankOperation::exchange) return check_exchanged(access, requests, parts);
        for (size_t thread = 0; thread < access.threads(); ++thread)
            for (unsigned row = 0; row < bank_rows; ++row)
                for (unsigned part = 0; part < access.parts(); ++part) {
                    const unsigned got = parts[(thread * bank_rows + row) * access.parts() + part];
                    const unsigned wanted = expected(access, requests, unsigned(thread % lanes_per_warp), row, part);
                    if (got != wanted)
                        return {false, text("thread {}, row {} of the banks: got {:08x}, expected {:08x}", thread, row,
                                            got, wanted)};
                }
        return {};
    }

    // Cycles from the first warp's start to the last one's end: the median of the blocks.
    double cycles(const BankAccess& access) const {
        const size_t warps = access.block_size / lanes_per_warp;
        std::vector<WarpClock> clocks(access.blocks * warps);
        CHECK(cudaMemcpy(clocks.data(), d_clocks_.data(), clocks.size() * sizeof(WarpClock), cudaMemcpyDeviceToHost));
        std::vector<double> of_blocks;
        for (size_t first = 0; first < clocks.size(); first += warps) {
            long long begin = clocks[first].begin, end = clocks[first].end;
            for (size_t warp = first; warp < first + warps; ++warp) {
                begin = std::min(begin, clocks[warp].begin);
                end = std::max(end, clocks[warp].end);
            }
            of_blocks.push_back(double(end - begin));
        }
        return summarize(of_blocks).median;
    }

private:
    static constexpr int poison_byte = 0xa5;
    static constexpr unsigned poisoned = poison_byte * 0x01010101U;

    // How many of a warp's requests go to a row.
    static size_t requests_of(size_t requests, unsigned row) {
        return requests / bank_rows + (row < requests % bank_rows);
    }

    static unsigned expected(const BankAccess& access, size_t requests, unsigned lane, unsigned row, unsigned part) {
        const unsigned mask = access.word_bytes < 4 ? (1U << 8 * access.word_bytes) - 1 : ~0U;
        const unsigned byte_of_word = access.byte_of(lane) + row * bank_row_bytes;
        if (access.operation == BankOperation::write)
            return row < requests ? (part_for(byte_of_word) + part) & mask : poisoned;
        const unsigned byte = byte_of_word + 4 * part;
        const unsigned word = bank_content(byte / 4) >> byte % 4 * 8 & mask;
        return word * static_cast<unsigned>(requests_of(requests, row));
    }

    // In each block, no word outside the pattern may have changed, and the words in it and the lanes' tokens must be
    // the same as before when taken together, in any order.
    static Verdict check_exchanged(const BankAccess& access, size_t requests, const std::vector<unsigned>& parts) {
        const auto check_blocks = [&](size_t begin, size_t end) {
            for (size_t block = begin; block < end; ++block)
                if (const Verdict verdict = check_block(access, requests, parts, block); !verdict.right) return verdict;
            return Verdict{};
        };
        const auto first_wrong = [](const Verdict& a, const Verdict& b) { return a.right ? b : a; };
        std::vector<Verdict> of_blocks(access.blocks);
        run_shares(access.blocks, worker_count(parts.size()), [&](size_t, size_t begin, size_t end) {
            if (begin < end) of_blocks[begin] = check_blocks(begin, end);
        });
        return std::accumulate(of_blocks.begin(), of_blocks.end(), Verdict{}, first_wrong);
    }

    static Verdict check_block(const BankAccess& access, size_t requests, const std::vector<unsigned>& parts,
                               size_t block) {
        const unsigned units = access.shared_bytes() / 4, per_word = access.parts();
        const unsigned* const memory = parts.data() + access.threads() * bank_rows * per_word + block * units;
        std::vector<std::uint64_t> before, after;
        const auto word_at = [&](const unsigned* word) {
            return per_word == 2 ? std::uint64_t{word[1]} << 32 | word[0] : word[0];
        };
        for (size_t thread = block * access.block_size; thread < (block + 1) * access.block_size; ++thread)
            for (unsigned row = 0; row < bank_rows; ++row) {
                before.push_back(token_of(thread, row));
                after.push_back(word_at(&parts[(thread * bank_rows + row) * per_word]));
            }
        std::vector<bool> is_touched(units);
        for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
            for (unsigned row = 0; row < bank_rows && row < requests; ++row)
                is_touched[(access.byte_of(lane) + row * bank_row_bytes) / 4] = true;
        for (unsigned unit = 0; unit < units; ++unit) {
            if (is_touched[unit]) {
                const unsigned content[2] = {bank_content(unit), bank_content(unit + 1)};
                before.push_back(word_at(content));
                after.push_back(word_at(&memory[unit]));
                unit += per_word - 1;
            } else if (memory[unit] != bank_content(unit)) {
                return {false,
                        text("block {}: the word at byte {} has changed, and no lane exchanged it", block, 4 * unit)};
            }
        }
        std::sort(before.begin(), before.end());
        std::sort(after.begin(), after.end());
        const auto [lost, made] = std::mismatch(before.begin(), before.end(), after.begin());
        if (lost == before.end()) return {};
        return {false, text("block {}: the word {:x} was {} in an exchange", block, std::min(*lost, *made),
                            *lost < *made ? "lost" : "made")};
    }

    DeviceBuffer<unsigned> d_parts_;
    DeviceBuffer<WarpClock> d_clocks_;
};

}  // namespace BACKEND

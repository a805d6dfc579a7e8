// SPDX-License-Identifier: MIT
// The arrays of access: random words to read, words to write, and the check that the right ones were.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/io/text.hpp"
#include "common/measure/random.hpp"
#include "common/measure/verify.hpp"
#include "kernels/access.cuh"

namespace BACKEND {

// Calls action(request, position of each lane, lanes) for requests first to last - 1 of n words; the very last request
// may have fewer lanes.
template <typename Action>
void for_each_request(const AccessPattern& pattern, size_t n, unsigned unroll, size_t first, size_t last,
                      Action action) {
    size_t positions[lanes_per_warp];
    for (size_t request = first; request < last; ++request) {
        const unsigned lanes = unsigned(std::min<size_t>(lanes_per_warp, n - request * lanes_per_warp));
        const size_t begin = begin_of_request(pattern, request, unroll);
        for (unsigned lane = 0; lane < lanes; ++lane)
            positions[lane] =
                pattern.random_shift != 0 ? random_place(pattern, request, lane) : begin + pattern.place_of(lane);
        action(request, positions, lanes);
    }
}

// One array to read and one to write, as large as the largest pattern needs. Every 8 bytes of the first are computed
// from the seed and their position, so the host needs no copy of it.
class AccessArrays {
public:
    AccessArrays(size_t source_bytes, size_t target_bytes, size_t warps, std::uint64_t seed)
        : seed_(seed), d_source_(divide_up(source_bytes, 8)), d_target_(target_bytes), d_folds_(warps) {
        std::vector<std::uint64_t> random(d_source_.size());
        fill(random.data(), random.size(), [=](size_t i) { return random_bits(seed, i); });
        if (!random.empty())
            CHECK(cudaMemcpy(d_source_.data(), random.data(), d_source_.bytes(), cudaMemcpyHostToDevice));
    }

    const void* d_source() const { return d_source_.data(); }
    void* d_target() const { return d_target_.data(); }
    unsigned* d_folds() const { return d_folds_.data(); }

    void poison(cudaStream_t stream) const {
        if (d_target_.size() > 0) CHECK(cudaMemsetAsync(d_target_.data(), poison_byte, d_target_.bytes(), stream));
        CHECK(cudaMemsetAsync(d_folds_.data(), poison_byte, d_folds_.bytes(), stream));
    }

    // Whether each of the grid's warps read its words, in the right order and by the right lanes.
    Verdict check_read(const AccessPattern& pattern, unsigned word_bytes, size_t n, unsigned unroll,
                       const LaunchShape& shape) const {
        const size_t warps = size_t(shape.grid.x) * (shape.block.x / lanes_per_warp);
        std::vector<unsigned> folds(warps);
        CHECK(cudaMemcpy(folds.data(), d_folds_.data(), warps * sizeof(unsigned), cudaMemcpyDeviceToHost));
        const size_t requests = divide_up(n, lanes_per_warp);
        const auto expected = [&](size_t warp) {
            unsigned of_lanes[lanes_per_warp] = {}, sum = 0;
            for (size_t first = warp * unroll; first < requests; first += warps * unroll) {
                const size_t last = std::min<size_t>(first + unroll, requests);
                for_each_request(pattern, n, unroll, first, last, [&](size_t, const size_t* positions, unsigned lanes) {
                    for (unsigned lane = 0; lane < lanes; ++lane)
                        for (unsigned part = 0; part < parts(word_bytes); ++part)
                            of_lanes[lane] = folded(of_lanes[lane], source_part(positions[lane], word_bytes, part));
                });
            }
            for (unsigned lane = 0; lane < lanes_per_warp; ++lane) sum += fold_of_lane(of_lanes[lane], lane);
            return sum;
        };
        // (There are few warps, but each has many words to check.)
        std::vector<char> is_wrong(warps);
        run_shares(warps, std::min(warps, worker_count(n)), [&](size_t, size_t begin, size_t end) {
            for (size_t warp = begin; warp < end; ++warp) is_wrong[warp] = folds[warp] != expected(warp);
        });
        const size_t wrong = std::find(is_wrong.begin(), is_wrong.end(), true) - is_wrong.begin();
        if (wrong == warps) return {};
        return {false, text("fold of the words that warp {} read: got {:08x}, expected {:08x}", wrong, folds[wrong],
                            expected(wrong))};
    }

    // Whether every word that the pattern touches was written, with expected(place, word_bytes, part), and no other
    // was.
    Verdict check_written(const AccessPattern& pattern, unsigned word_bytes, size_t n, unsigned unroll,
                          const std::function<unsigned(size_t, unsigned, unsigned)>& expected) const {
        const size_t words = pattern.allocated_words(unroll);
        std::vector<std::atomic<std::uint64_t>> touched(words / 64 + 1);
        parallel_for(divide_up(n, lanes_per_warp), [&](size_t first, size_t last) {
            for_each_request(pattern, n, unroll, first, last, [&](size_t, const size_t* positions, unsigned lanes) {
                for (unsigned lane = 0; lane < lanes; ++lane)
                    touched[positions[lane] / 64].fetch_or(std::uint64_t{1} << positions[lane] % 64,
                                                           std::memory_order_relaxed);
            });
        });
        std::vector<unsigned char> written(words * word_bytes);
        CHECK(cudaMemcpy(written.data(), d_target_.data(), written.size(), cudaMemcpyDeviceToHost));
        const auto is_touched = [&](size_t place) { return (touched[place / 64] >> place % 64 & 1) != 0; };
        const auto is_wrong = [&](size_t place) {
            unsigned wanted[4];
            for (unsigned part = 0; part < parts(word_bytes); ++part)
                wanted[part] = is_touched(place) ? expected(place, word_bytes, part) : poison_byte * 0x01010101U;
            return std::memcmp(&written[place * word_bytes], wanted, word_bytes) != 0;
        };
        const size_t wrong = first_of(words, is_wrong);
        if (wrong == words) return {};
        return {false, text("word {}: {}", wrong,
                            is_touched(wrong) ? "it was not written, or not with the right value"
                                              : "it was written, and the pattern does not touch it")};
    }

    // The 4-byte part `index` of a word to read; all of a shorter word.
    unsigned source_part(size_t place, unsigned word_bytes, unsigned index) const {
        const size_t byte = place * word_bytes + 4 * index;
        const std::uint64_t bits = random_bits(seed_, byte / 8) >> byte % 8 * 8;
        return static_cast<unsigned>(bits & (word_bytes < 4 ? (1U << 8 * word_bytes) - 1 : ~0U));
    }

private:
    static constexpr int poison_byte = 0xa5;

    static unsigned parts(unsigned word_bytes) { return word_bytes < 4 ? 1 : word_bytes / 4; }

    static size_t first_of(size_t n, const std::function<bool(size_t)>& is_wrong) {
        return parallel_reduce(
            n, n,
            [&](size_t begin, size_t end) {
                while (begin < end && !is_wrong(begin)) ++begin;
                return begin < end ? begin : n;
            },
            [](size_t a, size_t b) { return std::min(a, b); });
    }

    std::uint64_t seed_;
    DeviceBuffer<std::uint64_t> d_source_;
    DeviceBuffer<unsigned char> d_target_;
    DeviceBuffer<unsigned> d_folds_;
};

}  // namespace BACKEND

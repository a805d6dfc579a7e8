// SPDX-License-Identifier: MIT
// The problems of the ladders: a problem has the input and the results of the launches, and the host's results.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/measure/parallel.hpp"
#include "common/measure/random.hpp"
#include "common/measure/verify.hpp"
#include "kernels/shared/histogram.cuh"
#include "kernels/shared/indexed.cuh"
#include "kernels/shared/offsets.cuh"
#include "kernels/shared/queue.cuh"
#include "kernels/shared/search.cuh"
#include "kernels/shared/spill.cuh"

namespace BACKEND {

// Words on the host and on the device.
class SharedWords {
public:
    template <typename Generator>
    SharedWords(size_t n, Generator generate) : words_(n), d_words_(n) {
        fill(words_.data(), n, generate);
        if (n > 0) copy_to_device(d_words_.data(), words_.data(), d_words_.bytes());
    }
    size_t size() const { return words_.size(); }
    unsigned operator[](size_t i) const { return words_[i]; }
    const std::vector<unsigned>& all() const { return words_; }
    const unsigned* d_data() const { return d_words_.data(); }

private:
    std::vector<unsigned> words_;
    DeviceBuffer<unsigned> d_words_;
};

// Words whose values are all equally likely, or that are below `bins`, and smaller the larger `skew` is.
inline SharedWords random_words(size_t n, std::uint64_t seed) {
    return {n, [=](size_t i) { return static_cast<unsigned>(random_bits(seed, i) >> 32); }};
}
inline SharedWords skewed_words(size_t n, std::uint64_t seed, unsigned bins, unsigned skew) {
    return {n, [=](size_t i) {
                const double uniform = static_cast<double>(random_bits(seed, i) >> 11) * 0x1p-53;
                return static_cast<unsigned>(bins * std::pow(uniform, skew));
            }};
}

class SharedProblem {
public:
    explicit SharedProblem(std::shared_ptr<const SharedWords> words, size_t results, size_t totals)
        : words_(std::move(words)), d_out_(results), d_totals_(totals) {
        arguments.d_in = words_->d_data();
        arguments.n = words_->size();
        arguments.d_out = d_out_.data();
        arguments.d_totals = d_totals_.data();
    }
    virtual ~SharedProblem() = default;
    SharedProblem(const SharedProblem&) = delete;
    SharedProblem& operator=(const SharedProblem&) = delete;

    void poison(cudaStream_t stream) const {
        if (d_out_.size() > 0) CHECK(cudaMemsetAsync(d_out_.data(), 0xa5, d_out_.bytes(), stream));
        if (d_totals_.size() > 0) CHECK(cudaMemsetAsync(d_totals_.data(), 0xa5, d_totals_.bytes(), stream));
    }
    // Compares the results of a launch with blocks of this size.
    virtual Verdict check(unsigned block_size) = 0;
    // Bytes that every variant has to read and write.
    virtual double bytes() const { return double(words_->size() + d_out_.size()) * sizeof(unsigned); }

    SharedArguments arguments;  // without block, multiprocessors and stream

protected:
    const SharedWords& words() const { return *words_; }
    std::vector<unsigned> results(size_t count) const {
        std::vector<unsigned> out(count);
        if (count > 0) CHECK(cudaMemcpy(out.data(), d_out_.data(), count * sizeof(unsigned), cudaMemcpyDeviceToHost));
        return out;
    }
    std::vector<unsigned long long> totals() const {
        std::vector<unsigned long long> out(d_totals_.size());
        CHECK(cudaMemcpy(out.data(), d_totals_.data(), d_totals_.bytes(), cudaMemcpyDeviceToHost));
        return out;
    }

private:
    const std::shared_ptr<const SharedWords> words_;
    const DeviceBuffer<unsigned> d_out_;
    const DeviceBuffer<unsigned long long> d_totals_;
};

// A problem with a known number of results.
class ResultsProblem : public SharedProblem {
public:
    ResultsProblem(std::shared_ptr<const SharedWords> words, size_t count)
        : SharedProblem(words, count, 0), expected_(count) {}

    Verdict check(unsigned block_size) final {
        if (block_size_ != block_size) expect(expected_, block_size);
        block_size_ = block_size;
        const std::vector<unsigned> got = results(expected_.size());
        return compare_elements(
            got.data(), got.size(), [&](size_t i) -> long double { return expected_[i]; },
            [](long double) { return 0.0L; });
    }

private:
    virtual void expect(std::vector<unsigned>& expected, unsigned block_size) const = 0;

    std::vector<unsigned> expected_;
    unsigned block_size_ = ~0u;  // what it was computed for; 0 is a library's
};

// Those whose results do not depend on each other.
class ElementsProblem final : public ResultsProblem {
public:
    using Element = std::function<unsigned(const SharedWords&, size_t, unsigned block_size)>;

    ElementsProblem(std::shared_ptr<const SharedWords> words, size_t count, Element element)
        : ResultsProblem(words, count), element_(std::move(element)) {}

private:
    void expect(std::vector<unsigned>& expected, unsigned block_size) const override {
        fill(expected.data(), expected.size(), [&](size_t i) { return element_(words(), i, block_size); });
    }

    const Element element_;
};

class HistogramProblem final : public ResultsProblem {
public:
    HistogramProblem(std::shared_ptr<const SharedWords> words, unsigned bins) : ResultsProblem(words, bins) {
        arguments.bins = bins;
    }

private:
    void expect(std::vector<unsigned>& expected, unsigned) const override {
        std::fill(expected.begin(), expected.end(), 0);
        for (unsigned word : words().all()) ++expected[word];
    }
};

// Which words are kept is compared as a multiset: their order is that of atomic operations.
class OffsetsProblem final : public SharedProblem {
public:
    OffsetsProblem(std::shared_ptr<const SharedWords> words, unsigned limit) : SharedProblem(words, words->size(), 1) {
        arguments.limit = limit;
        expected_ = kept(words->all());
    }
    Verdict check(unsigned) override {
        const unsigned long long count = totals()[0];
        if (count != expected_.size()) return {false, text("{} words are kept, expected {}", count, expected_.size())};
        const std::vector<unsigned> got = kept(results(count));
        if (got.size() < count) return {false, text("{} words are not below the limit", count - got.size())};
        return compare_elements(
            got.data(), got.size(), [&](size_t i) -> long double { return expected_[i]; },
            [](long double) { return 0.0L; });
    }
    double bytes() const override { return double(words().size() + expected_.size()) * sizeof(unsigned); }

private:
    // In ascending order.
    std::vector<unsigned> kept(const std::vector<unsigned>& from) const {
        std::vector<unsigned> words;
        for (unsigned word : from)
            if (word < arguments.limit) words.push_back(word);
        std::sort(words.begin(), words.end());
        return words;
    }

    std::vector<unsigned> expected_;
};

class QueueProblem final : public SharedProblem {
public:
    QueueProblem(std::shared_ptr<const SharedWords> words, unsigned capacity, unsigned block_size, unsigned grid)
        : SharedProblem(words, 0, 2), expected_(2) {
        // The sums of all trees of one size.
        std::vector<unsigned long long> sum_of(queue_largest_root + 1);
        for (unsigned item = 1; item <= queue_largest_root; ++item)
            sum_of[item] = visit_value(item) + sum_of[queue_small_child(item)] + sum_of[queue_large_child(item)];
        size_t largest_group = 0;
        for (size_t begin = 0; begin < words->size(); begin += block_size) {
            size_t items = 0;
            for (size_t i = begin; i < std::min(begin + block_size, words->size()); ++i) {
                const unsigned root = queue_root((*words)[i]);
                items += root;
                expected_[1] += sum_of[root];
            }
            expected_[0] += items;
            largest_group = std::max(largest_group, items);
        }
        arguments.capacity = capacity;
        arguments.overflow_items = queue_most_items(largest_group, block_size);
        d_overflow_ = DeviceBuffer<unsigned>(2 * arguments.overflow_items * grid);
        arguments.d_overflow = d_overflow_.data();
    }
    Verdict check(unsigned) override {
        const std::vector<unsigned long long> got = totals();
        if (got[0] != expected_[0]) return {false, text("{} items were visited, expected {}", got[0], expected_[0])};
        if (got[1] != expected_[1]) return {false, text("the items' sum is {}, expected {}", got[1], expected_[1])};
        return {};
    }

private:
    std::vector<unsigned long long> expected_;
    DeviceBuffer<unsigned> d_overflow_;
};

// ---- what the host computes for one result

inline unsigned first_find(const SharedWords& words, size_t tile, unsigned limit) {
    const size_t begin = tile * search_tile_words, end = std::min(begin + search_tile_words, words.size());
    for (size_t i = begin; i < end; ++i)
        if (words[i] < limit) return unsigned(i - begin);
    return search_tile_words;
}

// `thread` is the index in the block.
inline unsigned indexed_fold(unsigned word, unsigned thread, unsigned length) {
    unsigned res = 0;
    for (unsigned i = 0; i < indexed_rounds; ++i)
        res += secondfunc(complexfunc((thread + i) % length, word), complexfunc(i * thread % length, word));
    return res;
}

inline unsigned spilled_fold(unsigned word) {
    std::array<unsigned, spill_values> values, next;
    for (unsigned k = 0; k < spill_values; ++k) values[k] = spill_first(word, k);
    for (unsigned round = 0; round < spill_rounds; ++round) {
        for (unsigned k = 0; k < spill_values; ++k) next[k] = spill_next(values[k], values[(k + 1) % spill_values]);
        values.swap(next);
    }
    unsigned fold = 0;
    for (unsigned value : values) fold ^= value;
    return fold;
}

}  // namespace BACKEND

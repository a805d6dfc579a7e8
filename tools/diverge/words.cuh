// SPDX-License-Identifier: MIT
// The words that the kernels of diverge work on, and their expected results.
#pragma once

#include <cstdint>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/measure/random.hpp"
#include "common/measure/verify.hpp"
#include "tools/diverge/formula.cuh"

namespace BACKEND {

class DivergeWords {
public:
    DivergeWords(size_t n, std::uint64_t seed) : in_(n), d_in_(n), d_out_(n) {
        fill(in_.data(), n, [=](size_t i) { return unsigned(random_bits(seed, i)); });
        if (n > 0) CHECK(cudaMemcpy(d_in_.data(), in_.data(), d_in_.bytes(), cudaMemcpyHostToDevice));
    }
    const unsigned* d_in() const { return d_in_.data(); }
    unsigned* d_out() const { return d_out_.data(); }
    size_t size() const { return in_.size(); }

    void poison(cudaStream_t stream) const {
        if (size() > 0) CHECK(cudaMemsetAsync(d_out_.data(), 0xa5, d_out_.bytes(), stream));
    }

    Verdict check(const DivergeWork& work, unsigned block_size) const {
        std::vector<unsigned> out(size());
        if (size() > 0) CHECK(cudaMemcpy(out.data(), d_out_.data(), d_out_.bytes(), cudaMemcpyDeviceToHost));
        return compare_elements(
            out.data(), size(), [&](size_t i) -> long double { return expected(work, block_size, i); },
            [](long double) { return 0.0L; });
    }

private:
    unsigned word(size_t i) const { return i < size() ? in_[i] : 0; }

    unsigned expected(const DivergeWork& work, unsigned block_size, size_t i) const {
        const size_t block = i / block_size * block_size;
        const auto place = unsigned(i - block);
        if (work.shape == DivergeShape::handshake) {
            const size_t asking = block + (place | work.distance), answering = block + (place & ~work.distance);
            unsigned value = word(asking);
            for (unsigned round = 0; round < work.rounds; ++round)
                value = diverge_step(value, word(answering), 0, diverge_factor(0, 0));
            return value;
        }
        if (work.shape == DivergeShape::lock) {
            const size_t first = block + place / lanes_per_warp * lanes_per_warp;
            unsigned sum = 0;
            for (size_t other = first; other < first + lanes_per_warp; ++other) sum += word(other);
            return sum;
        }
        unsigned value = in_[i];
        if (work.shape == DivergeShape::exit && work.places.side_of(place, 0) != 0) return value;
        for (unsigned round = 0; round < work.rounds; ++round) value = after_round(work, place, round, value, in_[i]);
        return value;
    }

    static unsigned after_round(const DivergeWork& work, unsigned place, unsigned round, unsigned value,
                                unsigned word) {
        unsigned path = 0, times = 1;
        switch (work.shape) {
            case DivergeShape::branch:
            case DivergeShape::two_ifs: path = work.places.side_of(place, round); break;
            case DivergeShape::nested:
            case DivergeShape::cases: path = work.places.path_of(place, round, work.paths); break;
            case DivergeShape::loops: times = 1 + work.places.path_of(place, round, work.paths); break;
            default: break;
        }
        for (; times > 0; --times)
            for (unsigned step = 0; step < work.operations; ++step)
                value = diverge_step(value, word, path, diverge_factor(path, step));
        return value;
    }

    std::vector<unsigned> in_;
    DeviceBuffer<unsigned> d_in_, d_out_;
};

}  // namespace BACKEND

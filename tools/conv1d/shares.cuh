// SPDX-License-Identifier: MIT
// How several devices share a signal, and which of its elements each of them needs besides its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/launch_shape.cuh"
#include "common/gang/devices.cuh"
#include "kernels/conv1d/beyond.cuh"

namespace BACKEND {

// Elements or outputs begin to end - 1, counted from the signal's start; negative before it.
struct Range {
    std::int64_t begin, end;

    size_t size() const { return end > begin ? size_t(end - begin) : 0; }
};

// Elements that belong to `owner` and that another rank needs; the first is element `place` of that rank's window.
struct Halo {
    size_t owner;
    std::int64_t first, place;
    size_t count;
};

class SharedSignal {
public:
    SharedSignal(size_t n, size_t ranks, unsigned width, Border border)
        : n_(n),
          ranks_(ranks),
          before_(taps_before(width, border)),
          after_(width - 1 - taps_before(width, border)),
          outputs_(output_length(n, width, border)),
          own_{std::int64_t(n), border} {}

    const OwnElements& own_elements() const { return own_; }
    size_t ranks() const { return ranks_; }
    size_t outputs() const { return outputs_; }
    // The most elements that a rank sends to a neighbor, if shares are larger than that.
    size_t widest_halo() const { return size_t(std::max(before_, after_)); }

    // A rank's elements of the signal, and the outputs at the same places.
    Range elements_of(size_t rank) const {
        const Share share = share_of(n_, rank, ranks_);
        return {std::int64_t(share.begin), std::int64_t(share.begin + share.size)};
    }
    Range outputs_of(size_t rank) const {
        const Range elements = elements_of(rank);
        const auto end = std::int64_t(outputs_);
        return {std::min(elements.begin, end), std::min(elements.end, end)};
    }

    // The elements that these outputs are sums of.
    Range inputs_of(const Range& outputs) const { return {outputs.begin - before_, outputs.end + after_}; }

    // The elements in a rank's memory: its own, and before and after them whatever else its outputs need. A single rank
    // holds only the signal: its kernels handle the border.
    Range window_of(size_t rank) const {
        const Range elements = elements_of(rank), outputs = outputs_of(rank);
        if (ranks_ == 1 || outputs.size() == 0) return elements;
        const Range inputs = inputs_of(outputs);
        return {std::min(elements.begin, inputs.begin), std::max(elements.end, inputs.end)};
    }

    // Those of its outputs that need no other rank's elements; they begin as far past an aligned address as all of
    // them. Often empty if the rank has few elements.
    Range interior_of(size_t rank) const {
        constexpr size_t aligned = 32;
        const Range elements = elements_of(rank), outputs = outputs_of(rank);
        const std::int64_t begin = elements.begin + std::int64_t(divide_up(before_, aligned) * aligned);
        const std::int64_t end = std::min(outputs.end, elements.end - after_);
        if (begin >= end) return {outputs.end, outputs.end};
        return {begin, end};
    }

    // The parts of its window that come from the ranks, in order; from itself, too, if the signal wraps around.
    std::vector<Halo> halos_of(size_t rank) const {
        const Range window = window_of(rank), elements = elements_of(rank);
        std::vector<Halo> halos;
        add_halos(halos, {std::max(window.begin, own_.begin()), elements.begin});
        add_halos(halos, {elements.end, std::min(window.end, own_.end())});
        return halos;
    }

    // The parts of its window beyond the signal's ends that repeat elements within; none if they are zeros.
    std::vector<Range> beyond_of(size_t rank) const {
        if (own_.border == Border::zero || ranks_ == 1) return {};
        const Range window = window_of(rank);
        return {{window.begin, own_.begin()}, {own_.end(), window.end}};
    }

private:
    void add_halos(std::vector<Halo>& halos, Range places) const {
        while (places.size() > 0) {
            const std::int64_t first = (places.begin + own_.n) % own_.n;
            size_t owner = 0;
            while (elements_of(owner).end <= first) ++owner;
            const size_t count = std::min(places.size(), size_t(elements_of(owner).end - first));
            halos.push_back({owner, first, places.begin, count});
            places.begin += std::int64_t(count);
        }
    }

    size_t n_, ranks_;
    std::int64_t before_, after_;  // elements that an output needs on either side of its place
    size_t outputs_;
    OwnElements own_;
};

}  // namespace BACKEND

// How several devices share a signal, and which of its elements each of them needs besides its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/launch_shape.cuh"
#include "common/gang/devices.cuh"
#include "kernels/conv1d/beyond.cuh"

namespace BACKEND {

// Elements begin to end - 1, or outputs: counted from the signal's begin, and negative before it.
struct Range {
    std::int64_t begin, end;

    size_t size() const { return end > begin ? size_t(end - begin) : 0; }
};

// Elements that lie with one rank and that another needs, in whose window the first of them is element `place`.
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
    // What a rank sends to the one beside it, if shares are larger.
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

    // What outputs are sums of.
    Range inputs_of(const Range& outputs) const { return {outputs.begin - before_, outputs.end + after_}; }

    // What a rank's memory holds: its elements, and before and after them whatever else its outputs need. One alone has
    // the signal: its kernels know the border.
    Range window_of(size_t rank) const {
        const Range elements = elements_of(rank), outputs = outputs_of(rank);
        if (ranks_ == 1 || outputs.size() == 0) return elements;
        const Range inputs = inputs_of(outputs);
        return {std::min(elements.begin, inputs.begin), std::max(elements.end, inputs.end)};
    }

    // Those of its outputs that need no other rank's elements; they begin as far past an aligned address as all. Often
    // none, if the rank has few.
    Range interior_of(size_t rank) const {
        constexpr size_t aligned = 32;
        const Range elements = elements_of(rank), outputs = outputs_of(rank);
        const std::int64_t begin = elements.begin + std::int64_t(divide_up(before_, aligned) * aligned);
        const std::int64_t end = std::min(outputs.end, elements.end - after_);
        if (begin >= end) return {outputs.end, outputs.end};
        return {begin, end};
    }

    // What of its window comes from the ranks, itself included if the signal goes on by its other end, in order.
    std::vector<Halo> halos_of(size_t rank) const {
        const Range window = window_of(rank), elements = elements_of(rank);
        std::vector<Halo> halos;
        add_halos(halos, {std::max(window.begin, own_.begin()), elements.begin});
        add_halos(halos, {elements.end, std::min(window.end, own_.end())});
        return halos;
    }

    // What of its window lies beyond the signal's ends, and repeats what is within: not zeros, which stay what they are.
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

// SPDX-License-Identifier: MIT
// The cases that make an image of the Mandelbrot set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/parallel.hpp"
#include "kernels/nested/dwell.cuh"
#include "kernels/nested/launches.cuh"
#include "tools/nested/table.cuh"

// ---- the Mandelbrot set's image on the host: pixel by pixel, and by squares as the kernel makes it

namespace BACKEND {

class MandelbrotReference {
public:
    MandelbrotReference(unsigned side, unsigned steps) : side_(side), steps_(steps), pixels_(size_t(side) * side) {
        parallel_for(pixels_.size(), [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i)
                pixels_[i] = dwell_of_pixel(unsigned(i % side_), unsigned(i / side_), side_, steps_);
        });
        squares_ = pixels_;
        const unsigned square = mandelbrot_first_side(side);
        for (unsigned y = 0; y < side; y += square)
            for (unsigned x = 0; x < side; x += square) make_square(x, y, square);
    }

    const std::vector<unsigned>& pixels() const { return pixels_; }
    const std::vector<unsigned>& squares() const { return squares_; }

private:
    // (Every pixel has been computed: a square is only filled, or left as it is.)
    void make_square(unsigned left, unsigned top, unsigned square) {
        if (left >= side_ || top >= side_) return;
        const unsigned width = std::min(square, side_ - left), height = std::min(square, side_ - top);
        const unsigned first = pixels_[size_t(top) * side_ + left];
        bool is_uniform = true;
        for (unsigned i = 0; i < border_length(width, height) && is_uniform; ++i) {
            unsigned x, y;
            border_pixel(i, width, height, x, y);
            is_uniform = pixels_[size_t(top + y) * side_ + left + x] == first;
        }
        const unsigned part = square / mandelbrot_split;
        if (is_uniform) {
            for (unsigned y = top; y < top + height; ++y)
                std::fill_n(squares_.begin() + std::ptrdiff_t(size_t(y) * side_ + left), width, first);
        } else if (part >= mandelbrot_smallest) {
            for (unsigned i = 0; i < mandelbrot_split * mandelbrot_split; ++i)
                make_square(left + i % mandelbrot_split * part, top + i / mandelbrot_split * part, part);
        }
    }

    unsigned side_, steps_;
    std::vector<unsigned> pixels_, squares_;
};

// Launches by kernels that may be pending at once: each square of the first level divides, and each of its parts.
inline size_t most_launches_of_image(unsigned side) {
    const size_t squares = divide_up(side, mandelbrot_first_side(side));
    return squares * squares * (1 + mandelbrot_split * mandelbrot_split);
}

// What all variants share that make the image.
struct MandelbrotLab {
    MandelbrotLab(Session& session, unsigned side_) : side(side_), steps(session.own<NestedOptions>().steps) {
        session.begin_step(text("making the image of {} x {} pixels on the host, for the reference", side, side));
        reference = std::make_unique<MandelbrotReference>(side, steps);
        d_pixels = DeviceBuffer<unsigned>(size());
    }
    size_t size() const { return size_t(side) * side; }

    const unsigned side, steps;
    std::unique_ptr<MandelbrotReference> reference;
    DeviceBuffer<unsigned> d_pixels;
};

class MandelbrotCase final : public Case {
public:
    MandelbrotCase(const Session& session, const NestedVariant& variant_, const MandelbrotLab& lab)
        : Case(variant_, {std::nullopt, lab.size(), double(lab.size()) * sizeof(unsigned), 0, 0, "pixels"}),
          session_(session),
          launch_(variant_.image),
          lab_(lab),
          d_tally_(1) {}

    void prepare(cudaStream_t stream) override { CHECK(cudaMemsetAsync(d_tally_.data(), 0, d_tally_.bytes(), stream)); }
    void poison(cudaStream_t stream) override {
        CHECK(cudaMemsetAsync(lab_.d_pixels.data(), 0xa5, lab_.d_pixels.bytes(), stream));
    }
    LaunchShape launch(cudaStream_t stream) override {
        return launch_(
            {{lab_.d_pixels.data(), lab_.side, lab_.steps}, d_tally_.data(), session_.options.block, stream});
    }
    // Each pixel must be the reference's, with or without squares: a square that could not be divided is made without.
    Verdict check() override {
        std::vector<unsigned> pixels(lab_.size());
        CHECK(cudaMemcpy(pixels.data(), lab_.d_pixels.data(), lab_.d_pixels.bytes(), cudaMemcpyDeviceToHost));
        differing_ = 0;
        for (size_t i = 0; i < pixels.size(); ++i) {
            const unsigned expected = lab_.reference->pixels()[i];
            if (pixels[i] == expected) continue;
            ++differing_;
            if (pixels[i] == lab_.reference->squares()[i]) continue;
            return {false, text("pixel ({}, {}): got {} steps, expected {}", i % lab_.side, i / lab_.side, pixels[i],
                                expected)};
        }
        return {};
    }
    std::vector<Cell> own_cells(double median_ns) override {
        MandelbrotTally tally;
        CHECK(cudaMemcpy(&tally, d_tally_.data(), sizeof tally, cudaMemcpyDeviceToHost));
        NestedCells cells = cells_of_launches(tally.grids, tally.depth, median_ns, session_.device.simulated);
        cells.steps = lab_.steps, cells.differing = differing_;
        return cells_of(nested_columns, cells);
    }

private:
    const Session& session_;
    LaunchShape (*const launch_)(const MandelbrotArguments&);
    const MandelbrotLab& lab_;
    // Each case has its own: when its row is made, the variant of --versus may have run last.
    const DeviceBuffer<MandelbrotTally> d_tally_;
    size_t differing_ = 0;
};

}  // namespace BACKEND

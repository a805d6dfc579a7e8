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

class MandelbrotLab : public std::enable_shared_from_this<MandelbrotLab> {
public:
    MandelbrotLab(Session& session, unsigned side)
        : session_(session), side_(side), steps_(session.own<NestedOptions>().steps) {
        session.begin_step(text("making the image of {} x {} pixels on the host, for the reference", side, side));
        reference_ = std::make_unique<MandelbrotReference>(side, steps_);
        d_pixels_ = DeviceBuffer<unsigned>(size());
    }

    Case case_of(const NestedVariant& variant) {
        const auto self = shared_from_this();
        // Each case has its own tally: when its row is made, the variant of --versus may have run last.
        const auto d_tally = std::make_shared<DeviceBuffer<MandelbrotTally>>(1);
        Case one;
        one.variant = &variant;
        one.problem = {std::nullopt, size(), double(size()) * sizeof(unsigned), 0, 0, "pixels"};
        one.prepare = [d_tally](cudaStream_t stream) {
            CHECK(cudaMemsetAsync(d_tally->data(), 0, sizeof(MandelbrotTally), stream));
        };
        one.poison = [self](cudaStream_t stream) {
            CHECK(cudaMemsetAsync(self->d_pixels_.data(), 0xa5, self->d_pixels_.bytes(), stream));
        };
        one.launch = [self, d_tally, launch = variant.image](cudaStream_t stream) {
            return launch({{self->d_pixels_.data(), self->side_, self->steps_},
                           d_tally->data(),
                           self->session_.options.block,
                           stream});
        };
        const auto differing = std::make_shared<size_t>(0);
        one.check = [self, differing] { return self->check(*differing); };
        one.own_cells = [self, d_tally, differing](double median_ns) {
            MandelbrotTally tally;
            CHECK(cudaMemcpy(&tally, d_tally->data(), sizeof tally, cudaMemcpyDeviceToHost));
            NestedCells cells = cells_of_launches(tally.grids, tally.depth, median_ns, self->session_.device.simulated);
            cells.steps = self->steps_, cells.differing = *differing;
            return cells_of(nested_columns, cells);
        };
        return one;
    }

private:
    size_t size() const { return size_t(side_) * side_; }

    // Each pixel must be the reference's, with or without squares: a square that could not be divided is made without.
    Verdict check(size_t& differing) const {
        std::vector<unsigned> pixels(size());
        CHECK(cudaMemcpy(pixels.data(), d_pixels_.data(), d_pixels_.bytes(), cudaMemcpyDeviceToHost));
        differing = 0;
        for (size_t i = 0; i < size(); ++i) {
            if (pixels[i] == reference_->pixels()[i]) continue;
            ++differing;
            if (pixels[i] == reference_->squares()[i]) continue;
            return {false, text("pixel ({}, {}): got {} steps, expected {}", i % side_, i / side_, pixels[i],
                                reference_->pixels()[i])};
        }
        return {};
    }

    Session& session_;
    const unsigned side_, steps_;
    std::unique_ptr<MandelbrotReference> reference_;
    DeviceBuffer<unsigned> d_pixels_;
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// The cases that make an image of the Mandelbrot set.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/measure/bench.cuh"
#include "tools/nested/reference.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {

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

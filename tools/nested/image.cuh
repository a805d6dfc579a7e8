// The cases that make an image of the Mandelbrot set.
#pragma once

#include <memory>
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

class MandelbrotLab {
public:
    MandelbrotLab(Session& session, unsigned side)
        : session_(session), side_(side), steps_(session.own<NestedOptions>().steps) {
        session.begin_step(text("making the image of {} x {} pixels on the host, for the reference", side, side));
        reference_ = std::make_unique<MandelbrotReference>(side, steps_);
        d_pixels_ = DeviceBuffer<unsigned>(size());
        d_tally_ = DeviceBuffer<MandelbrotTally>(1);
    }

    Case case_of(const NestedVariant& variant, const std::shared_ptr<MandelbrotLab>& self) {
        Case one;
        one.variant = &variant;
        one.problem = {std::nullopt, size(), double(size()) * sizeof(unsigned), 0, 0, "pixels"};
        one.prepare = [self](cudaStream_t stream) {
            CHECK(cudaMemsetAsync(self->d_tally_.data(), 0, sizeof(MandelbrotTally), stream));
        };
        one.poison = [self](cudaStream_t stream) {
            CHECK(cudaMemsetAsync(self->d_pixels_.data(), 0xa5, self->d_pixels_.bytes(), stream));
        };
        one.launch = [self, launch = variant.image](cudaStream_t stream) {
            return launch({{self->d_pixels_.data(), self->side_, self->steps_},
                           self->d_tally_.data(),
                           self->session_.options.block,
                           stream});
        };
        const auto differing = std::make_shared<size_t>(0);
        one.check = [self, differing] { return self->check(*differing); };
        one.own_cells = [self, differing](double median_ns) {
            MandelbrotTally tally;
            CHECK(cudaMemcpy(&tally, self->d_tally_.data(), sizeof tally, cudaMemcpyDeviceToHost));
            const double ns = self->session_.device.simulated ? 0 : median_ns;
            return cells_of(nested_columns, NestedCells{tally.grids, tally.depth, ns, self->steps_, *differing});
        };
        return one;
    }

private:
    size_t size() const { return size_t(side_) * side_; }

    // Each pixel is the reference's, with or without squares: a square that could not be divided is made without.
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
    DeviceBuffer<MandelbrotTally> d_tally_;
};

}  // namespace BACKEND

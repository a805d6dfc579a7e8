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

// SPDX-License-Identifier: MIT
// The cases that integrate a peak.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/measure/bench.cuh"
#include "kernels/nested/peak.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {

// What is known of an integral before a kernel computes it.
struct PeakReference {
    double exact, allowed;  // the closed form; the error of an interval
    unsigned shortest;      // the level of the shortest intervals
    size_t divided;         // intervals
};

inline PeakReference reference_of_peak(size_t sharpness) {
    const double s = double(sharpness);
    const double exact = (std::atan((1 - peak_center) * s) + std::atan(peak_center * s)) / s;
    // (The sum is within the tolerance if at most this many intervals have the largest error allowed.)
    constexpr double intervals = 4096;
    const double allowed = quadrature_tolerance * exact / intervals;
    const PartsSum parts = integrate_parts(s, allowed, 0, 0);
    return {exact, allowed, std::max(quadrature_first, parts.deepest), size_t(parts.divided)};
}

// What all variants share that integrate a peak.
struct QuadratureLab {
    QuadratureLab(Session& session, size_t sharpness_)
        : sharpness(sharpness_), d_sum(1), d_lists(2 * quadrature_list), d_counts(quadrature_deepest + 1) {
        session.begin_step(text("integrating a peak of 1/{} on the host, for the depth", sharpness));
        reference = reference_of_peak(sharpness);
    }

    const size_t sharpness;
    PeakReference reference = {};
    const DeviceBuffer<double> d_sum;
    const DeviceBuffer<size_t> d_lists;
    const DeviceBuffer<unsigned> d_counts;
};

class QuadratureCase final : public HostClockCase {
public:
    QuadratureCase(const Session& session, const NestedVariant& variant_, const QuadratureLab& lab)
        : HostClockCase(variant_, {std::nullopt, lab.sharpness, 0, 0, 0, "times as wide as the peak"},
                        variant_.by_host),
          session_(session),
          launch_(variant_.quadrature),
          lab_(lab),
          d_tally_(1) {}

    void prepare(cudaStream_t stream) override {
        CHECK(cudaMemsetAsync(lab_.d_sum.data(), 0, lab_.d_sum.bytes(), stream));
        CHECK(cudaMemsetAsync(lab_.d_counts.data(), 0, lab_.d_counts.bytes(), stream));
        CHECK(cudaMemsetAsync(d_tally_.data(), 0, d_tally_.bytes(), stream));
    }
    LaunchShape launch(cudaStream_t stream) override {
        QuadratureArguments of;
        of.sharpness = double(lab_.sharpness);
        of.allowed = lab_.reference.allowed, of.shortest = lab_.reference.shortest;
        of.d_sum = lab_.d_sum.data(), of.d_tally = d_tally_.data();
        of.d_lists = lab_.d_lists.data(), of.d_counts = lab_.d_counts.data();
        of.block_size = session_.options.block, of.stream = stream;
        return launch_(of);
    }
    Verdict check() override {
        const double exact = lab_.reference.exact;
        double sum = 0;
        CHECK(cudaMemcpy(&sum, lab_.d_sum.data(), sizeof sum, cudaMemcpyDeviceToHost));
        const double given = session_.options.tolerance, relative = given >= 0 ? given : quadrature_tolerance;
        if (std::fabs(sum - exact) <= relative * exact) return {};
        return {false, text("got {}, expected {}", sum, exact)};
    }
    std::vector<Cell> own_cells(double median_ns) override {
        QuadratureTally tally;
        CHECK(cudaMemcpy(&tally, d_tally_.data(), sizeof tally, cudaMemcpyDeviceToHost));
        NestedCells cells = cells_of_launches(tally.grids, tally.depth, median_ns, session_.device.simulated);
        cells.intervals = tally.intervals;
        return cells_of(nested_columns, cells);
    }

private:
    const Session& session_;
    LaunchShape (*const launch_)(const QuadratureArguments&);
    const QuadratureLab& lab_;
    // Each case has its own: when its row is made, the variant of --versus may have run last.
    const DeviceBuffer<QuadratureTally> d_tally_;
};

}  // namespace BACKEND

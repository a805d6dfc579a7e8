// SPDX-License-Identifier: MIT
// The cases that integrate a peak.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/measure/bench.cuh"
#include "kernels/nested/peak.cuh"
#include "tools/nested/on_host.cuh"
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

class QuadratureLab : public std::enable_shared_from_this<QuadratureLab> {
public:
    QuadratureLab(Session& session, size_t sharpness)
        : session_(session),
          sharpness_(sharpness),
          d_sum_(1),
          d_lists_(2 * quadrature_list),
          d_counts_(quadrature_deepest + 1) {
        session.begin_step(text("integrating a peak of 1/{} on the host, for the depth", sharpness));
        reference_ = reference_of_peak(sharpness);
    }

    Case case_of(const NestedVariant& variant) {
        const auto self = shared_from_this();
        // Each case has its own tally: when its row is made, the variant of --versus may have run last.
        const auto d_tally = std::make_shared<DeviceBuffer<QuadratureTally>>(1);
        Case one;
        one.variant = &variant;
        one.problem = {std::nullopt, sharpness_, 0, 0, 0, "times as wide as the peak"};
        one.prepare = [self, d_tally](cudaStream_t stream) {
            self->clear(stream);
            CHECK(cudaMemsetAsync(d_tally->data(), 0, d_tally->bytes(), stream));
        };
        one.launch = [self, d_tally, launch = variant.quadrature](cudaStream_t stream) {
            return launch(self->arguments(d_tally->data(), stream));
        };
        if (variant.by_host) time_on_host(one, session_.device.simulated);
        one.check = [self] { return self->check(); };
        one.own_cells = [self, d_tally](double median_ns) {
            QuadratureTally tally;
            CHECK(cudaMemcpy(&tally, d_tally->data(), sizeof tally, cudaMemcpyDeviceToHost));
            NestedCells cells = cells_of_launches(tally.grids, tally.depth, median_ns, self->session_.device.simulated);
            cells.intervals = tally.intervals;
            return cells_of(nested_columns, cells);
        };
        return one;
    }

private:
    QuadratureArguments arguments(QuadratureTally* d_tally, cudaStream_t stream) const {
        QuadratureArguments of;
        of.sharpness = double(sharpness_);
        of.allowed = reference_.allowed, of.shortest = reference_.shortest;
        of.d_sum = d_sum_.data(), of.d_tally = d_tally;
        of.d_lists = d_lists_.data(), of.d_counts = d_counts_.data();
        of.block_size = session_.options.block, of.stream = stream;
        return of;
    }

    void clear(cudaStream_t stream) const {
        CHECK(cudaMemsetAsync(d_sum_.data(), 0, d_sum_.bytes(), stream));
        CHECK(cudaMemsetAsync(d_counts_.data(), 0, d_counts_.bytes(), stream));
    }

    Verdict check() const {
        const double exact = reference_.exact;
        double sum = 0;
        CHECK(cudaMemcpy(&sum, d_sum_.data(), sizeof sum, cudaMemcpyDeviceToHost));
        const double given = session_.options.tolerance, relative = given >= 0 ? given : quadrature_tolerance;
        if (std::fabs(sum - exact) <= relative * exact) return {};
        return {false, text("got {}, expected {}", sum, exact)};
    }

    Session& session_;
    const size_t sharpness_;
    PeakReference reference_ = {};
    DeviceBuffer<double> d_sum_;
    DeviceBuffer<size_t> d_lists_;
    DeviceBuffer<unsigned> d_counts_;
};

}  // namespace BACKEND

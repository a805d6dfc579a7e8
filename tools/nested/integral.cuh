// The cases that integrate a peak.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/measure/bench.cuh"
#include "kernels/nested/peak.cuh"
#include "tools/nested/on_host.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {

class QuadratureLab : public std::enable_shared_from_this<QuadratureLab> {
public:
    QuadratureLab(Session& session, size_t sharpness)
        : session_(session),
          sharpness_(sharpness),
          d_sum_(1),
          d_lists_(2 * quadrature_list),
          d_counts_(quadrature_deepest + 1) {
        session.begin_step(text("integrating a peak of 1/{} on the host, for the depth", sharpness));
        const double s = double(sharpness);
        exact_ = (std::atan((1 - peak_center) * s) + std::atan(peak_center * s)) / s;
        // (Below the tolerance as long as no more intervals than that are as wrong as they may be.)
        constexpr double intervals = 4096;
        allowed_ = quadrature_tolerance * exact_ / intervals;
        shortest_ = std::max(quadrature_first, integrate_parts(s, allowed_, 0, 0).deepest);
    }

    Case case_of(const NestedVariant& variant) {
        const auto self = shared_from_this();
        // Of its own: before the row is made, the variant of --versus may be the last to run.
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
        return {double(sharpness_),     allowed_, shortest_, d_sum_.data(), d_tally, d_lists_.data(), d_counts_.data(),
                session_.options.block, stream};
    }

    void clear(cudaStream_t stream) const {
        CHECK(cudaMemsetAsync(d_sum_.data(), 0, d_sum_.bytes(), stream));
        CHECK(cudaMemsetAsync(d_counts_.data(), 0, d_counts_.bytes(), stream));
    }

    Verdict check() const {
        double sum = 0;
        CHECK(cudaMemcpy(&sum, d_sum_.data(), sizeof sum, cudaMemcpyDeviceToHost));
        const double given = session_.options.tolerance, relative = given >= 0 ? given : quadrature_tolerance;
        if (std::fabs(sum - exact_) <= relative * exact_) return {};
        return {false, text("got {}, expected {}", sum, exact_)};
    }

    Session& session_;
    const size_t sharpness_;
    double exact_ = 0, allowed_ = 0;
    unsigned shortest_ = 0;  // the level of the shortest intervals
    DeviceBuffer<double> d_sum_;
    DeviceBuffer<size_t> d_lists_;
    DeviceBuffer<unsigned> d_counts_;
};

}  // namespace BACKEND

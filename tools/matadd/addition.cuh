// SPDX-License-Identifier: MIT
// What matadd adds, and the variants as cases: on the host, and on the device in a shape of blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/occupancy.hpp"
#include "common/measure/bench.cuh"
#include "common/measure/random.hpp"
#include "tools/matadd/table.cuh"

namespace BACKEND {

// Two matrices and room for their sum, on the host and on the device.
template <typename T>
class Matrices {
public:
    Matrices(Session& session, const MatrixShape& shape)
        : shape_(shape),
          n_(shape.elements()),
          offset_(session.own<MataddOptions>().offset),
          d_a_(n_ + offset_),
          d_b_(n_ + offset_),
          d_c_(n_ + offset_),
          h_a_(new T[n_]),
          h_b_(new T[n_]),
          h_c_(new T[n_]) {
        session.begin_step(text("generating two matrices, {}", shape.name()));
        const std::uint64_t seed = session.options.seed;
        fill(h_a_.get(), n_, [=](size_t i) { return uniform<T>(seed, 2 * i); });
        fill(h_b_.get(), n_, [=](size_t i) { return uniform<T>(seed, 2 * i + 1); });
        if (n_ == 0) return;
        CHECK(cudaMemcpy(d_a_.data() + offset_, h_a_.get(), n_ * sizeof(T), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_b_.data() + offset_, h_b_.get(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }

    const MatrixShape& shape() const { return shape_; }
    size_t size() const { return n_; }
    HostMatrices<T> on_host() const { return {h_a_.get(), h_b_.get(), h_c_.get(), n_}; }
    MataddArguments<T> on_device(dim3 block, cudaStream_t stream) const {
        return {d_a_.data() + offset_,
                d_b_.data() + offset_,
                d_c_.data() + offset_,
                shape_.rows,
                shape_.columns,
                block,
                stream};
    }

    void poison(cudaStream_t stream) const {
        if (n_ > 0) CHECK(cudaMemsetAsync(d_c_.data() + offset_, 0xa5, n_ * sizeof(T), stream));
    }
    void download() const {
        if (n_ > 0) CHECK(cudaMemcpy(h_c_.get(), d_c_.data() + offset_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    }

    // One correctly rounded addition: half a unit in the last place.
    Verdict check(double tolerance) const {
        const double relative = tolerance >= 0 ? tolerance : double(std::numeric_limits<T>::epsilon()) / 2;
        const T *a = h_a_.get(), *b = h_b_.get();
        return compare_elements(
            h_c_.get(), n_, [=](size_t i) { return static_cast<long double>(a[i]) + static_cast<long double>(b[i]); },
            [=](long double expected) { return relative * std::fabs(expected); });
    }

private:
    const MatrixShape shape_;
    const size_t n_, offset_;
    // Allocated before the host's arrays, so that the message for too large a size names the device's free memory.
    DeviceBuffer<T> d_a_, d_b_, d_c_;
    std::unique_ptr<T[]> h_a_, h_b_, h_c_;
};

// Fills in the launch, and its kernel's registers and occupancy as far as this device's are known.
inline void describe_kernel(const Session& session, const LaunchShape& launch, MataddCells& cells) {
    cells.launch = launch;
    if (!launch.kernel) return;
    cudaFuncAttributes attributes{};
    CHECK(cudaFuncGetAttributes(&attributes, launch.kernel));
    cells.registers = unsigned(attributes.numRegs);
    const MultiprocessorLimits* const limits = limits_of(session.device.compute_capability);
    if (!limits) return;
    BlockResources resources;
    resources.threads = launch.block.x * launch.block.y;
    resources.registers = cells.registers;
    resources.static_shared_bytes = attributes.sharedSizeBytes;
    resources.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    cells.occupancy = occupancy_of(*limits, resources);
}

template <typename T>
Problem problem_of(const Matrices<T>& matrices) {
    const double n = double(matrices.size());
    return {dtype_of<T>, matrices.size(), 3 * n * sizeof(T), n};
}

template <typename T>
class AdditionOnHost final : public Case {
public:
    AdditionOnHost(const Session& session, const MataddVariant& variant_, const Matrices<T>& matrices)
        : Case(variant_, problem_of(matrices)),
          tolerance_(session.options.tolerance),
          add_(variant_.on_host.get<T>()),
          matrices_(matrices) {}

    void poison(cudaStream_t) override { std::fill_n(matrices_.on_host().c, matrices_.size(), T(-77)); }
    LaunchShape launch(cudaStream_t) override {
        add_(matrices_.on_host());
        return {};
    }
    Verdict check() override { return matrices_.check(tolerance_); }
    std::vector<Cell> own_cells(double) override {
        return cells_of(matadd_columns, MataddCells{matrices_.shape(), {}, 0, {}, {}});
    }

private:
    const double tolerance_;
    MataddOnHost<T>* const add_;
    const Matrices<T>& matrices_;
};

template <typename T>
class AdditionOnDevice final : public Case {
public:
    AdditionOnDevice(const Session& session, const MataddVariant& variant_, const Matrices<T>& matrices,
                     const std::function<MataddOnDevice<T>>& add, BlockShape block)
        : Case(variant_, problem_of(matrices)),
          session_(session),
          mapping_(variant_.mapping),
          matrices_(matrices),
          add_(add),
          block_(block) {}

    void poison(cudaStream_t stream) override { matrices_.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override {
        return launched_ = add_(matrices_.on_device(dim3(block_.x, block_.y), stream));
    }
    Verdict check() override {
        matrices_.download();
        return matrices_.check(session_.options.tolerance);
    }
    std::vector<Cell> own_cells(double) override {
        MataddCells cells{matrices_.shape(), {}, 0, {}, {}};
        describe_kernel(session_, launched_, cells);
        if (mapping_) cells.loads = traffic_of(block_, *mapping_, sizeof(T), session_.options.checks.line_bytes);
        return cells_of(matadd_columns, cells);
    }

private:
    const Session& session_;
    const std::optional<Mapping> mapping_;
    const Matrices<T>& matrices_;
    const std::function<MataddOnDevice<T>> add_;
    const BlockShape block_;
    LaunchShape launched_;
};

}  // namespace BACKEND

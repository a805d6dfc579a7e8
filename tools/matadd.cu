// SPDX-License-Identifier: MIT
// matadd: C = A + B in blocks of any shape: what the shape does to loads and to occupancy, and how little of that shows
// in the time.
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/matadd/probes.cuh"
#include "tools/matadd/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/matadd/calculator.cuh"

namespace BACKEND {
namespace {

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
void describe_kernel(const Session& session, const LaunchShape& launch, MataddCells& cells) {
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
Case host_case(const Session& session, const MataddVariant& variant, const std::shared_ptr<Matrices<T>>& matrices) {
    Case one;
    one.variant = &variant;
    one.poison = [=](cudaStream_t) { std::fill_n(matrices->on_host().c, matrices->size(), T(-77)); };
    one.launch = [=, add = variant.on_host.get<T>()](cudaStream_t) {
        add(matrices->on_host());
        return LaunchShape{};
    };
    one.check = [=, &session] { return matrices->check(session.options.tolerance); };
    one.own_cells = [=](double) { return cells_of(matadd_columns, MataddCells{matrices->shape(), {}, 0, {}, {}}); };
    return one;
}

template <typename T>
Case device_case(const Session& session, const MataddVariant& variant, const std::shared_ptr<Matrices<T>>& matrices,
                 const std::function<MataddOnDevice<T>>& launch, BlockShape block) {
    const auto shape = std::make_shared<LaunchShape>();
    Case one;
    one.variant = &variant;
    one.poison = [=](cudaStream_t stream) { matrices->poison(stream); };
    one.launch = [=](cudaStream_t stream) {
        *shape = launch(matrices->on_device(dim3(block.x, block.y), stream));
        return *shape;
    };
    one.check = [=, &session] {
        matrices->download();
        return matrices->check(session.options.tolerance);
    };
    one.own_cells = [=, &session, &variant](double) {
        MataddCells cells{matrices->shape(), {}, 0, {}, {}};
        describe_kernel(session, *shape, cells);
        if (variant.mapping) cells.loads = traffic_of(block, *variant.mapping, sizeof(T));
        return cells_of(matadd_columns, cells);
    };
    return one;
}

template <typename T>
void run_shape(Session& session, Bench& bench, const MatrixShape& shape) {
    const auto matrices = std::make_shared<Matrices<T>>(session, shape);
    std::vector<Case> cases;
    for (const MataddVariant* variant : session.selected<MataddVariant>()) {
        if (variant->needs == Needs::host) {
            cases.push_back(host_case<T>(session, *variant, matrices));
            continue;
        }
        const auto launch = variant->on_device<T>();
        const bool too_long =
            variant->peer && std::max(shape.rows, shape.columns) > size_t(std::numeric_limits<int>::max());
        if (!launch || too_long) {
            session.notice(text(
                "{} is left out at {}: {}", variant->name, shape.name(),
                launch ? "cuBLAS counts rows and columns in 32 bits" : "cuBLAS is not installed, or does not start"));
            continue;
        }
        if (!variant->mapping) cases.push_back(device_case<T>(session, *variant, matrices, launch, {}));
        for (size_t i = 0; variant->mapping && i < session.own<MataddOptions>().blocks.size(); ++i)
            cases.push_back(
                device_case<T>(session, *variant, matrices, launch, session.own<MataddOptions>().blocks[i]));
    }
    const double n = double(shape.elements());
    for (Case& one : cases) one.problem = {dtype_of<T>, shape.elements(), 3 * n * sizeof(T), n};
    bench.run(cases);
}

// The calculator adds no matrices: refuses the options that say how to.
void refuse_benchmark_options(const Session& session, const char* with) {
    const auto& asked = session.own<MataddOptions>();
    const Options& options = session.options;
    const std::pair<bool, const char*> ignored[] = {
        {asked.shapes.given, "--size"},         {asked.blocks_given, "--blocks"},
        {asked.offset > 0, "--offset"},         {!options.kernels.empty(), "--kernel"},
        {options.dtype.has_value(), "--dtype"}, {!options.versus.empty(), "--versus"},
        {options.ladder, "--ladder"},           {options.raw, "--raw"},
        {options.profile, "--profile"},         {asked.occupancy && asked.launches_to_compare, "--against-cuda"},
    };
    for (const auto& [given, name] : ignored)
        if (given)
            fail(Exit::usage, "{} does not go with {}, which only calculates; leave one of them out", name, with);
}

void run(Session& session) {
    const auto& asked = session.own<MataddOptions>();
    if (asked.occupancy) {
        refuse_benchmark_options(session, "--occupancy");
        return print_occupancy(session, *asked.occupancy);
    }
    if (asked.launches_to_compare) {
        refuse_benchmark_options(session, "--against-cuda");
        return compare_with_cuda(session, *asked.launches_to_compare);
    }
    Bench bench(session);
    for (const MatrixShape& shape : asked.shapes.on(session.device.simulated)) {
        if (session.dtype() == DType::f64) run_shape<double>(session, bench, shape);
        else run_shape<float>(session, bench, shape);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(matadd_program, run)
#endif

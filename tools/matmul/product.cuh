// SPDX-License-Identifier: MIT
// One product on one device: its matrices, its reference, and the variants as cases over them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/device.cuh"
#include "common/cuda/staged_copy.cuh"
#include "common/cuda/throughput.hpp"
#include "common/measure/bench.cuh"
#include "tools/matmul/launcher.cuh"
#include "tools/matmul/plan/choose.cuh"
#include "tools/matmul/plan/tune.hpp"

namespace BACKEND {

inline void explain_if_asked(const Session& session, const ProductProblem& problem, const Plan& plan,
                             const std::string& why) {
    if (!session.own<MatmulOptions>().explain) return;
    session.notice(text("{} {} on {} (compute capability {}): fastest is {}, tile {}: {}{}",
                        name_of_products(problem.shape, problem.form), name_of(problem.dtype), problem.device->name,
                        capability_text(problem.device->compute_capability), plan.variant, plan.tile, why,
                        plan.copied.empty() ? "" : "; another kernel transposes " + plan.copied));
}

// What was measured earlier, unless the options say not to measure.
inline std::shared_ptr<Wisdom> wisdom_of(const Session& session) {
    const auto& asked = session.own<MatmulOptions>();
    if (asked.no_tune || session.device.simulated) return nullptr;
    static const std::shared_ptr<Wisdom> wisdom = [&] {
        const auto read = std::make_shared<Wisdom>(asked.wisdom);
        if (!read->obstacle().empty()) session.notice(read->obstacle());
        return read;
    }();
    return wisdom;
}

// A session's problem, all but its shape, on the current device. `device` must outlive it.
inline ProductProblem problem_on(const Session& session, const DeviceInfo& device, DType dtype) {
    ProductProblem problem;
    problem.device = &device;
    problem.dtype = dtype;
    problem.forced_tile = session.own<MatmulOptions>().tile;
    problem.form = session.own<MatmulOptions>().form;
    if (is_float8(dtype)) problem.form.transposed.b = true;  // as all their kernels take it, see float8/types.cuh
    problem.wisdom = wisdom_of(session);
#ifndef __SIMCC__
    const HopperDevice& hopper = hopper_device(device);
    problem.hopper = hopper.runs;
    problem.clusters = hopper.clusters;
#else
    for (const std::string& tile : split(problem.forced_tile, ','))
        if (tile != "all" && tile != "plans" && tile != "work" && !is_thin_key(tile) &&
            tile != tile_name(MatmulAsync<128>::tile) && tile != tile_name(MatmulAsync<64>::tile))
            fail(Exit::unavailable, "--tile {} needs a GPU of compute capability 9.0", tile);
#endif
    return problem;
}

// Device memory for A, B, C and what the kernels need besides. bytes() says how much that is before any is allocated.
class DeviceProduct {
public:
    static double bytes(const DeviceInfo& device, DType dtype, const ProductShape& shape, const ProductForm& form,
                        size_t workspace_bytes) {
        constexpr double most_padding = 3 * 16;  // bytes of a product of a batch
        return bytes_of(shape, form, size_of(dtype), size_of(result_dtype(dtype))) +
               most_padding * double(form.batch.value_or(0)) + double(workspace_bytes) + double(partials_bytes(device));
    }

    // On the current device, which is `device`.
    DeviceProduct(const Session& session, const DeviceInfo& device, DType dtype, const ProductShape& shape,
                  const ProductForm& form, size_t workspace_bytes)
        : shape_(shape), form_(form), strides_(ProductStrides::aligned(shape, form, size_of(dtype))) {
        expect_room(name_of_products(shape, form), bytes(device, dtype, shape, form, workspace_bytes));
        a_ = Bytes(form.products() * strides_.a * size_of(dtype));
        b_ = Bytes(elements_of_b(shape, form, strides_) * size_of(dtype));
        c_ = Bytes(form.products() * strides_.c * size_of(result_dtype(dtype)));
        workspace_ = Bytes(workspace_bytes);
        launcher_ = std::make_unique<ProductLauncher>(session, device, dtype);
    }

    // Matrices as the strides lay them out.
    void upload(const void* h_a, const void* h_b) {
        copier_.to_device(a_.data(), h_a, a_.bytes());
        copier_.to_device(b_.data(), h_b, b_.bytes());
    }
    void upload_scales(const float* h_scales) { launcher_->upload_scales(h_scales); }
    void download(void* h_c) {
        if (c_.size() > 0) copier_.to_host(h_c, c_.data(), c_.bytes());
    }
    void poison(cudaStream_t stream) const {
        if (c_.size() > 0) CHECK(cudaMemsetAsync(c_.data(), 0xff, c_.bytes(), stream));  // NaN in every type
    }

    LaunchShape launch(const Plan& plan, cudaStream_t stream) const {
        return launcher_->launch(plan, {shape_, form_, strides_, a_.data(), b_.data(), c_.data()}, workspace_.data(),
                                 stream);
    }

private:
    using Bytes = DeviceBuffer<unsigned char>;
    const ProductShape shape_;
    const ProductForm form_;
    const ProductStrides strides_;
    Bytes a_, b_, c_, workspace_;
    std::unique_ptr<ProductLauncher> launcher_;
    StagedCopier copier_;
};

inline std::string how_large_is_checked(const ProductShape& shape) {
    return text("{}: some rows are checked in full, all of C by a random vector", shape.name());
}

// The cells of a row: those given, and what follows from the launch and its time on so many devices.
inline std::vector<Cell> cells_of_product(const Session& session, DType dtype, MatmulCells cells,
                                          const LaunchShape& launch, double median_ns, size_t devices = 1) {
    const double peak = sum_of_rates(session.gang, devices, [=](const DeviceInfo& device) -> double {
        const auto throughput = throughput_of(device.compute_capability, device.name);
        if (!throughput) return 0;
        return peak_rate(fastest_multiply_adds(*throughput, dtype), device.multiprocessors, 1e3 * device.clock_khz);
    });
    const bool timed = !session.device.simulated && peak > 0 && median_ns > 0;
    if (timed) cells.peak_percent = 100 * cells.flop() / median_ns * 1e9 / peak;
    cells.describe_kernel(launch, session.device.ordinal);
    return cells_of(matmul_columns, cells);
}

// The plans of `fastest` that are timed: the best estimates, then other ways to share the tile that was the fastest.
struct PlansToTune {
    Plans first, more_shares;
};

// A, B and C on the host and on the session's device, and the reference.
class Product {
public:
    // `workspace_bytes`: the most that one of the plans needs.
    Product(const Session& session_, const ProductProblem& problem, size_t workspace_bytes)
        : session(session_),
          dtype(problem.dtype),
          shape(problem.shape),
          form(problem.form),
          device(session, session.device, dtype, shape, form, workspace_bytes),
          host(make_host_product(dtype, shape, form, settings_of(session))) {
        device.upload(host->a(), host->b());
        if (host->scales()) device.upload_scales(host->scales());
        if (!host->checks_all()) session.detail(how_large_is_checked(shape));
    }

    Problem problem() const {
        const double products = double(form.products());
        return {dtype, shape.n, bytes(), shape.flop() * products, double(shape.m) * double(shape.n) * products};
    }
    double bytes() const { return bytes_of(shape, form, size_of(dtype), size_of(result_dtype(dtype))); }

    const Session& session;
    const DType dtype;
    const ProductShape shape;
    const ProductForm form;
    DeviceProduct device;
    const std::unique_ptr<HostProduct> host;

private:
    static HostProductSettings settings_of(const Session& session) {
        const auto& asked = session.own<MatmulOptions>();
        return {session.options.seed, session.options.verify, session.options.tolerance, asked.scale_a, asked.scale_b};
    }
};

class ProductOnHost final : public Case {
public:
    ProductOnHost(const MatmulVariant& variant_, const Product& product)
        : Case(variant_, product.problem()), multiply_(variant_.on_host), product_(product) {}

    LaunchShape launch(cudaStream_t) override {
        (*product_.host.*multiply_)();
        return {};
    }
    Verdict check() override {
        const ProductCheck check = product_.host->check(Sums::of_type);
        error_ppm_ = check.error_ppm;
        return check.verdict;
    }
    std::vector<Cell> own_cells(double) override {
        MatmulCells cells{product_.shape, product_.form};
        cells.bytes = product_.bytes();
        cells.error_ppm = error_ppm_;
        return cells_of_product(product_.session, product_.dtype, cells, {}, 0);
    }

private:
    void (HostProduct::*const multiply_)();
    const Product& product_;
    double error_ppm_ = -1;
};

// If there are several plans, they are timed first, and the fastest is verified and measured.
class ProductOnDevice final : public Case {
public:
    ProductOnDevice(const MatmulVariant& variant_, Product& product, const ProductProblem& problem_,
                    const PlansToTune& plans)
        : Case(variant_, product.problem()),
          product_(product),
          asked_(problem_),
          plans_(plans),
          plan_(plans.first.front()) {}

    // Times the first plans, then the fastest tile's other ways to share.
    void tune(Stopwatch& stopwatch) override {
        if (plans_.first.size() == 1) return;
        Tuned tuned = find_fastest_of(plans_.first, stopwatch);
        plan_ = plans_.first[tuned.fastest];
        Plans shares = {plan_};
        for (const Plan& plan : plans_.more_shares)
            if (plan.row == plan_.row) shares.push_back(plan);
        tried_ = tuned.tried;
        if (shares.size() > 1) {
            tuned = find_fastest_of(shares, stopwatch);
            tried_ += tuned.tried - 1;
            plan_ = shares[tuned.fastest];
        }
        const std::string why = asked_.wisdom->remember(wisdom_key(asked_), plan_.name(), tuned.ns);
        if (!why.empty()) product_.session.notice(why);
        explain_if_asked(product_.session, asked_, plan_,
                         text("the fastest of {} plans, {:.1f} us here", tried_, tuned.ns / 1e3));
    }
    void poison(cudaStream_t stream) override { product_.device.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override { return shape_ = product_.device.launch(plan_, stream); }
    Verdict check() override {
        product_.device.download(product_.host->c());
        const ProductCheck check = product_.host->check(plan_.sums);
        error_ppm_ = check.error_ppm;
        return check.verdict;
    }
    std::vector<Cell> own_cells(double median_ns) override {
        MatmulCells cells{product_.shape, product_.form,   plan_.tile, *plan_.variant ? plan_.name() : "none",
                          tried_,         product_.bytes()};
        cells.error_ppm = error_ppm_;
        return cells_of_product(product_.session, product_.dtype, cells, shape_, median_ns);
    }

private:
    Tuned find_fastest_of(const Plans& some, Stopwatch& stopwatch) const {
        return find_fastest(some.size(), [&](size_t i) {
            return stopwatch.time({}, [&](cudaStream_t stream) { product_.device.launch(some[i], stream); });
        });
    }

    Product& product_;
    const ProductProblem asked_;
    const PlansToTune plans_;
    Plan plan_;
    size_t tried_ = 0;
    LaunchShape shape_;
    double error_ppm_ = -1;
};

}  // namespace BACKEND

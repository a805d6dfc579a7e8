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

// Free bytes of the current device's memory.
inline double free_device_bytes() {
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return double(free_bytes);
}

// Failure(cuda_error) unless `wanted` bytes of the device's memory are free.
inline void expect_room(const std::string& products, double wanted) {
    const double free_bytes = free_device_bytes();
    if (wanted <= free_bytes) return;
    fail(Exit::cuda_error,
         "{}: A, B, C and what the kernels need beside them take {} on the device, of which {} are free; choose a "
         "smaller --size",
         products, human_bytes(wanted), human_bytes(free_bytes));
}

// Bytes of the memory where blocks leave what others of their launch need.
inline size_t partials_bytes(const DeviceInfo& device) {
#ifndef __SIMCC__
    if (device.compute_capability == 90) return partial_sums_bytes(unsigned(device.multiprocessors));
#endif
    return unsigned(device.multiprocessors) * sizeof(unsigned);  // a ticket each
}
// Copies A's scale and B's, of 8-bit floats, to where kernels expect them.
inline void copy_scales(float* d_scales, const float* h_scales) {
    for (size_t i = 0; i < 2; ++i) copy_to_device(d_scales + i * scale_step, h_scales + i, sizeof *h_scales);
}
inline DeviceBuffer<unsigned char> make_partials(const DeviceInfo& device) {
    DeviceBuffer<unsigned char> partials(partials_bytes(device));
    fill_device(partials.data(), 0, partials.bytes());
    return partials;
}

// Device memory for A, B, C and what the kernels need besides. bytes() says how much that is before any is allocated.
struct DeviceProduct {
    static double bytes(const DeviceInfo& device, DType dtype, const ProductShape& shape, const ProductForm& form,
                        size_t workspace_bytes) {
        constexpr double most_padding = 3 * 16;  // bytes of a product of a batch
        return bytes_of(shape, form, size_of(dtype), size_of(result_dtype(dtype))) +
               most_padding * double(form.batch.value_or(0)) + double(workspace_bytes) + double(partials_bytes(device));
    }

    // On the current device, which is `device`.
    DeviceProduct(const DeviceInfo& device, DType dtype, const ProductShape& shape_, const ProductForm& form_,
                  size_t workspace_bytes)
        : multiprocessors(unsigned(device.multiprocessors)),
          shape(shape_),
          form(form_),
          element_bytes(size_of(dtype)),
          result_bytes(size_of(result_dtype(dtype))) {
        expect_room(name_of_products(shape, form), bytes(device, dtype, shape, form, workspace_bytes));
        strides = ProductStrides::aligned(shape, form, element_bytes);
        a = DeviceBuffer<unsigned char>(form.products() * strides.a * element_bytes);
        b = DeviceBuffer<unsigned char>(elements_of_b(shape, form, strides) * element_bytes);
        c = DeviceBuffer<unsigned char>(form.products() * strides.c * result_bytes);
        if (is_float8(dtype)) scales = DeviceBuffer<float>(2 * scale_step);
        workspace = DeviceBuffer<unsigned char>(workspace_bytes);
        partials = make_partials(device);
    }

    void upload(const void* h_a, const void* h_b) {
        copier.to_device(a.data(), h_a, a.bytes());
        copier.to_device(b.data(), h_b, b.bytes());
    }
    void upload_scales(const float* h_scales) { copy_scales(scales.data(), h_scales); }
    void download(void* h_c) { copier.to_host(h_c, c.data(), c.bytes()); }

    // Enqueues the product. For k = 0, C is zero; an empty C needs nothing.
    LaunchShape launch(const Plan& plan, const Session& session, cudaStream_t stream) const {
        if (c.size() == 0) return {};
        if (shape.k == 0) {
            CHECK(cudaMemsetAsync(c.data(), 0, c.bytes(), stream));
            return {};
        }
        MatmulArguments<void> arguments = arguments_of(shape, form, strides);
        arguments.d_a = a.data(), arguments.d_b = b.data(), arguments.d_c = c.data();
        arguments.d_workspace = workspace.data(), arguments.d_partials = partials.data();
        arguments.d_scales = scales.data();
        arguments.multiprocessors = multiprocessors, arguments.block_size = session.options.block;
        arguments.stream = stream;
        return plan.launch(arguments);
    }

    const unsigned multiprocessors;  // of the device
    ProductShape shape;
    ProductForm form;
    ProductStrides strides;
    size_t element_bytes, result_bytes;  // of A and B, and of C
    DeviceBuffer<unsigned char> a, b, c, workspace, partials;
    DeviceBuffer<float> scales;  // of 8-bit floats
    StagedCopier copier;
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

class Product {
public:
    // `workspace_bytes`: the most that one of the plans needs.
    Product(const Session& session, const ProductProblem& problem, size_t workspace_bytes)
        : session_(session),
          dtype_(problem.dtype),
          shape_(problem.shape),
          form_(problem.form),
          device_(session.device, dtype_, shape_, form_, workspace_bytes),
          host_(make_host_product(dtype_, shape_, form_, settings_of(session))) {
        device_.upload(host_->a(), host_->b());
        if (host_->scales()) device_.upload_scales(host_->scales());
        if (!host_->checks_all()) session.detail(how_large_is_checked(shape_));
    }

    Case host_case(const MatmulVariant& variant) {
        Case one = case_of(variant);
        one.launch = [this, multiply = variant.on_host](cudaStream_t) {
            (*host_.*multiply)();
            return LaunchShape{};
        };
        const auto error_ppm = std::make_shared<double>(-1);
        one.check = [this, error_ppm] { return checked(Sums::of_type, *error_ppm); };
        one.own_cells = [this, error_ppm](double) { return own_cells({}, 0, {}, 0, *error_ppm); };
        return one;
    }

    // If there are several plans, they are timed first, and the fastest is verified and measured.
    Case device_case(const MatmulVariant& variant, const ProductProblem& problem, const PlansToTune& plans) {
        struct State {
            Plan plan;
            size_t tried = 0;
            LaunchShape shape = {};
            double error_ppm = -1;
        };
        const auto state = std::make_shared<State>(State{plans.first.front()});
        Case one = case_of(variant);
        if (plans.first.size() > 1) {
            one.tune = [this, state, problem, plans](Stopwatch& stopwatch) {
                const Tuned tuned = find_fastest_plan(stopwatch, plans, state->plan);
                state->tried = tuned.tried;
                remember(problem, state->plan, tuned.ns);
                explain_if_asked(session_, problem, state->plan,
                                 text("the fastest of {} plans, {:.1f} us here", tuned.tried, tuned.ns / 1e3));
            };
        }
        one.poison = [this](cudaStream_t stream) {
            if (device_.c.size() > 0)
                CHECK(cudaMemsetAsync(device_.c.data(), 0xff, device_.c.bytes(), stream));  // NaN in every type
        };
        one.launch = [this, state](cudaStream_t stream) {
            return state->shape = device_.launch(state->plan, session_, stream);
        };
        one.check = [this, state] {
            if (device_.c.size() > 0) device_.download(host_->c());
            return checked(state->plan.sums, state->error_ppm);
        };
        one.own_cells = [this, state](double median_ns) {
            return own_cells(state->plan, state->tried, state->shape, median_ns, state->error_ppm);
        };
        return one;
    }

private:
    static HostProductSettings settings_of(const Session& session) {
        const auto& asked = session.own<MatmulOptions>();
        return {session.options.seed, session.options.verify, session.options.tolerance, asked.scale_a, asked.scale_b};
    }
    Verdict checked(Sums sums, double& error_ppm) const {
        const ProductCheck check = host_->check(sums);
        error_ppm = check.error_ppm;
        return check.verdict;
    }
    Case case_of(const Variant& variant) const {
        Case one;
        one.variant = &variant;
        const double products = double(form_.products());
        one.problem = {dtype_, shape_.n, bytes(), shape_.flop() * products,
                       double(shape_.m) * double(shape_.n) * products};
        return one;
    }
    double bytes() const { return bytes_of(shape_, form_, size_of(dtype_), size_of(result_dtype(dtype_))); }

    // Times the first plans, then the fastest tile's other ways to share.
    Tuned find_fastest_plan(Stopwatch& stopwatch, const PlansToTune& plans, Plan& fastest) const {
        const auto fastest_of = [&](const Plans& some) {
            return find_fastest(some.size(), [&](size_t i) {
                return stopwatch.time({}, [&](cudaStream_t stream) { device_.launch(some[i], session_, stream); });
            });
        };
        Tuned tuned = fastest_of(plans.first);
        fastest = plans.first[tuned.fastest];
        Plans shares = {fastest};
        for (const Plan& plan : plans.more_shares)
            if (plan.row == fastest.row) shares.push_back(plan);
        if (shares.size() > 1) {
            const size_t tried = tuned.tried;
            tuned = fastest_of(shares);
            tuned.tried += tried - 1;
            fastest = shares[tuned.fastest];
        }
        return tuned;
    }

    void remember(const ProductProblem& problem, const Plan& plan, double ns) const {
        const std::string why = problem.wisdom->remember(wisdom_key(problem), plan.name(), ns);
        if (!why.empty()) session_.notice(why);
    }

    std::vector<Cell> own_cells(const Plan& plan, size_t tried, const LaunchShape& launch, double median_ns,
                                double error_ppm) const {
        MatmulCells cells{shape_, form_, plan.tile, *plan.variant ? plan.name() : "none", tried, bytes()};
        cells.error_ppm = error_ppm;
        return cells_of_product(session_, dtype_, cells, launch, median_ns);
    }

    const Session& session_;
    DType dtype_;
    ProductShape shape_;
    ProductForm form_;
    DeviceProduct device_;
    std::unique_ptr<HostProduct> host_;
};

}  // namespace BACKEND

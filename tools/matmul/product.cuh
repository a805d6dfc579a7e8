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
#include "tools/matmul/choice.cuh"

namespace BACKEND {

// The problem of a session on one of its devices, the current one, but for the shape. The device must outlive it.
inline ProductProblem problem_on(const Session& session, const DeviceInfo& device, DType dtype) {
    ProductProblem problem;
    problem.device = &device;
    problem.dtype = dtype;
    problem.forced_tile = session.own<MatmulOptions>().tile;
    problem.form = session.own<MatmulOptions>().form;
#ifndef __SIMCC__
    problem.hopper = hopper_kernels_run(device.compute_capability);
#else
    if (!problem.forced_tile.empty()) fail(Exit::unavailable, "--tile needs a GPU of compute capability 9.0");
#endif
    return problem;
}

// How many bytes of the device are free.
inline double free_device_bytes() {
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return double(free_bytes);
}

// Failure(cuda_error) unless the device has so much memory left.
inline void expect_room(const std::string& products, double wanted) {
    const double free_bytes = free_device_bytes();
    if (wanted <= free_bytes) return;
    fail(Exit::cuda_error,
         "{}: A, B, C and what the kernels need beside them take {} on the device, of which {} are free; choose a "
         "smaller --size",
         products, human_bytes(wanted), human_bytes(free_bytes));
}

// Where blocks leave what others of their launch need.
inline size_t partials_bytes(const DeviceInfo& device, [[maybe_unused]] DType dtype) {
#ifndef __SIMCC__
    if (dtype != DType::f64 && device.compute_capability == 90)
        return partial_sums_bytes(unsigned(device.multiprocessors));
#endif
    return unsigned(device.multiprocessors) * sizeof(unsigned);  // a ticket each
}
inline DeviceBuffer<unsigned char> make_partials(const DeviceInfo& device, DType dtype) {
    DeviceBuffer<unsigned char> partials(partials_bytes(device, dtype));
    if (partials.size() > 0) CHECK(cudaMemset(partials.data(), 0, partials.bytes()));
    return partials;
}

// Device memory for A, B, C and what the kernels need beside them. Says how much that is before it asks for any.
struct DeviceProduct {
    static double bytes(const Session& session, DType dtype, const ProductShape& shape, const ProductForm& form,
                        size_t workspace_bytes) {
        constexpr double most_padding = 3 * 16;  // bytes of a product of a batch
        return elements_of(shape, form) * double(size_of(dtype)) + most_padding * double(form.batch.value_or(0)) +
               double(workspace_bytes) + double(partials_bytes(session.device, dtype));
    }

    DeviceProduct(const Session& session, DType dtype, const ProductShape& shape_, const ProductForm& form_,
                  size_t workspace_bytes)
        : shape(shape_), form(form_), element_bytes(size_of(dtype)) {
        expect_room(name_of_products(shape, form), bytes(session, dtype, shape, form, workspace_bytes));
        strides = ProductStrides::aligned(shape, form, element_bytes);
        a = DeviceBuffer<unsigned char>(form.products() * strides.a * element_bytes);
        b = DeviceBuffer<unsigned char>(elements_of_b(shape, form, strides) * element_bytes);
        c = DeviceBuffer<unsigned char>(form.products() * strides.c * element_bytes);
        workspace = DeviceBuffer<unsigned char>(workspace_bytes);
        partials = make_partials(session.device, dtype);
    }

    void upload(const void* h_a, const void* h_b) {
        copier.to_device(a.data(), h_a, a.bytes());
        copier.to_device(b.data(), h_b, b.bytes());
    }
    void download(void* h_c) { copier.to_host(h_c, c.data(), c.bytes()); }

    // Matrices of a batch that follow each other without gaps on the host.
    void upload_dense_a(const void* h_a) { upload_dense(a, h_a, shape.m * shape.k, strides.a); }
    void upload_dense_b(const void* h_b) { upload_dense(b, h_b, shape.k * shape.n, strides.b); }
    void download_dense_c(void* h_c) {
        if (strides.c == shape.m * shape.n) return download(h_c);
        const size_t bytes = shape.m * shape.n * element_bytes;
        for (size_t i = 0; i < form.products(); ++i)
            copier.to_host(static_cast<unsigned char*>(h_c) + i * bytes, c.data() + i * strides.c * element_bytes,
                           bytes);
    }

    // Enqueues the product; for k = 0 C is zero, and an empty C needs nothing.
    LaunchShape launch(const ProductMethod& method, const Session& session, cudaStream_t stream) const {
        if (c.size() == 0) return {};
        if (shape.k == 0) {
            CHECK(cudaMemsetAsync(c.data(), 0, c.bytes(), stream));
            return {};
        }
        return method.launch({a.data(), b.data(), c.data(), shape.m, shape.n, shape.k, workspace.data(),
                              partials.data(), unsigned(session.device.multiprocessors), session.options.block, stream,
                              0, form.products(), strides.a, strides.b, strides.c, form.transposed.a,
                              form.transposed.b});
    }

    ProductShape shape;
    ProductForm form;
    ProductStrides strides;
    size_t element_bytes;
    DeviceBuffer<unsigned char> a, b, c, workspace, partials;
    StagedCopier copier;

private:
    void upload_dense(DeviceBuffer<unsigned char>& matrices, const void* h_matrices, size_t elements, size_t stride) {
        if (stride == elements || stride == 0) return copier.to_device(matrices.data(), h_matrices, matrices.bytes());
        const size_t bytes = elements * element_bytes;
        for (size_t i = 0; i < form.products(); ++i)
            copier.to_device(matrices.data() + i * stride * element_bytes,
                             static_cast<const unsigned char*>(h_matrices) + i * bytes, bytes);
    }
};

inline std::string how_large_is_checked(const ProductShape& shape) {
    return text("{}: some rows are checked in full, all of C by a random vector", shape.name());
}

// The cells of a row: those given, and what follows from the launch and its time on so many devices.
inline std::vector<Cell> cells_of_product(const Session& session, DType dtype, MatmulCells cells,
                                          const LaunchShape& launch, double median_ns, size_t devices = 1) {
    const DeviceInfo& device = session.device;
    const double clock_hz = 1e3 * attribute(cudaDevAttrClockRate, device.ordinal);
    const auto throughput = throughput_of(device.compute_capability, device.name);
    const double peak = throughput ? double(devices) * peak_rate(fastest_multiply_adds(*throughput, dtype),
                                                                 device.multiprocessors, clock_hz)
                                   : 0;
    const bool timed = !device.simulated && peak > 0 && median_ns > 0;
    if (timed) cells.peak_percent = 100 * cells.flop() / median_ns * 1e9 / peak;
    cells.describe_kernel(launch, device.ordinal);
    return cells_of(matmul_columns, cells);
}

class Product {
public:
    // `workspace_bytes`: the most that one of the methods needs.
    Product(const Session& session, const ProductProblem& problem, size_t workspace_bytes)
        : session_(session),
          dtype_(problem.dtype),
          shape_(problem.shape),
          form_(problem.form),
          device_(session, dtype_, shape_, form_, workspace_bytes),
          host_(make_host_product(dtype_, shape_, form_,
                                  {session.options.seed, session.options.verify, session.options.tolerance})) {
        device_.upload(host_->a(), host_->b());
        if (!host_->checks_all()) session.detail(how_large_is_checked(shape_));
    }

    Case host_case(const MatmulVariant& variant) {
        Case one = case_of(variant);
        one.launch = [this, multiply = variant.on_host](cudaStream_t) {
            (*host_.*multiply)();
            return LaunchShape{};
        };
        one.check = [this] { return host_->check(); };
        one.own_cells = [this](double) { return own_cells("none", {}, 0); };
        return one;
    }

    Case device_case(const MatmulVariant& variant, const ProductMethod& method) {
        Case one = case_of(variant);
        const auto shape_of_launch = std::make_shared<LaunchShape>();
        one.poison = [this](cudaStream_t stream) {
            if (device_.c.size() > 0)
                CHECK(cudaMemsetAsync(device_.c.data(), 0xff, device_.c.bytes(), stream));  // NaN in every type
        };
        one.launch = [this, method, shape_of_launch](cudaStream_t stream) {
            return *shape_of_launch = device_.launch(method, session_, stream);
        };
        one.check = [this] {
            if (device_.c.size() > 0) device_.download(host_->c());
            return host_->check();
        };
        one.own_cells = [this, method, shape_of_launch](double median_ns) {
            return own_cells(method.tile, *shape_of_launch, median_ns);
        };
        return one;
    }

private:
    Case case_of(const Variant& variant) const {
        Case one;
        one.variant = &variant;
        const double products = double(form_.products());
        one.problem = {dtype_, shape_.n, bytes(), shape_.flop() * products,
                       double(shape_.m) * double(shape_.n) * products};
        return one;
    }
    double bytes() const { return elements_of(shape_, form_) * double(size_of(dtype_)); }

    std::vector<Cell> own_cells(const std::string& tile, const LaunchShape& launch, double median_ns) const {
        return cells_of_product(session_, dtype_, {shape_, form_, tile, bytes()}, launch, median_ns);
    }

    const Session& session_;
    DType dtype_;
    ProductShape shape_;
    ProductForm form_;
    DeviceProduct device_;
    std::unique_ptr<HostProduct> host_;
};

}  // namespace BACKEND

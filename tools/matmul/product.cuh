// One product on one device: its matrices, its reference, and the variants as cases over them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/measure/bench.cuh"
#include "common/cuda/device.cuh"
#include "common/cuda/throughput.hpp"
#include "tools/matmul/host.cuh"
#include "tools/matmul/reference.cuh"
#include "tools/matmul/table.cuh"

namespace BACKEND {

// How many bytes of the device are free.
inline double free_device_bytes() {
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return double(free_bytes);
}

// Device memory for A, B, C and what the kernels want beside them. Says how much that is before it asks for any.
template <typename Type>
struct DeviceProduct {
    using T = typename Type::Element;

    static size_t partials_bytes([[maybe_unused]] const Session& session) {
#ifndef __SIMCC__
        if (Type::dtype != DType::f64 && session.device.compute_capability == 90)
            return partial_sums_bytes(unsigned(session.device.multiprocessors));
#endif
        return 0;
    }

    static double bytes(const Session& session, const ProductShape& shape, size_t workspace_bytes) {
        return shape.elements() * sizeof(T) + double(workspace_bytes) + double(partials_bytes(session));
    }

    DeviceProduct(const Session& session, const ProductShape& shape, size_t workspace_bytes) {
        const double wanted = bytes(session, shape, workspace_bytes), free_bytes = free_device_bytes();
        if (wanted > free_bytes)
            fail(Exit::cuda_error,
                 "{}: A, B, C and what the kernels need beside them take {} on the device, of which {} are free; choose a "
                 "smaller --size",
                 shape.name(), human_bytes(wanted), human_bytes(free_bytes));
        a = DeviceBuffer<T>(shape.m * shape.k);
        b = DeviceBuffer<T>(shape.k * shape.n);
        c = DeviceBuffer<T>(shape.m * shape.n);
        workspace = DeviceBuffer<unsigned char>(workspace_bytes);
        partials = DeviceBuffer<unsigned char>(partials_bytes(session));
        if (partials.size() > 0) CHECK(cudaMemset(partials.data(), 0, partials.bytes()));
    }

    MatmulArguments<T> arguments(const Session& session, const ProductShape& shape, cudaStream_t stream) const {
        return {a.data(),
                b.data(),
                c.data(),
                shape.m,
                shape.n,
                shape.k,
                workspace.data(),
                partials.data(),
                unsigned(session.device.multiprocessors),
                session.options.block,
                stream};
    }

    DeviceBuffer<T> a, b, c;
    DeviceBuffer<unsigned char> workspace, partials;
};

// Enqueues a product; nothing to do for an empty C, and for k = 0 all of it is zero.
template <typename T>
LaunchShape launch_product(const ProductMethod<T>& method, const MatmulArguments<T>& arguments) {
    if (arguments.m == 0 || arguments.n == 0) return {};
    if (arguments.k > 0) return method.launch(arguments);
    CHECK(cudaMemsetAsync(arguments.d_c, 0, arguments.m * arguments.n * sizeof(T), arguments.stream));
    return {};
}

template <typename Type>
class Product {
public:
    using T = typename Type::Element;
    using Wide = typename Type::Wide;

    // `workspace_bytes`: the most that one of the methods needs.
    Product(const Session& session, const ProductShape& shape, size_t workspace_bytes)
        : session_(session),
          shape_(shape),
          device_(session, shape, workspace_bytes),
          h_a_(shape.m * shape.k),
          h_b_(shape.k * shape.n),
          h_c_(shape.m * shape.n) {
        const std::uint64_t seed = session.options.seed;
        fill(h_a_.data(), h_a_.size(), [=](size_t i) { return widen(narrow<T>(normal(seed, 2 * i))); });
        fill(h_b_.data(), h_b_.size(), [=](size_t i) { return widen(narrow<T>(normal(seed, 2 * i + 1))); });
        upload(h_a_, device_.a);
        upload(h_b_, device_.b);
        if (session.options.verify)
            reference_ = std::make_unique<ProductReference<Type>>(shape, h_a_.data(), h_b_.data(), seed,
                                                                  session.options.tolerance);
        if (reference_ && !reference_->complete())
            session.detail(text("{}: some rows are checked in full, all of C by a random vector", shape.name()));
        clock_hz_ = 1e3 * attribute(cudaDevAttrClockRate, session.device.ordinal);
    }

    Case host_case(const Variant& variant) {
        Case one = case_of(variant);
        const std::string name = variant.name;
        one.launch = [this, name](cudaStream_t) {
            if (name == "cpu") multiply_rows<Type>(shape_, h_a_.data(), h_b_.data(), h_c_.data(), 0, shape_.m);
            else if (name == "cpu-parallel") multiply_on_all_cores<Type>(shape_, h_a_.data(), h_b_.data(), h_c_.data());
            else if constexpr (std::is_same_v<T, Wide>)
                openblas_.multiply(shape_, h_a_.data(), h_b_.data(), h_c_.data());
            return LaunchShape{};
        };
        one.check = [this] { return reference_->check(h_c_.data()); };
        one.own_cells = [this](double) { return own_cells("none", {}, 0); };
        return one;
    }

    Case device_case(const Variant& variant, const ProductMethod<T>& method) {
        Case one = case_of(variant);
        const auto shape_of_launch = std::make_shared<LaunchShape>();
        one.poison = [this](cudaStream_t stream) {
            if (device_.c.size() > 0)
                CHECK(cudaMemsetAsync(device_.c.data(), 0xff, device_.c.bytes(), stream));  // NaN in every type
        };
        one.launch = [this, method, shape_of_launch](cudaStream_t stream) {
            return *shape_of_launch = launch_product(method, device_.arguments(session_, shape_, stream));
        };
        one.check = [this] {
            if (h_c_.size() > 0)
                CHECK(cudaMemcpy(h_c_.data(), device_.c.data(), device_.c.bytes(), cudaMemcpyDeviceToHost));
            return reference_->check(h_c_.data());
        };
        one.own_cells = [this, method, shape_of_launch](double median_ns) {
            return own_cells(method.tile, *shape_of_launch, median_ns);
        };
        return one;
    }

    static bool has_openblas() { return std::is_same_v<T, Wide> && bool(OpenBlas()); }

private:
    Case case_of(const Variant& variant) const {
        Case one;
        one.variant = &variant;
        one.problem = {Type::dtype, shape_.n, shape_.elements() * sizeof(T), shape_.flop(),
                       double(shape_.m) * double(shape_.n)};
        return one;
    }

    static void upload(const std::vector<Wide>& from, const DeviceBuffer<T>& to) {
        if (from.empty()) return;
        if constexpr (std::is_same_v<T, Wide>) {
            CHECK(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice));
        } else {
            std::vector<T> narrowed(from.size());
            fill(narrowed.data(), narrowed.size(), [&](size_t i) { return narrow<T>(from[i]); });
            CHECK(cudaMemcpy(to.data(), narrowed.data(), to.bytes(), cudaMemcpyHostToDevice));
        }
    }

    std::vector<Cell> own_cells(const std::string& tile, const LaunchShape& launch, double median_ns) const {
        cudaFuncAttributes attributes{};
        int blocks = 0;
        if (launch.kernel) {
            CHECK(cudaFuncGetAttributes(&attributes, launch.kernel));
            CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, launch.kernel,
                                                                int(launch.block.x * launch.block.y * launch.block.z),
                                                                launch.dynamic_shared_bytes));
        }
        const double threads = double(blocks) * launch.block.x * launch.block.y * launch.block.z;
        const double most_threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, session_.device.ordinal);
        const auto throughput = throughput_of(session_.device.compute_capability, session_.device.name);
        const double peak = throughput ? peak_rate(fastest_multiply_adds(*throughput, Type::dtype),
                                                   session_.device.multiprocessors, clock_hz_)
                                       : 0;
        const double bytes = shape_.elements() * sizeof(T);
        return {
            static_cast<long long>(shape_.m),
            static_cast<long long>(shape_.n),
            static_cast<long long>(shape_.k),
            tile,
            Fixed{bytes > 0 ? shape_.flop() / bytes : 0, 2},
            Fixed{!session_.device.simulated && peak > 0 && median_ns > 0 ? 100 * shape_.flop() / median_ns * 1e9 / peak
                                                                          : 0,
                  2},
            static_cast<long long>(attributes.numRegs),
            static_cast<long long>(attributes.sharedSizeBytes),
            Fixed{most_threads > 0 ? 100 * threads / most_threads : 0, 1}};
    }

    const Session& session_;
    ProductShape shape_;
    DeviceProduct<Type> device_;
    std::vector<Wide> h_a_, h_b_;
    std::vector<T> h_c_;
    std::unique_ptr<ProductReference<Type>> reference_;
    OpenBlas openblas_;
    double clock_hz_ = 0;
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// scale: b = 2 a, verified and timed: a program to begin one's own from.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/random.hpp"
#include "kernels/scale.cuh"

namespace BACKEND {
namespace {

void scale_on_one_core(const float* a, float* b, size_t n) {
    for (size_t i = 0; i < n; ++i) b[i] = 2 * a[i];
}

// A row carries all there is to say of a variant: one of the two functions is how it runs.
struct ScaleVariant : Variant {
    LaunchShape (*launch)(const ScaleArguments& arguments) = nullptr;
    void (*on_host)(const float* a, float* b, size_t n) = nullptr;
};

const ScaleVariant variants[] = {
    {{"cpu", "one core", Needs::host}, nullptr, scale_on_one_core},
    {{"one-per-thread", "a thread per element and a test for the threads beyond the end"}, launch_scale_one_per_thread},
    {{"grid-stride", "a resident grid strides over the elements: few blocks to launch"}, launch_scale_grid_stride},
};

const Program program = {
    .name = "scale",
    .summary = "Doubles the elements of a vector: a benchmark.",
    .sizes = "16Mi",
    .variants = variants_of(variants),
};

// The input and output of one size.
struct Vectors {
    Vectors(size_t n, std::uint64_t seed) : h_a(n), h_b(n), d_a(n), d_b(n) {
        fill(h_a.data(), n, [=](size_t i) { return uniform<float>(seed, i); });
        CHECK(cudaMemcpy(d_a.data(), h_a.data(), d_a.bytes(), cudaMemcpyHostToDevice));
    }

    std::vector<float> h_a, h_b;
    DeviceBuffer<float> d_a, d_b;
};

// Doubling is exact, so that no error is allowed but what --tol asks for.
Verdict check_doubled(const Session& session, const Vectors& vectors) {
    return compare_elements(
        vectors.h_b.data(), vectors.h_b.size(), [&](size_t i) { return 2 * static_cast<long double>(vectors.h_a[i]); },
        [&](long double expected) { return std::max(session.options.tolerance, 0.0) * std::fabs(expected); });
}

Problem problem_of(const Vectors& vectors) {
    const size_t n = vectors.h_a.size();
    return {DType::f32, n, 2.0 * double(n) * sizeof(float), double(n)};
}

class ScaleOnHost final : public Case {
public:
    ScaleOnHost(const Session& session, const ScaleVariant& variant_, Vectors& vectors)
        : Case(variant_, problem_of(vectors)), session_(session), scale_(variant_.on_host), vectors_(vectors) {}

    void poison(cudaStream_t) override { std::fill(vectors_.h_b.begin(), vectors_.h_b.end(), -77.0f); }
    LaunchShape launch(cudaStream_t) override {
        scale_(vectors_.h_a.data(), vectors_.h_b.data(), problem.n);
        return {};
    }
    Verdict check() override { return check_doubled(session_, vectors_); }

private:
    const Session& session_;
    void (*const scale_)(const float* a, float* b, size_t n);
    Vectors& vectors_;
};

class ScaleOnDevice final : public Case {
public:
    ScaleOnDevice(const Session& session, const ScaleVariant& variant_, Vectors& vectors)
        : Case(variant_, problem_of(vectors)), session_(session), scale_(variant_.launch), vectors_(vectors) {}

    void poison(cudaStream_t stream) override {
        if (problem.n > 0) CHECK(cudaMemsetAsync(vectors_.d_b.data(), 0xa5, vectors_.d_b.bytes(), stream));
    }
    LaunchShape launch(cudaStream_t stream) override {
        return scale_({vectors_.d_a.data(), vectors_.d_b.data(), problem.n, session_.options.block,
                       unsigned(session_.device.multiprocessors), stream});
    }
    Verdict check() override {
        CHECK(cudaMemcpy(vectors_.h_b.data(), vectors_.d_b.data(), vectors_.d_b.bytes(), cudaMemcpyDeviceToHost));
        return check_doubled(session_, vectors_);
    }

private:
    const Session& session_;
    LaunchShape (*const scale_)(const ScaleArguments& arguments);
    Vectors& vectors_;
};

void run(Session& session) {
    Bench bench(session);
    for (size_t n : session.sizes()) {
        Vectors vectors(n, session.options.seed);
        Cases cases;
        for (const ScaleVariant* variant : session.selected<ScaleVariant>()) {
            if (variant->on_host) cases.push_back(std::make_unique<ScaleOnHost>(session, *variant, vectors));
            else cases.push_back(std::make_unique<ScaleOnDevice>(session, *variant, vectors));
        }
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)

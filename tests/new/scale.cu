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
Verdict check(const Session& session, const Vectors& vectors) {
    return compare_elements(
        vectors.h_b.data(), vectors.h_b.size(), [&](size_t i) { return 2 * static_cast<long double>(vectors.h_a[i]); },
        [&](long double expected) { return std::max(session.options.tolerance, 0.0) * std::fabs(expected); });
}

Case case_of(const Session& session, const ScaleVariant& variant, const std::shared_ptr<Vectors>& vectors) {
    const size_t n = vectors->h_a.size();
    Case one;
    one.variant = &variant;
    one.problem = {DType::f32, n, 2.0 * double(n) * sizeof(float), double(n)};
    if (variant.needs == Needs::host) {
        one.poison = [=](cudaStream_t) { std::fill_n(vectors->h_b.data(), n, -77.0f); };
        one.launch = [=, &variant](cudaStream_t) {
            variant.on_host(vectors->h_a.data(), vectors->h_b.data(), n);
            return LaunchShape{};
        };
        one.check = [=, &session] { return check(session, *vectors); };
        return one;
    }
    one.poison = [=](cudaStream_t stream) {
        if (n > 0) CHECK(cudaMemsetAsync(vectors->d_b.data(), 0xa5, vectors->d_b.bytes(), stream));
    };
    one.launch = [=, &session, &variant](cudaStream_t stream) {
        const unsigned multiprocessors = unsigned(session.device.multiprocessors);
        return variant.launch(
            {vectors->d_a.data(), vectors->d_b.data(), n, session.options.block, multiprocessors, stream});
    };
    one.check = [=, &session] {
        CHECK(cudaMemcpy(vectors->h_b.data(), vectors->d_b.data(), vectors->d_b.bytes(), cudaMemcpyDeviceToHost));
        return check(session, *vectors);
    };
    return one;
}

void run(Session& session) {
    Bench bench(session);
    for (size_t n : session.sizes()) {
        const auto vectors = std::make_shared<Vectors>(n, session.options.seed);
        std::vector<Case> cases;
        for (const ScaleVariant* variant : session.selected<ScaleVariant>())
            cases.push_back(case_of(session, *variant, vectors));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)

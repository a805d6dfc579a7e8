// SPDX-License-Identifier: MIT
// Forms of a product that a kernel does not support: matrices are transposed before or after its launch, and the
// products of a batch are launched one by one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/io/dtype.hpp"
#include "kernels/matmul/generic/transposed_copy.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

// A stream holds about a thousand launches before the host has to wait, and a product may take several.
constexpr size_t most_launched_one_by_one = 100;

// A plan that launches `plan` for each product; none if there are too many products.
inline Plan one_by_one(const ProductProblem& problem, Plan plan) {
    const size_t products = problem.form.products(), element_bytes = size_of(problem.dtype),
                 result_bytes = size_of(result_dtype(problem.dtype));
    if (products > most_launched_one_by_one) return {};
    plan.launch = [launch = std::move(plan.launch), element_bytes, result_bytes](MatmulArguments<void> arguments) {
        using Bytes = unsigned char;
        LaunchShape shape;
        for (size_t left = std::exchange(arguments.batch, 1); left > 0; --left) {
            shape = launch(arguments);
            arguments.d_a = static_cast<const Bytes*>(arguments.d_a) + arguments.stride_a * element_bytes;
            arguments.d_b = static_cast<const Bytes*>(arguments.d_b) + arguments.stride_b * element_bytes;
            arguments.d_c = static_cast<Bytes*>(arguments.d_c) + arguments.stride_c * result_bytes;
        }
        return shape;
    };
    constexpr double launch_ns = 3000;
    if (plan.ns > 0) plan.ns = double(products) * (plan.ns + launch_ns);
    plan.takes_batch = true;
    return plan;
}

// A way to bring a problem into a form that a kernel takes: matrices are copied, transposed, before or after the
// product, and operands may be exchanged, since C' = B' A'. The transpose of a vector has the same bytes, so that it is
// never copied.
struct Adaptation {
    bool is_exchanged = false;
    Transposes copied;  // of the product that the kernel computes
    Transposes stored;  // as the kernel takes them

    ProductProblem problem_of(const ProductProblem& given) const {
        ProductProblem problem = is_exchanged ? exchanged(given) : given;
        problem.form.transposed = stored;
        return problem;
    }
};

// The ways for a problem whose operands are not plain. Copies only make matrices plain. If the user names a tile, it is
// one of the product as it is given or of the exchanged one as it is stored.
inline std::vector<Adaptation> adaptations_of(const ProductProblem& problem) {
    const Transposes plain = plain_transposes(problem.dtype);
    const bool shares_b = problem.form.shares_b && problem.form.products() > 1;
    std::vector<Adaptation> ways;
    for (const bool is_exchanged : {false, true}) {
        if (is_exchanged && shares_b && problem.shape.m > 1) continue;  // kernels share no A
        const ProductProblem form = is_exchanged ? exchanged(problem) : problem;
        const auto [m, n, k] = form.shape;
        const Transposes& stored = form.form.transposed;
        for (const bool a : {false, true})
            for (const bool b : {false, true})
                for (const bool c : {false, true}) {
                    if ((a && stored.a == plain.a) || (b && stored.b == plain.b) || (c && stored.c == plain.c))
                        continue;
                    Adaptation way;
                    way.is_exchanged = is_exchanged;
                    way.stored = {a ? plain.a : stored.a, b ? plain.b : stored.b, c ? plain.c : stored.c};
                    way.copied = {a && m > 1 && k > 1, b && n > 1 && k > 1, c && m > 1 && n > 1};
                    const bool copies = way.copied.any() || way.copied.c;
                    if (is_exchanged && copies && !problem.forced_tile.empty()) continue;
                    ways.push_back(way);
                }
    }
    return ways;
}

// The copies' parts of the workspace.
struct TransposedCopies {
    size_t a_bytes = 0, b_bytes = 0, c_bytes = 0;
    size_t element_bytes, result_bytes;  // of A and B, and of C

    TransposedCopies(const ProductProblem& of, const Adaptation& way)
        : element_bytes(size_of(of.dtype)), result_bytes(size_of(result_dtype(of.dtype))) {
        const ProductProblem problem = way.problem_of(of);
        const ProductForm& form = problem.form;
        const ProductStrides strides = ProductStrides::aligned(problem.shape, form, element_bytes);
        const auto whole = [](size_t bytes) { return divide_up(bytes, 256) * 256; };
        if (way.copied.a) a_bytes = whole(form.products() * strides.a * element_bytes);
        if (way.copied.b) b_bytes = whole(elements_of_b(problem.shape, form, strides) * element_bytes);
        if (way.copied.c) c_bytes = whole(form.products() * strides.c * result_bytes);
    }
    size_t bytes() const { return a_bytes + b_bytes + c_bytes; }
    double ns(unsigned multiprocessors) const {
        constexpr double launch_ns = 3700;  // (this and the rate of a multiprocessor as measured on an H200)
        const auto of = [=](size_t bytes, size_t of_element) {
            const double rate = (of_element == 8 ? 14 : 2.5 * double(of_element)) * multiprocessors;  // bytes per ns
            return bytes == 0 ? 0 : launch_ns + double(bytes) / rate;
        };
        return of(a_bytes, element_bytes) + of(b_bytes, element_bytes) + of(c_bytes, result_bytes);
    }
};

// The plan for a problem, given the one for way.problem_of() it.
inline Plan adapted(const ProductProblem& problem, const Adaptation& way, const TransposedCopies& copies, Plan plan) {
    const bool shares_b = problem.form.shares_b;
    plan.launch = [launch = std::move(plan.launch), way, copies, shares_b](MatmulArguments<void> arguments) {
        if (way.is_exchanged) {
            std::swap(arguments.d_a, arguments.d_b);
            std::swap(arguments.stride_a, arguments.stride_b);
            std::swap(arguments.m, arguments.n);
        }
        auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
        const auto take = [&](size_t bytes) { return std::exchange(workspace, workspace + bytes); };
        const auto transpose = [&](const void* from, void* to, size_t rows, size_t columns, size_t matrices,
                                   size_t stride, size_t bytes) {
            enqueue_transposition(from, to, rows, columns, matrices, stride, bytes, arguments.multiprocessors,
                                  arguments.stream);
            return to;
        };
        const auto [m, n, k] = ProductShape{arguments.m, arguments.n, arguments.k};
        const auto& [a, b, c] = way.stored;
        if (way.copied.a)
            arguments.d_a = transpose(arguments.d_a, take(copies.a_bytes), a ? m : k, a ? k : m, arguments.batch,
                                      arguments.stride_a, copies.element_bytes);
        if (way.copied.b)
            arguments.d_b = transpose(arguments.d_b, take(copies.b_bytes), b ? k : n, b ? n : k,
                                      shares_b ? 1 : arguments.batch, arguments.stride_b, copies.element_bytes);
        void* const d_c = arguments.d_c;
        if (way.copied.c) arguments.d_c = take(copies.c_bytes);
        arguments.d_workspace = workspace;
        arguments.a_transposed = a, arguments.b_transposed = b, arguments.c_transposed = c;
        const LaunchShape shape = launch(arguments);
        if (way.copied.c)
            transpose(arguments.d_c, d_c, c ? n : m, c ? m : n, arguments.batch, arguments.stride_c,
                      copies.result_bytes);
        return shape;
    };
    plan.workspace_bytes += copies.bytes();
    if (plan.ns > 0) plan.ns += copies.ns(unsigned(problem.device->multiprocessors));
    plan.takes_transposed = true;
    plan.is_exchanged = way.is_exchanged;
    // The names are those of the user's product.
    const auto add = [&](bool is_copied, const char* name) {
        if (is_copied) plan.copied += (plan.copied.empty() ? "" : "+") + std::string(name);
    };
    add(way.is_exchanged ? way.copied.b : way.copied.a, "A");
    add(way.is_exchanged ? way.copied.a : way.copied.b, "B");
    add(way.copied.c, "C");
    return plan;
}

}  // namespace BACKEND

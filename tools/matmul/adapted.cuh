// Forms of a product that a kernel does not support: transposed operands are transposed before its launch, and the
// products of a batch are launched one by one.
#pragma once

#include <utility>

#include "common/io/dtype.hpp"
#include "kernels/matmul/transposed_copy.cuh"
#include "tools/matmul/method.cuh"
#include "tools/matmul/tile_cost.cuh"

namespace BACKEND {

// A stream holds about a thousand launches before the host has to wait, and a product may take several.
constexpr size_t most_launched_one_by_one = 100;

// A method that launches `method` for each product; none if there are too many products.
inline ProductMethod one_by_one(const ProductProblem& problem, ProductMethod method) {
    const size_t products = problem.form.products(), element_bytes = size_of(problem.dtype),
                 result_bytes = size_of(result_dtype(problem.dtype));
    if (products > most_launched_one_by_one) return {};
    method.launch = [launch = std::move(method.launch), element_bytes, result_bytes](MatmulArguments<void> arguments) {
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
    method.cycles *= double(products);
    method.takes_batch = method.one_by_one = true;
    return method;
}

// The layout in which every kernel takes operands: by rows; 8-bit floats along k, which is B by columns.
inline Transposes plain_transposes(DType dtype) { return {false, is_float8(dtype)}; }

// How operands in another layout become what every kernel takes. The transpose of a vector has the same bytes, so a
// product with one needs no copies: since C' = B' A', operands stored as B' and A' are multiplied in this order.
struct PlainOperands {
    Transposes plain;
    bool copies_a = false, copies_b = false, exchanged = false;

    explicit PlainOperands(const ProductProblem& problem) : plain(plain_transposes(problem.dtype)) {
        const auto [m, n, k] = problem.shape;
        copies_a = problem.form.transposed.a != plain.a && m > 1 && k > 1;
        copies_b = problem.form.transposed.b != plain.b && n > 1 && k > 1;
        exchanged = !plain.b && ((copies_a && n == 1) || (copies_b && m == 1));
        if (exchanged) copies_a = copies_b = false;
    }

    ProductProblem problem_of(ProductProblem problem) const {
        problem.form.transposed = plain;
        if (exchanged) std::swap(problem.shape.m, problem.shape.n);
        return problem;
    }
};

// The copies' part of the workspace.
struct TransposedCopies {
    size_t a_bytes = 0, b_bytes = 0;

    TransposedCopies(const ProductProblem& problem, const PlainOperands& plain) {
        const ProductForm& form = problem.form;
        const ProductStrides strides = ProductStrides::aligned(problem.shape, form, size_of(problem.dtype));
        const auto bytes = [&](size_t elements) { return divide_up(elements * size_of(problem.dtype), 256) * 256; };
        if (plain.copies_a) a_bytes = bytes(form.products() * strides.a);
        if (plain.copies_b) b_bytes = bytes(elements_of_b(problem.shape, form, strides));
    }
    size_t bytes() const { return a_bytes + b_bytes; }
    double cycles(unsigned multiprocessors) const {
        const auto of = [=](size_t bytes) {
            return bytes == 0
                       ? 0
                       : CopyingCost::launch_cycles + double(bytes) / (CopyingCost::bytes_per_cycle * multiprocessors);
        };
        return of(a_bytes) + of(b_bytes);
    }
};

// The method for a problem with transposed operands, given the one for plain.problem_of() it.
inline ProductMethod with_plain_operands(const ProductProblem& problem, const PlainOperands& plain,
                                         ProductMethod method) {
    const TransposedCopies copies(problem, plain);
    const size_t element_bytes = size_of(problem.dtype);
    const bool shares_b = problem.form.shares_b;
    method.launch = [launch = std::move(method.launch), plain, copies, element_bytes,
                     shares_b](MatmulArguments<void> arguments) {
        auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
        const auto transpose = [&](const void*& d_matrix, size_t rows, size_t columns, size_t matrices, size_t stride,
                                   size_t bytes) {
            enqueue_transposition(d_matrix, workspace, rows, columns, matrices, stride, element_bytes,
                                  arguments.multiprocessors, arguments.stream);
            d_matrix = workspace;
            workspace += bytes;
        };
        const auto [m, n, k] = ProductShape{arguments.m, arguments.n, arguments.k};
        if (plain.copies_a) transpose(arguments.d_a, k, m, arguments.batch, arguments.stride_a, copies.a_bytes);
        if (plain.copies_b)
            transpose(arguments.d_b, plain.plain.b ? k : n, plain.plain.b ? n : k, shares_b ? 1 : arguments.batch,
                      arguments.stride_b, copies.b_bytes);
        if (plain.exchanged) {
            std::swap(arguments.d_a, arguments.d_b);
            std::swap(arguments.stride_a, arguments.stride_b);
            std::swap(arguments.m, arguments.n);
        }
        arguments.d_workspace = workspace;
        arguments.a_transposed = plain.plain.a, arguments.b_transposed = plain.plain.b;
        return launch(arguments);
    };
    method.workspace_bytes += copies.bytes();
    if (method.cycles > 0) method.cycles += copies.cycles(unsigned(problem.device->multiprocessors));
    method.takes_transposed = true;
    return method;
}

}  // namespace BACKEND

// matmul as a filter: C = A B for two inputs, written in the format of the first.
#pragma once

#include "common/io/numbers.hpp"
#include "tools/matmul/product.cuh"

namespace BACKEND {

// The rows and columns of one operand: from its header, or from --shape.
inline std::pair<std::size_t, std::size_t> matrix_extents(const std::string& operand, const NumberLayout& layout,
                                                          std::size_t rows, std::size_t columns, bool given) {
    if (layout.format != NumberFormat::npy) {
        if (!given) fail(Exit::usage, "{} does not say its shape; give --shape MxNxK", operand);
        return {rows, columns};
    }
    const std::vector<std::size_t> extents = extents_of(layout.shape);
    if (extents.size() != 2)
        fail(Exit::bad_input, "{} has shape {}: a matrix has two dimensions", operand, layout.shape);
    if (given && (extents[0] != rows || extents[1] != columns))
        fail(Exit::bad_input, "{} has shape {}, --shape says ({}, {})", operand, layout.shape, rows, columns);
    return {extents[0], extents[1]};
}

// All numbers of an operand, as many as its shape promises.
inline Chunk read_matrix(NumberReader& reader, const std::string& operand, std::size_t rows, std::size_t columns) {
    std::size_t count = 0;
    if (__builtin_mul_overflow(rows, columns, &count))
        fail(Exit::bad_input, "{}: {} x {} elements are too many", operand, rows, columns);
    Chunk matrix = reader.read(count);
    const bool more = matrix.count == count && reader.layout().format != NumberFormat::npy && reader.read(1).count > 0;
    if (matrix.count != count || more)
        fail(Exit::bad_input, "{} has {} elements, {} x {} are {}", operand,
             more ? text("more than {}", count) : text("{}", matrix.count), rows, columns, count);
    return matrix;
}

// How numbers of a type lie in a file: tf32 as f32.
inline DType dtype_in_files(DType dtype) { return dtype == DType::tf32 ? DType::f32 : dtype; }

inline Chunk multiply(const Session& session, DType dtype, const ProductShape& shape, const Chunk& a, const Chunk& b) {
    const auto& variant = session.filter_variant<MatmulVariant>("fastest");
    ProductProblem problem = problem_on(session, dtype);
    problem.shape = shape;
    const ProductMethod method = find_method(variant, problem);
    if (!method.launch) {
        // Where no kernel takes f16, f32 gives the same: exact products, sums in f32, rounded at the end.
        if (dtype == DType::f16)
            return multiply(session, DType::f32, shape, a.converted_to(DType::f16), b.converted_to(DType::f16))
                .converted_to(DType::f16, Overflow::infinite);
        fail(Exit::unavailable, "{}: {}", variant.name, why_not(session.device, dtype));
    }
    DeviceProduct device(session, dtype, shape, method.workspace_bytes);
    Chunk c;
    c.dtype = dtype_in_files(dtype);
    device.upload(a.converted_to(c.dtype).bytes.data(), b.converted_to(c.dtype).bytes.data());
    device.launch(method, session, shape, nullptr);
    CHECK(cudaGetLastError());
    c.count = shape.m * shape.n;
    c.bytes.resize(device.c.bytes());
    device.download(c.bytes.data());
    return c;
}

// The type that an operand asks for: f32 and f16 as they lie in its file, f64 for all other types and for text.
inline DType wanted_dtype(const NumberReader& reader) {
    const NumberLayout& layout = reader.layout();
    if (layout.stored == DType::f16) return DType::f16;
    return layout.dtype == DType::f32 ? DType::f32 : DType::f64;
}

// How files are multiplied: as -t says, else as both of them want it.
inline DType product_dtype(const Session& session, const std::vector<std::string>& operands, DType a, DType b) {
    if (session.options.dtype) {
        if (session.dtype() == DType::bf16)
            fail(Exit::usage, "files are multiplied in f32, tf32, f16 or f64, not in {}", name_of(DType::bf16));
        return session.dtype();
    }
    if (a != b)
        fail(Exit::bad_input, "{} is {} and {} is {}: give -t f32 or -t f64 to convert both", operands[0], name_of(a),
             operands[1], name_of(b));
    return a;
}

inline void run_matmul_filter(Session& session) {
    const std::vector<std::string>& operands = session.options.operands;
    if (operands.size() != 2) fail(Exit::usage, "two operands are needed, A and B; {} was given", operands.size());
    if (operands[0] == "-" && operands[1] == "-") fail(Exit::usage, "only one of A and B can be standard input");
    const std::optional<ProductShape>& file_shape = session.own<MatmulOptions>().file_shape;
    const bool given = file_shape.has_value();
    const ProductShape typed = file_shape.value_or(ProductShape{});
    StepCount& count = session.begin_step(text("reading {} and {}", operands[0], operands[1]), StepUnit::bytes);
    const auto reader_a = in_row_order(NumberReader::open(operands[0], session.options.input_format, &count));
    const auto reader_b = in_row_order(NumberReader::open(operands[1], session.options.input_format, &count));
    const auto [m, k] = matrix_extents(operands[0], reader_a->layout(), typed.m, typed.k, given);
    const auto [rows_b, n] = matrix_extents(operands[1], reader_b->layout(), typed.k, typed.n, given);
    if (k != rows_b)
        fail(Exit::bad_input, "{} is {} x {} and {} is {} x {}: A's columns must be as many as B's rows", operands[0],
             m, k, operands[1], rows_b, n);
    const ProductShape shape = within_limits({m, n, k});
    const DType dtype = product_dtype(session, operands, wanted_dtype(*reader_a), wanted_dtype(*reader_b));
    const Chunk a = read_matrix(*reader_a, operands[0], m, k), b = read_matrix(*reader_b, operands[1], k, n);

    NumberLayout layout = reader_a->layout();
    layout.shape = text("({}, {})", m, n);
    layout.columns = n;
    NumberWriter writer(layout, session.options.format ? "matmul" : "");
    session.begin_step(text("multiplying {}", shape.name()));
    writer.append(multiply(session, dtype, shape, a, b));
    session.write(writer);
}

}  // namespace BACKEND

// matmul as a filter: C = A B for two inputs, written in the format of the first: B is in memory as a whole, A and C are
// so by some rows at a time.
#pragma once

#include <memory>
#include <string>
#include <utility>

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

// As many numbers of an operand as its shape promises. Its rows may be read in parts.
class Operand {
public:
    Operand(NumberReader& reader, const std::string& name, std::size_t rows, std::size_t columns)
        : reader_(reader), name_(name), rows_(rows), columns_(columns) {
        if (__builtin_mul_overflow(rows, columns, &count_))
            fail(Exit::bad_input, "{}: {} x {} elements are too many", name, rows, columns);
        if (reader.count() >= 0 && reader.count() != static_cast<long long>(count_))
            refuse_count(text("{}", reader.count()));
    }

    Chunk read(std::size_t rows) {
        const std::size_t wanted = std::min(rows * columns_, count_ - taken_);
        Chunk chunk = wanted > 0 ? reader_.read(wanted) : Chunk{reader_.layout().dtype, 0, {}};
        taken_ += chunk.count;
        if (chunk.count != wanted) refuse_count(text("{}", taken_));
        const bool may_go_on = taken_ == count_ && reader_.layout().format != NumberFormat::npy;
        if (may_go_on && reader_.read(1).count > 0) refuse_count(text("more than {}", count_));
        return chunk;
    }
    Chunk read_all() { return read(rows_); }

private:
    [[noreturn]] void refuse_count(const std::string& count) const {
        fail(Exit::bad_input, "{} has {} elements, {} x {} are {}", name_, count, rows_, columns_, count_);
    }

    NumberReader& reader_;
    const std::string& name_;
    const std::size_t rows_, columns_;
    std::size_t count_ = 0, taken_ = 0;
};

// How numbers of a type lie in a file: tf32 as f32.
inline DType dtype_in_files(DType dtype) { return dtype == DType::tf32 ? DType::f32 : dtype; }

// Products of some rows of A and the whole of B, which stays where they are computed.
class RowsTimesMatrix {
public:
    RowsTimesMatrix(const Session& session, DType dtype, const ProductShape& shape, Chunk b)
        : session_(session), variant_(session.filter_variant<MatmulVariant>("fastest")), dtype_(dtype), shape_(shape) {
        on_host_ = session.computes_on_host() && dtype != DType::tf32;
        // Where no kernel takes f16, f32 gives the same: exact products, sums in f32, rounded at the end.
        widens_f16_ = dtype == DType::f16 && (on_host_ || !find_method(variant_, problem_of(dtype)).launch);
        computed_ = widens_f16_ ? DType::f32 : dtype;
        b_ = typed(std::move(b));
    }

    // Rows for which an operation on B is worth its way to the cores, in a memory of 64 MiB.
    std::size_t rows_at_once() const {
        const std::size_t row_bytes = (shape_.k + shape_.n + 1) * size_of(computed_), least = 256;
        return std::max((std::size_t{64} << 20) / row_bytes / least * least, least);
    }

    Chunk multiply(Chunk rows_of_a, std::size_t rows) {
        shape_.m = rows;
        const Chunk a = typed(std::move(rows_of_a));
        Chunk c;
        c.dtype = dtype_in_files(computed_);
        c.count = shape_.m * shape_.n;
        c.bytes.resize(c.count * size_of(c.dtype));
        if (on_host_) multiply_on_host(computed_, shape_, a.bytes.data(), b_.bytes.data(), c.bytes.data());
        else multiply_on_device(a, c);
        return widens_f16_ ? c.converted_to(DType::f16, Overflow::infinite) : c;
    }

private:
    Chunk typed(Chunk matrix) const {
        if (widens_f16_) matrix = matrix.converted_to(DType::f16);
        const DType stored = dtype_in_files(computed_);
        return matrix.dtype == stored ? std::move(matrix) : matrix.converted_to(stored);
    }

    ProductProblem problem_of(DType dtype) const {
        ProductProblem problem = problem_on(session_, dtype);
        problem.shape = shape_;
        return problem;
    }

    void multiply_on_device(const Chunk& a, Chunk& c) {
        if (!device_ || prepared_rows_ != shape_.m) {
            method_ = find_method(variant_, problem_of(computed_));
            if (!method_.launch)
                fail(Exit::unavailable, "{}: {}", variant_.name, why_not(problem_of(computed_), false));
            device_.reset();
            device_ = std::make_unique<DeviceProduct>(session_, computed_, shape_, method_.workspace_bytes);
            device_->copier.to_device(device_->b.data(), b_.bytes.data(), device_->b.bytes());
            prepared_rows_ = shape_.m;
        }
        device_->copier.to_device(device_->a.data(), a.bytes.data(), device_->a.bytes());
        device_->launch(method_, session_, shape_, nullptr);
        CHECK(cudaGetLastError());
        device_->download(c.bytes.data());
    }

    const Session& session_;
    const MatmulVariant& variant_;
    DType dtype_, computed_;
    ProductShape shape_;
    Chunk b_;
    bool on_host_ = false, widens_f16_ = false;
    ProductMethod method_;
    std::unique_ptr<DeviceProduct> device_;
    std::size_t prepared_rows_ = 0;
};

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
    Operand a(*reader_a, operands[0], m, k), b(*reader_b, operands[1], k, n);
    RowsTimesMatrix product(session, dtype, shape, b.read_all());
    session.say_where_filters_compute();

    NumberLayout layout = reader_a->layout();
    layout.shape = text("({}, {})", m, n);
    layout.columns = n;
    NumberWriter writer(layout, session.options.format ? "matmul" : "", &session.output);
    std::size_t rows = 0;
    do {
        const std::size_t next = std::min(product.rows_at_once(), m - rows);
        writer.append(product.multiply(a.read(next), next));
        rows += next;
    } while (rows < m);
    session.write(writer);
}

}  // namespace BACKEND

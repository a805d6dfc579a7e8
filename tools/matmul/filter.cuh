// matmul as a filter: C = A B for two inputs, written in the format of the first: B is in memory as a whole, A and C
// are so by some rows at a time. Of a batch, some products are in memory.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "common/io/numbers.hpp"
#include "tools/matmul/operand.hpp"
#include "tools/matmul/product.cuh"

namespace BACKEND {

// How numbers of a type lie in a file: tf32 as f32.
inline DType dtype_in_files(DType dtype) { return dtype == DType::tf32 ? DType::f32 : dtype; }

// 8-bit floats as kernels take them: the reader has made f32 of them, each of which is such a number.
inline Chunk float8_of(const Chunk& chunk, DType dtype) {
    Chunk narrow = chunk.converted_to(dtype, Overflow::infinite);
    if (dtype == DType::e5m2)  // whose conversion does not give infinity
        for (std::size_t i = 0; i < chunk.count; ++i)
            if (std::isinf(chunk.as<float>()[i]))
                narrow.as<Float8E5M2>()[i].bits = chunk.as<float>()[i] > 0 ? 0x7c : 0xfc;
    return narrow;
}

// Products where filters compute. B stays there until there is another one.
class FilterProducts {
public:
    FilterProducts(const Session& session, DType dtype, const ProductShape& shape, const ProductForm& form)
        : session_(session),
          variant_(session.filter_variant<MatmulVariant>("fastest")),
          dtype_(dtype),
          shape_(shape),
          form_(form) {
        on_host_ = session.computes_on_host() && dtype != DType::tf32;
        // Where no kernel takes f16, f32 gives the same: exact products, sums in f32, rounded at the end. So it is with
        // 8-bit floats, of which every device has kernels.
        widens_ = (dtype == DType::f16 && (on_host_ || !find_method(variant_, problem_of(dtype)).launch)) ||
                  (is_float8(dtype) && on_host_);
        computed_ = widens_ ? DType::f32 : dtype;
        const auto& asked = session.own<MatmulOptions>();
        if (asked.scale_a > 0) scales_[0] = static_cast<float>(asked.scale_a);
        if (asked.scale_b > 0) scales_[1] = static_cast<float>(asked.scale_b);
    }

    // Rows for which an operation on B is worth its way to the cores, in a memory of 64 MiB.
    std::size_t rows_at_once() const {
        const std::size_t row_bytes = (shape_.k + shape_.n + 1) * size_of(computed_), least = 256;
        return std::max(memory / row_bytes / least * least, least);
    }
    // Products in that memory, one at least.
    std::size_t products_at_once() const {
        const double bytes = std::max(1.0, shape_.elements()) * double(size_of(computed_));
        return std::max<std::size_t>(1, static_cast<std::size_t>(double(memory) / bytes));
    }

    void set_b(Chunk b) {
        b_ = typed(std::move(b));
        b_is_on_device_ = false;
    }

    // The products of so many rows of A, or of so many matrices.
    Chunk multiply(Chunk chunk_of_a, std::size_t rows, std::optional<std::size_t> batch) {
        shape_.m = rows;
        form_.batch = batch;
        const Chunk a = typed(std::move(chunk_of_a));
        Chunk c;
        c.dtype = dtype_in_files(result_dtype(computed_));
        c.count = form_.products() * shape_.m * shape_.n;
        c.bytes.resize(c.count * size_of(c.dtype));
        if (on_host_) multiply_on_host(computed_, shape_, form_, a.bytes.data(), b_.bytes.data(), c.bytes.data());
        else multiply_on_device(a, c);
        if (is_float8(dtype_)) return float8_product(std::move(c));
        return widens_ ? c.converted_to(DType::f16, Overflow::infinite) : c;
    }

private:
    static constexpr std::size_t memory = std::size_t{64} << 20;

    Chunk typed(Chunk matrix) const {
        if (widens_ && dtype_ == DType::f16) matrix = matrix.converted_to(DType::f16);
        if (is_float8(computed_)) return float8_of(matrix, computed_);
        const DType stored = dtype_in_files(computed_);
        return matrix.dtype == stored ? std::move(matrix) : matrix.converted_to(stored);
    }

    // In bf16 everywhere, as kernels have it, and f32 in files: NumPy has no bf16.
    Chunk float8_product(Chunk c) const {
        if (on_host_)
            for (std::size_t i = 0; i < c.count; ++i) c.as<float>()[i] *= scales_[0] * scales_[1];
        return c.converted_to(DType::bf16, Overflow::infinite).converted_to(DType::f32);
    }

    ProductProblem problem_of(DType dtype) const {
        ProductProblem problem = problem_on(session_, session_.device, dtype);
        problem.shape = shape_;
        problem.form = form_;
        return problem;
    }

    void multiply_on_device(const Chunk& a, Chunk& c) {
        if (!device_ || device_->shape.m != shape_.m || device_->form.products() != form_.products()) {
            method_ = find_method(variant_, problem_of(computed_));
            if (!method_.launch)
                fail(Exit::unavailable, "{}: {}", variant_.name, why_not(problem_of(computed_), variant_));
            device_.reset();
            device_ = std::make_unique<DeviceProduct>(session_, computed_, shape_, form_, method_.workspace_bytes);
            if (is_float8(computed_)) device_->upload_scales(scales_);
            b_is_on_device_ = false;
        }
        if (!b_is_on_device_) device_->upload_dense_b(b_.bytes.data());
        b_is_on_device_ = true;
        device_->upload_dense_a(a.bytes.data());
        device_->launch(method_, session_, nullptr);
        CHECK(cudaGetLastError());
        device_->download_dense_c(c.bytes.data());
    }

    const Session& session_;
    const MatmulVariant& variant_;
    DType dtype_, computed_;
    ProductShape shape_;
    ProductForm form_;
    Chunk b_;
    float scales_[2] = {1, 1};  // of 8-bit floats
    bool on_host_ = false, widens_ = false, b_is_on_device_ = false;
    ProductMethod method_;
    std::unique_ptr<DeviceProduct> device_;
};

// The type that an operand asks for: f32, f16 and 8-bit floats as they lie in its file, f64 for all other types and for
// text.
inline DType wanted_dtype(const NumberReader& reader) {
    const NumberLayout& layout = reader.layout();
    if (layout.stored == DType::f16 || is_float8(layout.stored)) return layout.stored;
    return layout.dtype == DType::f32 ? DType::f32 : DType::f64;
}

// How files are multiplied: as -t says, else as both of them want it.
inline DType product_dtype(const Session& session, const std::vector<std::string>& operands, DType a, DType b) {
    if (session.options.dtype) {
        if (session.dtype() == DType::bf16)
            fail(Exit::usage, "files are multiplied in f32, tf32, f16, f64 or, of raw data, e4m3 or e5m2, not in {}",
                 name_of(DType::bf16));
        const DType asked = session.dtype();
        if (is_float8(asked) && (a != asked || b != asked))
            fail(Exit::usage, "files are multiplied in {} if they hold such numbers: give --input-format raw:{}",
                 name_of(asked), name_of(asked));
        return session.dtype();
    }
    if (a != b)
        fail(Exit::bad_input, "{} is {} and {} is {}: give -t f32 or -t f64 to convert both", operands[0], name_of(a),
             operands[1], name_of(b));
    return a;
}

// The columns [first, first + columns) of a matrix of so many rows, which may be the whole matrix: then it moves.
inline Chunk columns_of(Chunk& matrix, std::size_t rows, std::size_t first, std::size_t columns) {
    if (rows * columns == matrix.count) return std::move(matrix);
    const std::size_t size = size_of(matrix.dtype), row_bytes = matrix.bytes.size() / std::max<std::size_t>(1, rows);
    Chunk part{matrix.dtype, rows * columns, {}};
    part.bytes.resize(part.count * size);
    for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(&part.bytes[row * columns * size], &matrix.bytes[row * row_bytes + first * size], columns * size);
    return part;
}

// The product of two matrices, some rows at a time; of a transposed A, which is read as a whole, some columns.
inline void multiply_by_rows(FilterProducts& products, Operand& a, std::size_t m, std::size_t k, bool a_transposed,
                             NumberWriter& writer) {
    Chunk whole_a = a_transposed ? a.read_all() : Chunk{};
    std::size_t rows = 0;
    do {
        const std::size_t next = std::min(products.rows_at_once(), m - rows);
        Chunk part = a_transposed ? columns_of(whole_a, k, rows, next) : a.read(next);
        writer.append(products.multiply(std::move(part), next, std::nullopt));
        rows += next;
    } while (rows < m);
}

// Some products of a batch at a time.
inline void multiply_by_products(FilterProducts& products, Operand& a, Operand& b, const ProductShape& shape,
                                 const ProductForm& form, NumberWriter& writer) {
    const std::size_t rows_of_a = form.transposed.a ? shape.k : shape.m,
                      rows_of_b = form.transposed.b ? shape.n : shape.k;
    std::size_t done = 0;
    if (form.shares_b) products.set_b(b.read_all());
    do {
        const std::size_t next = std::min(products.products_at_once(), form.products() - done);
        Chunk some_a = a.read(next * rows_of_a);
        if (!form.shares_b) products.set_b(b.read(next * rows_of_b));
        writer.append(products.multiply(std::move(some_a), shape.m, next));
        done += next;
    } while (done < form.products());
}

inline void run_matmul_filter(Session& session) {
    const std::vector<std::string>& names = session.options.operands;
    if (names.size() != 2) fail(Exit::usage, "two operands are needed, A and B; {} was given", names.size());
    const auto& asked = session.own<MatmulOptions>();
    const ProductShape typed = asked.file_shape.value_or(ProductShape{});
    const bool given = asked.file_shape.has_value();
    StepCount& count = session.begin_step(text("reading {} and {}", names[0], names[1]), StepUnit::bytes);
    const auto reader_a = open_operand(names[0], session.options.input_format, &count);
    const auto reader_b = open_operand(names[1], session.options.input_format, &count);
    const OperandShape a = operand_shape(names[0], reader_a->layout(),
                                         {asked.form.transposed.a, asked.form.batch, given, typed.m, typed.k});
    const OperandShape b = operand_shape(names[1], reader_b->layout(),
                                         {asked.form.transposed.b, asked.form.batch, given, typed.k, typed.n});
    ProductForm form = form_of(names, a, b, asked.form.batch);
    const ProductShape shape = within_limits({a.rows, b.columns, a.columns});
    const DType dtype = product_dtype(session, names, wanted_dtype(*reader_a), wanted_dtype(*reader_b));
    if ((asked.scale_a > 0 || asked.scale_b > 0) && !is_float8(dtype))
        fail(Exit::usage, "--scale-a and --scale-b are for 8-bit floats; give --input-format raw:e4m3 or raw:e5m2");
    const std::size_t products = form.products(), products_b = form.shares_b ? 1 : products;
    Operand operand_a(*reader_a, names[0], products * (a.transposed ? shape.k : shape.m),
                      a.transposed ? shape.m : shape.k),
        operand_b(*reader_b, names[1], products_b * (b.transposed ? shape.n : shape.k),
                  b.transposed ? shape.k : shape.n);
    NumberLayout layout = reader_a->layout();
    layout.fortran_order = false;
    layout.shape = form.batch ? shape_text({products, shape.m, shape.n}) : shape_text({shape.m, shape.n});
    layout.columns = shape.n;
    NumberWriter writer(layout, session.options.format ? "matmul" : "", &session.output);

    // One B for a whole batch multiplies all rows of all A.
    const bool by_rows = !form.batch || (form.shares_b && !a.transposed);
    if (by_rows) form.batch.reset(), form.shares_b = false;
    FilterProducts multiplier(session, dtype, shape, form);
    if (by_rows) multiplier.set_b(operand_b.read_all());
    session.say_where_filters_compute();
    if (by_rows) multiply_by_rows(multiplier, operand_a, products * shape.m, shape.k, a.transposed, writer);
    else multiply_by_products(multiplier, operand_a, operand_b, shape, form, writer);
    session.write(writer);
}

}  // namespace BACKEND

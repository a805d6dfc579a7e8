// SPDX-License-Identifier: MIT
// matmul as a filter: C = A B for two inputs, written in the format of the first. B is in memory as a whole, A and C
// only some rows at a time; of a batch, only some products.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "tools/matmul/filter_parts.cuh"
#include "tools/matmul/operand.hpp"

namespace BACKEND {

// The type that an operand asks for: that of its file for f32, f16 and 8-bit floats, f64 for all other types and for
// text.
inline DType wanted_dtype(const NumberReader& reader) {
    const NumberLayout& layout = reader.layout();
    if (layout.stored == DType::f16 || is_float8(layout.stored)) return layout.stored;
    return layout.dtype == DType::f32 ? DType::f32 : DType::f64;
}

// The type in which files are multiplied: that of -t, else the one that both ask for.
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

    // With one B for a whole batch, the rows of all A are one long A.
    const bool by_rows = !form.batch || (form.shares_b && !a.transposed);
    if (by_rows) form.batch.reset(), form.shares_b = false;
    ProductParts parts(session, dtype, shape, form, operand_a, operand_b);
    session.say_where_filters_compute();
    if (by_rows) parts.multiply_rows(products * shape.m, writer);
    else parts.multiply_batch(writer);
    session.write(writer);
}

}  // namespace BACKEND

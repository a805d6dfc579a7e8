// SPDX-License-Identifier: MIT
// transpose as a filter: reads a matrix from a file or standard input, and writes its transpose in the same format.
// Elements of .npy and raw data are moved as they are stored, whatever their type.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "tools/transpose/panels.cuh"

namespace BACKEND {

// Reads all elements, but no more than one beyond `wanted`.
inline StoredMatrix read_all(NumberReader& reader, size_t wanted) {
    Chunk all = reader.read(wanted < largest_size ? wanted + 1 : largest_size);
    const size_t element_bytes = reader.element_bytes(all.dtype);
    return {reader.layout(), {}, element_bytes, all.dtype, nullptr, std::move(all.bytes)};
}

// The extents of a .npy header: "(3, 4)". A vector is a row.
inline MatrixShape shape_of_header(const std::string& operand, const std::string& shape) {
    const std::vector<size_t> extents = extents_of(shape);
    if (extents.size() == 1) return {1, extents[0]};
    if (extents.size() != 2) fail(Exit::bad_input, "{} has shape {}: a matrix has two dimensions", operand, shape);
    return {extents[0], extents[1]};
}

// The shape by the header, by --shape, or by the lines of text.
inline MatrixShape shape_of(const std::string& operand, const NumberLayout& layout, size_t count,
                            const std::optional<MatrixShape>& typed) {
    MatrixShape shape;
    if (layout.format == NumberFormat::npy) shape = shape_of_header(operand, layout.shape);
    else if (typed) shape = *typed;
    else if (layout.format == NumberFormat::raw)
        fail(Exit::usage, "{} does not say its shape; give --shape ROWSxCOLUMNS", operand);
    else if (layout.columns == 0)
        fail(Exit::bad_input, "{}: its lines have different counts of numbers; give --shape ROWSxCOLUMNS", operand);
    else shape = {count / layout.columns, layout.columns};
    if (typed && (typed->rows != shape.rows || typed->columns != shape.columns))
        fail(Exit::bad_input, "{} has shape {}, --shape says {}", operand, shape.name(), typed->name());
    if (shape.elements() != count)
        fail(Exit::bad_input, "{} has {} elements, --shape {} needs {}", operand,
             count > shape.elements() ? text("more than {}", shape.elements()) : text("{}", count), shape.name(),
             shape.elements());
    return shape;
}

inline StoredMatrix read_matrix(Session& session, const std::string& operand) {
    // JSON shows numbers.
    const Elements elements_kind = session.options.format ? Elements::numbers : Elements::as_stored;
    StepCount& count = session.begin_step(text("reading {}", operand), StepUnit::bytes);
    const std::shared_ptr<NumberReader> reader =
        NumberReader::open(operand, session.options.input_format, &count, elements_kind);
    const std::optional<MatrixShape>& typed = session.own<TransposeOptions>().file_shape;
    StoredMatrix matrix;
    size_t elements = 0;
    if (reader->count() >= 0 && elements_kind == Elements::as_stored) {
        elements = static_cast<size_t>(reader->count());
        matrix = {reader->layout(), {}, reader->layout().stored_bytes, DType::i8, reader, {}};
    } else {
        matrix = read_all(*reader, typed ? typed->elements() : largest_size);
        elements = matrix.bytes.size() / matrix.element_bytes;
    }
    matrix.shape = shape_of(operand, matrix.layout, elements, typed);
    if (matrix.layout.fortran_order) std::swap(matrix.shape.rows, matrix.shape.columns);
    return matrix;
}

inline void run_transpose_filter(Session& session) {
    const std::string& operand = session.options.operands.front();
    if (session.options.dtype)
        fail(Exit::usage, "--dtype is for benchmarks: elements of {} are moved as they are", operand);
    transposing_variant(session);  // wrong ones are refused before anything is read
    const bool to_fortran_order = session.own<TransposeOptions>().fortran_order;
    StoredMatrix matrix = read_matrix(session, operand);
    if (to_fortran_order && (session.options.format || matrix.layout.format == NumberFormat::text))
        fail(Exit::usage, "--order is for .npy and raw data: text has rows");
    const bool moves = matrix.layout.fortran_order == to_fortran_order;
    if (!moves) refuse_kernel(session, text("the elements of {} are copied as they are", operand));
    // As NumPy names it: the bytes of a matrix of rows x columns are those of its transpose in the other order.
    const size_t rows = matrix.layout.fortran_order ? matrix.shape.columns : matrix.shape.rows;
    const size_t columns = matrix.layout.fortran_order ? matrix.shape.rows : matrix.shape.columns;
    matrix.layout.shape = text("({}, {})", columns, rows);
    matrix.layout.fortran_order = to_fortran_order;
    matrix.layout.columns = rows;
    matrix.layout.empty_rows = rows == 0 ? columns : 0;
    session.say_where_filters_compute();
    session.begin_step(text("transposing {}", matrix.shape.name()));
    NumberWriter writer(matrix.layout, session.options.format ? "transpose" : "", &session.output);
    // Stored elements are passed on as numbers of one byte, none of which is printed.
    const bool as_stored = matrix.layout.stored_bytes > 0;
    const DType dtype = as_stored ? DType::i8 : matrix.dtype;
    const size_t numbers_per_element = as_stored ? matrix.element_bytes : 1;
    const auto write = [&](std::byte* bytes, size_t count) {
        writer.append(Piece{dtype, count * numbers_per_element, bytes});
    };
    if (moves) transpose_in_panels(session, matrix, write);
    else copy_in_parts(session, matrix, write);
    if (matrix.shape.elements() == 0) write(nullptr, 0);
    session.write(writer);
}

}  // namespace BACKEND

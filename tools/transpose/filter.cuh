// transpose as a filter: a matrix from a file or standard input, its transpose in the same format. Elements of .npy and
// raw data are moved as they are stored, of whatever type they are.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/staged_copy.cuh"
#include "common/io/numbers.hpp"
#include "tools/transpose/table.cuh"

namespace BACKEND {

// All elements of an input.
struct StoredMatrix {
    NumberLayout layout;
    MatrixShape shape;
    size_t element_bytes = 0;
    DType dtype = DType::f32;  // of numbers that are text, or will be JSON
    std::vector<std::byte> bytes;
};

// All of them, or one more than `wanted`.
inline StoredMatrix read_all(NumberReader& reader, size_t wanted) {
    constexpr size_t most = size_t{1} << 24;
    Chunk all = reader.read(most);
    const auto element_bytes = [&] {
        const size_t stored_bytes = reader.layout().stored_bytes;
        return stored_bytes > 0 ? stored_bytes : size_of(all.dtype);
    };
    all.bytes.resize(all.count * element_bytes());  // text may have room for more
    for (Chunk more; all.count <= wanted && (more = reader.read(most)).count > 0;) {
        if (all.dtype != more.dtype) all = all.converted_to(more.dtype);  // text that has fractions from here on
        const auto end = more.bytes.begin() + static_cast<std::ptrdiff_t>(more.count * element_bytes());
        all.bytes.insert(all.bytes.end(), more.bytes.begin(), end);
        all.count += more.count;
    }
    return {reader.layout(), {}, element_bytes(), all.dtype, std::move(all.bytes)};
}

// The extents of a .npy header: "(3, 4)". A vector is a row.
inline MatrixShape shape_of_header(const std::string& operand, const std::string& shape) {
    const std::vector<size_t> extents = extents_of(shape);
    if (extents.size() == 1) return {1, extents[0]};
    if (extents.size() != 2) fail(Exit::bad_input, "{} has shape {}: a matrix has two dimensions", operand, shape);
    return {extents[0], extents[1]};
}

// From the header, from --shape, or from the lines of text.
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
    const Elements elements = session.options.format ? Elements::numbers : Elements::as_stored;
    StepCount& count = session.begin_step(text("reading {}", operand), StepUnit::bytes);
    const auto reader = NumberReader::open(operand, session.options.input_format, &count, elements);
    const std::optional<MatrixShape>& typed = session.own<TransposeOptions>().file_shape;
    StoredMatrix matrix = read_all(*reader, typed ? typed->elements() : largest_size);
    matrix.shape = shape_of(operand, matrix.layout, matrix.bytes.size() / matrix.element_bytes, typed);
    return matrix;
}

// Transposes `rows` rows of the host's matrix at a time: two such panels fit the device next to whatever else is there.
template <typename Word>
void transpose_in_panels(const Session& session, const MatrixShape& shape, const std::byte* input, std::byte* output) {
    const size_t panel_bytes = size_t{session.device.simulated ? 64U : 1024U} << 20;
    const auto& variant = session.filter_variant<TransposeVariant>("fastest");
    if (variant.result != Result::transpose)
        fail(Exit::usage, "{} makes no transpose beside its input; choose another kernel", variant.name);
    const auto launch = variant.on_device<Word>();
    if (!launch)
        fail(Exit::unavailable,
             "{}: cuBLAS is not installed, does not start, or has no function for elements of {} bytes; choose "
             "another kernel",
             variant.name, sizeof(Word));
    if (shape.elements() == 0) return;
    const size_t row_bytes = shape.columns * sizeof(Word), output_row_bytes = shape.rows * sizeof(Word);
    const size_t most_rows = std::min(shape.rows, std::max<size_t>(panel_bytes / row_bytes, 1));
    const DeviceBuffer<Word> d_input(most_rows * shape.columns), d_output(most_rows * shape.columns);
    StagedCopier copier;
    std::vector<std::byte> panel;
    for (size_t first = 0; first < shape.rows; first += most_rows) {
        const size_t rows = std::min(most_rows, shape.rows - first), bytes = rows * row_bytes;
        copier.to_device(d_input.data(), input + first * row_bytes, bytes);
        launch({d_input.data(), d_output.data(), rows, shape.columns, session.options.block, nullptr});
        CHECK(cudaGetLastError());
        if (rows == shape.rows) return copier.to_host(output, d_output.data(), bytes);
        // (Not cudaMemcpy2D, whose pitch ends below 2 GiB.)
        panel.resize(bytes);
        copier.to_host(panel.data(), d_output.data(), bytes);
        for (size_t column = 0; column < shape.columns; ++column)
            std::copy_n(panel.data() + column * rows * sizeof(Word), rows * sizeof(Word),
                        output + column * output_row_bytes + first * sizeof(Word));
    }
}

// Elements of other sizes, such as strings, are moved on the host.
inline void transpose_elements(const MatrixShape& shape, size_t bytes, const std::byte* input, std::byte* output) {
    for (size_t row = 0; row < shape.rows; ++row)
        for (size_t column = 0; column < shape.columns; ++column)
            std::copy_n(input + (row * shape.columns + column) * bytes, bytes,
                        output + (column * shape.rows + row) * bytes);
}

// Where the file is in the other order than the result, the bytes are already right.
inline std::vector<std::byte> transposed(const Session& session, const StoredMatrix& matrix, bool to_fortran_order) {
    const bool from_fortran_order = matrix.layout.fortran_order;
    if (from_fortran_order != to_fortran_order) return matrix.bytes;
    MatrixShape shape = matrix.shape;
    if (from_fortran_order) std::swap(shape.rows, shape.columns);  // as its bytes lie
    std::vector<std::byte> result(matrix.bytes.size());
    const std::byte* const input = matrix.bytes.data();
    std::byte* const output = result.data();
    switch (matrix.element_bytes) {
        case 1: transpose_in_panels<std::uint8_t>(session, shape, input, output); break;
        case 2: transpose_in_panels<std::uint16_t>(session, shape, input, output); break;
        case 4: transpose_in_panels<std::uint32_t>(session, shape, input, output); break;
        case 8: transpose_in_panels<std::uint64_t>(session, shape, input, output); break;
        case 16: transpose_in_panels<uint4>(session, shape, input, output); break;
        default: transpose_elements(shape, matrix.element_bytes, input, output);
    }
    return result;
}

inline void run_transpose_filter(Session& session) {
    const std::string& operand = session.options.operands.front();
    if (session.options.dtype)
        fail(Exit::usage, "--dtype is for benchmarks: elements of {} are moved as they are", operand);
    const bool to_fortran_order = session.own<TransposeOptions>().fortran_order;
    StoredMatrix matrix = read_matrix(session, operand);
    if (to_fortran_order && (session.options.format || matrix.layout.format == NumberFormat::text))
        fail(Exit::usage, "--order is for .npy and raw data: text has rows");
    session.begin_step(text("transposing {}", matrix.shape.name()));
    Chunk result;
    result.bytes = transposed(session, matrix, to_fortran_order);
    const bool as_stored =
        matrix.layout.stored_bytes > 0;  // bytes are numbers of one byte, of which nothing is printed
    result.dtype = as_stored ? DType::i8 : matrix.dtype;
    result.count = result.bytes.size() / size_of(result.dtype);
    session.end_step();
    matrix.layout.shape = text("({}, {})", matrix.shape.columns, matrix.shape.rows);
    matrix.layout.fortran_order = to_fortran_order;
    matrix.layout.columns = matrix.shape.rows;
    NumberWriter writer(matrix.layout, session.options.format ? "transpose" : "");
    writer.append(result);
    session.write(writer);
}

}  // namespace BACKEND

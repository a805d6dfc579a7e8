// SPDX-License-Identifier: MIT
// reduce --axis as a filter: reads a .npy file of a matrix, and writes one with a result for each row or column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/machine.hpp"
#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "tools/reduce/axis.cuh"

namespace BACKEND {

class AxisFilter {
public:
    explicit AxisFilter(Session& session)
        : session_(session), asked_(session.own<ReduceOptions>()), operation_(asked_.operations.front()) {}

    void run(const std::string& path) {
        refuse_options();
        const std::string input = input_name(path);
        const auto reader = NumberReader::open(path, session_.options.input_format,
                                               &session_.begin_step("reading " + input, StepUnit::bytes));
        const NumberLayout& layout = reader->layout();
        std::vector<size_t> extents;
        if (layout.format == NumberFormat::npy) extents = extents_of(layout.shape);
        if (extents.size() != 2)
            fail(Exit::bad_input, "{}: --axis is for a .npy file of two dimensions, and this {}", input,
                 layout.format == NumberFormat::npy ? "has the shape " + layout.shape : "is none");
        expect_enough(input, asked_.operations, extents[*asked_.axis]);
        session_.say_where_filters_compute();
        // In column-major order the file has the rows of the transposed matrix.
        const bool transposed = layout.fortran_order;
        const size_t rows = extents[transposed ? 1 : 0], columns = extents[transposed ? 0 : 1];
        const bool lines_are_rows = (*asked_.axis == 1) != transposed;
        with_dtype(session_.options.dtype.value_or(layout.dtype), [&](auto zero) {
            using T = decltype(zero);
            if (!lines_are_rows && rows > 0) expect_memory_for(input, columns, sizeof(Summary<T>));
            const DType dtype = dtype_of_results<T>();
            NumberLayout result;
            result.format = NumberFormat::npy;
            result.dtype = result.stored = dtype;
            result.shape = text("({},)", lines_are_rows ? rows : columns);
            NumberWriter writer(result, session_.options.format ? "reduce" : "", &session_.output);
            LineTotals<T> totals(operation_, rows, columns, lines_are_rows,
                                 [&](const LineResults& results) { append(results, dtype, writer); });
            if (rows > 0 && columns > 0)
                LineReduction<T>(session_, *reader, totals, operation_, columns, lines_are_rows).run();
            else static_cast<void>(reader->read(1));  // an error if there is data after all
            totals.finish();
            session_.write(writer);
        });
    }

private:
    void refuse_options() const {
        if (asked_.operations.size() > 1)
            fail(Exit::usage, "--axis takes one operation, not {}", names_of(asked_.operations, ","));
        if (asked_.accuracy == Accuracy::exact && is_of_sum(operation_))
            fail(Exit::usage, "--exact is for the sum of all numbers; sums of an --axis are those of --accurate");
        if (!session_.options.kernels.empty()) fail(Exit::usage, "--axis has a method of its own: leave --kernel out");
    }

    // A header may promise anything, and the system grants memory that it does not have until it is used.
    static void expect_memory_for(const std::string& input, size_t columns, size_t column_bytes) {
        const double needed = double(columns) * double(column_bytes), available = double(available_memory());
        if (needed > available)
            fail(Exit::bad_input, "{}: {} columns need {}, but {} of memory are available", input, columns,
                 human_bytes(needed), human_bytes(available));
    }

    // Sums and extremes have the numbers' type, or i64 for integers.
    template <typename T>
    DType dtype_of_results() const {
        if (is_integer_result<T>(operation_)) return DType::i64;
        const bool keeps_type =
            is_of_sum(operation_) ? operation_ == ReduceOperation::sum : wanted_for(operation_) == wants_extremes;
        return keeps_type && dtype_of<T> == DType::f32 ? DType::f32 : DType::f64;
    }

    static void append(const LineResults& results, DType dtype, NumberWriter& writer) {
        const bool is_integer = dtype == DType::i64;
        const void* values = is_integer ? static_cast<const void*>(results.integer.data()) : results.real.data();
        Chunk chunk{is_integer ? DType::i64 : DType::f64, results.count(), {}};
        const auto* const bytes = static_cast<const std::byte*>(values);
        chunk.bytes.assign(bytes, bytes + results.count() * size_of(chunk.dtype));
        writer.append(chunk.converted_to(dtype));
    }

    Session& session_;
    const ReduceOptions& asked_;
    const ReduceOperation operation_;
};

}  // namespace BACKEND

// reduce --axis as a filter: a .npy file of a matrix comes in, and one of its rows' or columns' results goes out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/numbers.hpp"
#include "tools/reduce/axis.cuh"

namespace BACKEND {

class AxisFilter {
public:
    explicit AxisFilter(Session& session)
        : session_(session), asked_(session.own<ReduceOptions>()), operation_(asked_.operations.front()) {}

    void run(const std::string& path) {
        refuse_options();
        const std::string input = path == "-" ? "standard input" : path;
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
            LineTotals<T> totals(operation_, rows, columns, lines_are_rows);
            if (columns > 0) LineReduction<T>(session_, *reader, totals, operation_, columns, lines_are_rows).run();
            write(dtype_of<T>, is_integer_result<T>(operation_), totals.finish());
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

    // Sums and extremes have the type of the numbers, of integers i64.
    void write(DType dtype, bool is_integer, const LineResults& results) {
        session_.end_step();
        const DType computed = is_integer ? DType::i64 : DType::f64;
        const bool keeps_type =
            is_of_sum(operation_) ? operation_ == ReduceOperation::sum : wanted_for(operation_) == wants_extremes;
        const size_t n = is_integer ? results.integer.size() : results.real.size();
        const void* values = is_integer ? static_cast<const void*>(results.integer.data()) : results.real.data();
        Chunk chunk{computed, n, std::vector<std::byte>(n * size_of(computed))};
        if (n > 0) std::memcpy(chunk.bytes.data(), values, chunk.bytes.size());
        if (dtype == DType::f32 && keeps_type && !is_integer) chunk = chunk.converted_to(DType::f32);
        NumberLayout layout;
        layout.format = NumberFormat::npy;
        layout.dtype = layout.stored = chunk.dtype;
        layout.shape = text("({},)", n);
        NumberWriter writer(layout, session_.options.format ? "reduce" : "");
        writer.append(chunk);
        session_.write(writer);
    }

    Session& session_;
    const ReduceOptions& asked_;
    const ReduceOperation operation_;
};

}  // namespace BACKEND

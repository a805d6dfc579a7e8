// SPDX-License-Identifier: MIT
// The operands of matmul as a filter: their shapes, by their headers and the options, and their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/io/failure.hpp"
#include "common/io/number_reader.hpp"
#include "tools/matmul/options.hpp"

// The shape of an operand: a matrix of rows x columns or a batch of these, and whether it is stored transposed.
struct OperandShape {
    std::optional<std::size_t> batch;
    std::size_t rows = 0, columns = 0;
    bool transposed = false;

    std::string name() const {
        return batch ? text("{} times {} x {}", *batch, rows, columns) : text("{} x {}", rows, columns);
    }
};

// What the options say of an operand: --transpose, --batch, and its rows and columns by --shape.
struct OperandOptions {
    bool transposed = false;
    std::optional<std::size_t> batch;
    bool given = false;
    std::size_t rows = 0, columns = 0;
};

inline std::string shape_text(const std::vector<std::size_t>& extents) {
    std::string list;
    for (std::size_t extent : extents) list += (list.empty() ? "" : ", ") + std::to_string(extent);
    return "(" + list + ")";
}

// The shape by the operand's header, or by the options. A matrix in Fortran order counts as stored transposed, so its
// elements need not be moved. (A batch in that order is put into row order by its reader.)
inline OperandShape operand_shape(const std::string& operand, const NumberLayout& layout, const OperandOptions& asked) {
    if (layout.format != NumberFormat::npy) {
        if (!asked.given) fail(Exit::usage, "{} does not say its shape; give --shape MxNxK", operand);
        return {asked.batch, asked.rows, asked.columns, asked.transposed};
    }
    std::vector<std::size_t> extents = extents_of(layout.shape);
    if (extents.size() != 2 && extents.size() != 3)
        fail(Exit::bad_input, "{} has shape {}: a matrix has two dimensions, a batch of them three", operand,
             layout.shape);
    OperandShape shape;
    if (extents.size() == 3) {
        shape.batch = extents[0];
        extents.erase(extents.begin());
        if (asked.batch && *asked.batch != *shape.batch)
            fail(Exit::bad_input, "{} has shape {}: that is a batch of {}, --batch says {}", operand, layout.shape,
                 *shape.batch, *asked.batch);
    }
    if (asked.transposed) std::swap(extents[0], extents[1]);
    shape.rows = extents[0], shape.columns = extents[1];
    shape.transposed = asked.transposed != (layout.fortran_order && !shape.batch);
    if (asked.given && (shape.rows != asked.rows || shape.columns != asked.columns)) {
        std::vector<std::size_t> expected = {asked.rows, asked.columns};
        if (asked.transposed) std::swap(expected[0], expected[1]);
        fail(Exit::bad_input, "{} has shape {}, --shape says {}", operand, layout.shape, shape_text(expected));
    }
    return shape;
}

// A reader that returns the elements of a matrix as they are stored, and those of a batch in row order.
inline std::unique_ptr<NumberReader> open_operand(const std::string& operand, const std::optional<InputFormat>& format,
                                                  StepCount* count) {
    auto reader = NumberReader::open(operand, format, count);
    const bool is_matrix = extents_of(reader->layout().shape).size() == 2;
    return is_matrix ? std::move(reader) : in_row_order(std::move(reader));
}

// The form of the product of two operands. Failure(bad_input) if they do not fit together.
inline ProductForm form_of(const std::vector<std::string>& names, const OperandShape& a, const OperandShape& b,
                           const std::optional<std::size_t>& asked_batch) {
    if (a.columns != b.rows)
        fail(Exit::bad_input, "{} is {} and {} is {}: A's columns must be as many as B's rows", names[0], a.name(),
             names[1], b.name());
    ProductForm form;
    form.transposed = {a.transposed, b.transposed};
    form.batch = a.batch;
    form.shares_b = a.batch && !b.batch;
    if (!a.batch && (b.batch || asked_batch))
        fail(Exit::bad_input, "{} is one matrix, {}: expected a batch of {}", names[0], a.name(),
             asked_batch.value_or(b.batch.value_or(0)));
    if (a.batch && b.batch && *a.batch != *b.batch)
        fail(Exit::bad_input, "{} is {} and {} is {}: expected as many matrices in both, or one B for all", names[0],
             a.name(), names[1], b.name());
    return form;
}

// Some rows of an operand, read or to be read.
struct OperandRows {
    Slot slot;
    bool is_claimed = false;  // in the slot, yet to be read; else they are in the chunk
    Chunk chunk;
};

// The numbers of an operand, which must be as many as its shape says. Its rows may be read in parts.
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

    // The same, as stages of a pipeline (see pipeline.hpp). If it has several threads, rows of a file are only claimed,
    // so that all threads read at once; that takes the memory of the rows twice.
    void take(OperandRows& part, std::size_t rows, bool has_threads) {
        constexpr std::size_t most_claimed = std::size_t{1} << 27;  // what needs more memory says so as it is read
        const std::size_t wanted = std::min(rows * columns_, count_ - taken_);
        part.is_claimed = has_threads && reader_.count() >= 0 && wanted > 0 && wanted <= most_claimed;
        if (!part.is_claimed) return void(part.chunk = read(rows));
        reader_.take(part.slot, wanted, Cut::exactly);
        taken_ += wanted;
        Slot none;
        if (taken_ == count_) reader_.take(none, 1, Cut::exactly);  // the file must have kept its size
    }
    Chunk read(OperandRows& part) const {
        if (!part.is_claimed) return std::move(part.chunk);
        reader_.read(part.slot);
        const Piece& piece = part.slot.piece;
        return {piece.dtype, piece.count, {piece.bytes, piece.bytes + piece.count * size_of(piece.dtype)}};
    }
    void settle(const OperandRows& part) {
        if (part.is_claimed) reader_.settle(part.slot);
    }

private:
    [[noreturn]] void refuse_count(const std::string& count) const {
        fail(Exit::bad_input, "{} has {} elements, {} x {} are {}", name_, count, rows_, columns_, count_);
    }

    NumberReader& reader_;
    const std::string& name_;
    const std::size_t rows_, columns_;
    std::size_t count_ = 0, taken_ = 0;
};

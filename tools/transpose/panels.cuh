// SPDX-License-Identifier: MIT
// A matrix in panels of some columns, each of which becomes rows of the transpose.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/slots.cuh"
#include "common/cuda/staged_copy.cuh"
#include "common/io/number_reader.hpp"
#include "common/io/pipeline.hpp"
#include "common/measure/parallel.hpp"
#include "tools/transpose/table.cuh"

namespace BACKEND {

// A matrix as it is stored: its rows are those of the file, which are columns if it is in Fortran order. A matrix in a
// file stays there; any other input is in memory.
struct StoredMatrix {
    NumberLayout layout;
    MatrixShape shape;
    size_t element_bytes = 0;
    DType dtype = DType::f32;            // of numbers that are text, or will be JSON
    std::shared_ptr<NumberReader> file;  // or
    std::vector<std::byte> bytes;

    void read(std::byte* target, size_t first, size_t count) const {
        if (file) file->read_stored(target, first, count);
        else std::copy_n(bytes.data() + first * element_bytes, count * element_bytes, target);
    }
};

// The fewest contiguous bytes of a file that are worth a read call of their own.
constexpr size_t worth_a_call = 2048;

// Reads columns of the matrix, row after row, on all cores, in pieces that are long enough to be worth a call.
inline void gather_columns(const StoredMatrix& matrix, size_t first, size_t count, std::byte* target) {
    const size_t columns = matrix.shape.columns, bytes = matrix.element_bytes;
    const size_t part_bytes = count * bytes, row_bytes = columns * bytes;
    constexpr size_t block_bytes = size_t{1} << 20;
    const size_t all_rows = matrix.shape.rows;
    const size_t shares = std::min(worker_count(all_rows * count), std::max<size_t>(all_rows, 1));
    run_shares(all_rows, shares, [&](size_t, size_t first_row, size_t end_row) {
        if (count == columns) {
            matrix.read(target + first_row * row_bytes, first_row * columns, (end_row - first_row) * columns);
            return;
        }
        if (part_bytes >= worth_a_call || !matrix.file) {
            for (size_t row = first_row; row < end_row; ++row)
                matrix.read(target + row * part_bytes, row * columns + first, count);
            return;
        }
        const size_t rows_at_once = std::max<size_t>(block_bytes / row_bytes, 1);
        std::vector<std::byte> block(rows_at_once * row_bytes);
        for (size_t row = first_row; row < end_row; row += rows_at_once) {
            const size_t rows = std::min(rows_at_once, end_row - row);
            matrix.read(block.data(), row * columns, rows * columns);
            for (size_t i = 0; i < rows; ++i)
                std::copy_n(block.data() + i * row_bytes + first * bytes, part_bytes, target + (row + i) * part_bytes);
        }
    });
}

// The variant that the filter runs. Failure(usage) if it does not make a transpose besides its input.
inline const TransposeVariant& transposing_variant(const Session& session) {
    const auto& variant = session.filter_variant<TransposeVariant>("fastest");
    if (variant.result != Result::transpose)
        fail(Exit::usage, "{} does not make a transpose besides its input; choose another kernel", variant.name);
    return variant;
}

// Refuses a kernel that is named where none runs.
inline void refuse_kernel(const Session& session, const std::string& reason) {
    if (!session.options.kernels.empty()) fail(Exit::usage, "{}, without a kernel: leave --kernel out", reason);
}

// Transposes panels of the matrix: some of its columns, which are rows of the result.
template <typename Word>
class PanelTransposition {
public:
    explicit PanelTransposition(const Session& session, size_t most_elements)
        : session_(session), on_host_(session.computes_on_host()) {
        if (on_host_) return;
        const TransposeVariant& variant = transposing_variant(session);
        launch_ = variant.on_device<Word>();
        if (!launch_)
            fail(Exit::unavailable,
                 "{}: cuBLAS is not installed, does not start, or has no function for elements of {} bytes; choose "
                 "another kernel",
                 variant.name, sizeof(Word));
        d_input_ = DeviceBuffer<Word>(most_elements);
        d_output_ = DeviceBuffer<Word>(most_elements);
    }

    void operator()(const std::byte* input, std::byte* output, size_t rows, size_t columns) {
        const auto* from = reinterpret_cast<const Word*>(input);
        auto* to = reinterpret_cast<Word*>(output);
        if (on_host_) return transpose_on_all_cores(HostMatrix<Word>{from, to, rows, columns});
        const size_t bytes = rows * columns * sizeof(Word);
        copier_.to_device(d_input_.data(), from, bytes);
        launch_({d_input_.data(), d_output_.data(), rows, columns, session_.options.block, nullptr});
        CHECK(cudaGetLastError());
        copier_.to_host(to, d_output_.data(), bytes);
    }

private:
    const Session& session_;
    const bool on_host_;
    std::function<TransposeOnDevice<Word>> launch_;
    DeviceBuffer<Word> d_input_, d_output_;
    StagedCopier copier_;
};

using TransposePanel = std::function<void(const std::byte* input, std::byte* output, size_t rows, size_t columns)>;

// Elements of other sizes, such as strings, are moved on the host.
inline TransposePanel transposition_of_bytes(size_t bytes) {
    return [bytes](const std::byte* input, std::byte* output, size_t rows, size_t columns) {
        for (size_t row = 0; row < rows; ++row)
            for (size_t column = 0; column < columns; ++column)
                std::copy_n(input + (row * columns + column) * bytes, bytes, output + (column * rows + row) * bytes);
    };
}

inline TransposePanel transposition_of(const Session& session, size_t element_bytes, size_t most_elements) {
    const auto of = [&](auto word) -> TransposePanel {
        const auto panels = std::make_shared<PanelTransposition<decltype(word)>>(session, most_elements);
        return [panels](const std::byte* input, std::byte* output, size_t rows, size_t columns) {
            (*panels)(input, output, rows, columns);
        };
    };
    switch (element_bytes) {
        case 1: return of(std::uint8_t{});
        case 2: return of(std::uint16_t{});
        case 4: return of(std::uint32_t{});
        case 8: return of(std::uint64_t{});
        case 16: return of(uint4{});
        default:
            refuse_kernel(session, text("elements of {} bytes are moved by the host", element_bytes));
            return transposition_of_bytes(element_bytes);
    }
}

// Bytes of a panel. Two panels are in memory for each device, besides an input that is not a file.
inline size_t panel_bytes(const Session& session) {
    return size_t{session.computes_on_host() || !session.device.simulated ? 128U : 64U} << 20;
}

// Several devices share a matrix that would be one panel, unless that would cut what is read of a row into short
// pieces.
inline size_t columns_per_panel(const Session& session, const StoredMatrix& matrix, size_t devices) {
    const size_t fitting = panel_bytes(session) / (matrix.shape.rows * matrix.element_bytes);
    const size_t share = divide_up(matrix.shape.columns, devices);
    const size_t least = matrix.file ? divide_up(worth_a_call, matrix.element_bytes) : 1;
    return std::clamp<size_t>(fitting, 1, std::min(std::max(share, least), matrix.shape.columns));
}

// Some columns of the matrix, and the rows that they become on a device.
struct Panel {
    size_t first = 0, count = 0;
    SlotBuffer columns{pageable_memory}, rows{pageable_memory};
    TransposePanel transpose;  // none before the device's first panel
};

// Passes the result to write(), rows after rows. Each device has one panel at a time; panels of different devices are
// read and transposed at the same time.
template <typename Write>
void transpose_in_panels(const Session& session, const StoredMatrix& matrix, Write write) {
    const size_t rows = matrix.shape.rows, columns = matrix.shape.columns;
    if (rows == 0 || columns == 0) return;
    const std::vector<DeviceInfo> used = session.computes_on_host() ? std::vector{session.device} : session.gang;
    const SlotDevices devices(used, PipelineShape{static_cast<unsigned>(used.size()), 1});
    const size_t most = columns_per_panel(session, matrix, used.size());
    const size_t most_bytes = most * rows * matrix.element_bytes;
    std::vector<Panel> panels(used.size());
    size_t taken = 0;
    const auto take = [&](size_t slot) {
        panels[slot].first = taken;
        panels[slot].count = std::min(most, columns - taken);
        taken += panels[slot].count;
        return panels[slot].count > 0;
    };
    const auto work = [&](size_t slot) {
        Panel& panel = panels[slot];
        devices.enter(slot);
        if (!panel.transpose) panel.transpose = transposition_of(session, matrix.element_bytes, most * rows);
        std::byte* const from = panel.columns.reserve(most_bytes);
        gather_columns(matrix, panel.first, panel.count, from);
        panel.transpose(from, panel.rows.reserve(most_bytes), rows, panel.count);
    };
    const auto finish = [&](size_t slot) { write(panels[slot].rows.reserve(most_bytes), panels[slot].count * rows); };
    run_pipeline(devices.shape(), {take, work, finish});
}

// Copies the bytes, which are already right if the file is in the other order than the result.
template <typename Write>
void copy_in_parts(const Session& session, const StoredMatrix& matrix, Write write) {
    const size_t elements = matrix.shape.elements();
    const size_t most = std::max<size_t>(panel_bytes(session) / matrix.element_bytes, 1);
    SlotBuffer part(pageable_memory);
    for (size_t first = 0; first < elements; first += most) {
        const size_t count = std::min(most, elements - first);
        std::byte* const to = part.reserve(count * matrix.element_bytes);
        matrix.read(to, first, count);
        write(to, count);
    }
}

}  // namespace BACKEND

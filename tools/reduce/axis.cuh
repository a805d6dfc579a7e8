// SPDX-License-Identifier: MIT
// reduce --axis: a number for every row or column of a matrix that is read as a stream.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/slots.cuh"
#include "common/io/number_reader.hpp"
#include "common/io/pipeline.hpp"
#include "kernels/reduce/lines.cuh"
#include "tools/reduce/host.cuh"
#include "tools/reduce/results.cuh"
#include "tools/reduce/running_total.cuh"

namespace BACKEND {

// Results of consecutive lines, in f64 or, where they are whole numbers, in i64.
struct LineResults {
    std::vector<double> real;
    std::vector<std::int64_t> integer;

    size_t count() const { return real.size() + integer.size(); }
};

// The totals of the lines so far. Rows are complete one after another, columns all at the end; results are written some
// at a time.
template <typename T>
class LineTotals {
public:
    using Write = std::function<void(const LineResults&)>;

    LineTotals(ReduceOperation asked, size_t rows, size_t columns, bool lines_are_rows, Write write)
        : asked_(asked),
          lines_(lines_are_rows ? rows : columns),
          length_(lines_are_rows ? columns : rows),
          lines_are_rows_(lines_are_rows),
          write_(std::move(write)),
          summaries_(lines_are_rows || rows == 0 ? 1 : columns, Summary<T>::of_nothing()) {}

    void add(const MatrixPiece& piece, const Summary<T>* partials) {
        for (size_t i = 0; i < piece.partials(); ++i) {
            const size_t line = piece.line_of(i);
            if (lines_are_rows_ && line != row_) finish_row();
            summaries_[lines_are_rows_ ? 0 : line].merge(partials[i]);
        }
    }

    void finish() {
        if (!lines_are_rows_)
            for (size_t line = 0; line < lines_; ++line) append(summaries_[length_ == 0 ? 0 : line]);
        while (lines_are_rows_ && row_ < lines_) finish_row();
        write_(results_);
    }

private:
    void finish_row() {
        append(summaries_[0]);
        summaries_[0] = Summary<T>::of_nothing();
        ++row_;
    }

    void append(const Summary<T>& summary) {
        constexpr size_t at_once = size_t{1} << 16;
        if (results_.count() == at_once) {
            write_(results_);
            results_ = {};
        }
        Found<T> found = found_nothing<T>();
        found.summary = summary;
        const long double value = value_of(asked_, found, length_, false);
        if (is_integer_result<T>(asked_)) {
            if (value != static_cast<long double>(static_cast<std::int64_t>(value)) || value >= 0x1p63L)
                fail(Exit::bad_input,
                     "the {} of one of the lines does not fit into 64 bits; use -t f64 for a rounded one",
                     name_of(asked_));
            results_.integer.push_back(static_cast<std::int64_t>(value));
        } else {
            const bool of_finite = std::isfinite(static_cast<long double>(summary.least.value)) &&
                                   std::isfinite(static_cast<long double>(summary.greatest.value));
            if (summary.nans == 0 && of_finite && !(is_of_moments(asked_) ? squares_fit(summary) : true))
                fail(Exit::bad_input, "the squares of some numbers are outside the range of f64; scale them");
            if (summary.nans == 0 && of_finite && !std::isfinite(double(value))) refuse_overflow(dtype_of<T>);
            results_.real.push_back(double(value));
        }
    }

    static bool squares_fit(const Summary<T>& summary) {
        const double largest =
            std::max(std::fabs(double(summary.least.value)), std::fabs(double(summary.greatest.value)));
        return !std::is_same_v<T, double> || largest == 0 || (largest < 0x1p500 && largest > 0x1p-400);
    }

    const ReduceOperation asked_;
    const size_t lines_, length_;
    const bool lines_are_rows_;
    const Write write_;
    size_t row_ = 0;
    std::vector<Summary<T>> summaries_;
    LineResults results_;
};

template <typename T>
class LineReduction {
public:
    LineReduction(const Session& session, NumberReader& reader, LineTotals<T>& totals, ReduceOperation asked,
                  size_t columns, bool lines_are_rows)
        : session_(session), reader_(reader), totals_(totals), columns_(columns), lines_are_rows_(lines_are_rows) {
        wanted_ = wanted_for(asked) | wants_extremes;  // which say whether a result may be infinite
    }

    void run() {
        if (session_.computes_on_host()) run_on_host();
        else run_on_device();
    }

private:
    // Parts are claimed in order, so where one begins follows from those before.
    bool take(Slot& slot, MatrixPiece& piece, size_t most) {
        if (!reader_.take(slot, most, Cut::exactly)) return false;
        piece = {columns_, next_, 0, lines_are_rows_};
        next_ += most;
        return true;
    }
    void read(Slot& slot, MatrixPiece& piece) const {
        reader_.read(slot);
        slot.convert_piece(dtype_of<T>);
        piece.n = slot.piece.count;
    }

    void run_on_host() {
        const PipelineShape shape;
        std::vector<Slot> slots(shape.slots());
        std::vector<MatrixPiece> pieces(shape.slots());
        std::vector<std::vector<Summary<T>>> partials(shape.slots());
        const auto work = [&](size_t slot) {
            read(slots[slot], pieces[slot]);
            partials[slot].resize(pieces[slot].partials());
            for (size_t i = 0; i < partials[slot].size(); ++i)
                partials[slot][i] = summarize_partial(slots[slot].piece.as<T>(), pieces[slot], i, 0, 1, wanted_);
        };
        const auto finish = [&](size_t slot) {
            reader_.settle(slots[slot]);
            totals_.add(pieces[slot], partials[slot].data());
        };
        run_pipeline(shape,
                     {[&](size_t slot) { return take(slots[slot], pieces[slot], host_elements); }, work, finish});
    }

    size_t bytes_of_slot() const {
        const DType stored = reader_.layout().dtype;
        const MatrixPiece largest = {columns_, 0, device_elements, lines_are_rows_};
        return device_elements * (size_of(stored) + (stored == dtype_of<T> ? 0 : sizeof(T))) +
               largest.partials() * sizeof(Summary<T>);
    }

    void run_on_device() {
        const SlotDevices devices(session_.gang, bytes_of_slot(), false);
        const PipelineShape& shape = devices.shape();
        std::vector<DeviceSlot> slots = devices.for_each_slot([](const DeviceInfo&) { return DeviceSlot(); });
        const std::vector<Stream> streams = devices.for_each_slot([](const DeviceInfo&) { return Stream(); });
        std::vector<MatrixPiece> pieces(shape.slots());
        std::vector<DeviceBuffer<Summary<T>>> d_partials(shape.slots());
        std::vector<PinnedBuffer<Summary<T>>> h_partials(shape.slots());
        PendingResults pending;
        const auto claim = [&](size_t slot) {
            devices.enter(slot);
            slots[slot].wait_for_upload();
            return take(slots[slot].host, pieces[slot], device_elements);
        };
        const auto finish = [&](size_t slot) {
            reader_.settle(slots[slot].host);
            if (pieces[slot].n == 0) return;
            pending.complete(slot);
            const size_t count = pieces[slot].partials();
            if (count > d_partials[slot].size()) {
                d_partials[slot] = DeviceBuffer<Summary<T>>(count);
                h_partials[slot] = PinnedBuffer<Summary<T>>(count);
            }
            slots[slot].upload(streams[slot]);
            launch_reduce_lines(static_cast<const T*>(slots[slot].d_piece.template as<T>()), pieces[slot], wanted_,
                                d_partials[slot].data(), unsigned(devices.of(slot).multiprocessors), streams[slot]);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpyAsync(h_partials[slot].data(), d_partials[slot].data(), count * sizeof(Summary<T>),
                                  cudaMemcpyDeviceToHost, streams[slot]));
            pending.push(slot, streams[slot], [this, &h_partials, slot, piece = pieces[slot]] {
                totals_.add(piece, h_partials[slot].data());
            });
        };
        run_pipeline(shape, {claim, [&](size_t slot) { read(slots[slot].host, pieces[slot]); }, finish});
        pending.complete_all();
    }

    // (A partial has the size of a dozen elements, and lines of one element have as many partials.)
    static constexpr size_t host_elements = size_t{1} << 16, device_elements = size_t{1} << 18;

    const Session& session_;
    NumberReader& reader_;
    LineTotals<T>& totals_;
    const size_t columns_;
    const bool lines_are_rows_;
    Wanted wanted_{};
    size_t next_ = 0;
};

}  // namespace BACKEND

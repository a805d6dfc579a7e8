// SPDX-License-Identifier: MIT
// The sum, minimum or maximum of a stream of pieces: the accumulator of reduce.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "tools/reduce/accumulator.cuh"
#include "tools/reduce/host_pieces.hpp"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {

// The result of a piece.
struct PieceResult {
    DType dtype;
    bool floating;
    size_t count;
    double real;
    ExactSum integer;
};

// The total of the pieces so far. It starts in integers and switches to floating point when the input does.
struct RunningTotal {
    bool floating = false;
    bool is_infinite = false;  // or NaN, because a part of it is
    ExactSum integer = 0;
    double real = 0;
    size_t count = 0;
    DType dtype = DType::i64;
};

template <typename T>
bool is_all_finite(const T* values, size_t n) {
    return std::all_of(values, values + n, [](T value) { return std::isfinite(value); });
}

[[noreturn]] inline void refuse_overflow(DType dtype) {
    fail(Exit::bad_input, "a sum of these finite numbers is outside the range of {}{}", name_of(dtype),
         dtype == DType::f64 ? "; scale them down" : "; use -t f64");
}

// Sum, minimum or maximum.
class ReductionTotal final : public Accumulator {
public:
    ReductionTotal(const Session& session, Operation operation)
        : session_(session), variant_(session.filter_variant<ReduceVariant>("tagged")), operation_(operation) {}

    const RunningTotal& total() const { return total_; }

    // From now on, the results of pieces are kept instead of added.
    void keep_results() { keeps_ = true; }
    const std::vector<PieceResult>& results() const { return results_; }
    void add(const PieceResult& one) {
        const Piece piece = {one.dtype, one.count, nullptr};
        if (one.floating) add_real(piece, one.real);
        else add_integer(piece, one.integer);
    }

    Add reduce_on_host(const Piece& piece) override {
        Add add;
        with_dtype(piece.dtype, [&](auto zero) {
            using T = decltype(zero);
            const T* values = piece.as<T>();
            const size_t n = piece.count;
            if (operation_ == Operation::minimum) {
                add = extreme_of(piece, minimum_of_piece(values, n));
            } else if (operation_ == Operation::maximum) {
                add = extreme_of(piece, maximum_of_piece(values, n));
            } else {
                const auto sum = sum_of_piece(values, n);
                if constexpr (std::is_same_v<T, double>)
                    if (!std::isfinite(sum) && is_all_finite(values, n)) refuse_overflow(piece.dtype);
                add = sum_of(piece, sum);
            }
        });
        return add;
    }

    void use_slots(const SlotDevices& devices) override {
        slots_ = devices.for_each_slot([](const DeviceInfo& device) { return SlotState{device.multiprocessors}; });
    }

    // Integers are added in their own type if no partial sum can overflow it, else in 64 bits or, if those might
    // overflow, by halves: v is 2^32 times its upper half plus the lower one.
    void prepare(size_t slot, Slot& host) override {
        slots_[slot].is_split = false;
        if (operation_ != Operation::sum) return;
        if (variant_.destroys_input) slots_[slot].was_finite = is_finite_piece(host.piece);
        if (host.piece.dtype == DType::i32 && !sums_fit<std::int32_t>(host.piece)) host.convert_piece(DType::i64);
        if (host.piece.dtype != DType::i64 || sums_fit<std::int64_t>(host.piece)) return;
        const size_t n = host.piece.count;
        const auto* values = host.piece.as<std::int64_t>();
        auto* const halves = reinterpret_cast<std::int64_t*>(host.reserve_beside_piece(2 * n * sizeof(std::int64_t)));
        for (size_t i = 0; i < n; ++i) {
            halves[i] = values[i] >> 32;
            halves[n + i] = values[i] & 0xffffffff;
        }
        host.piece = {DType::i64, 2 * n, reinterpret_cast<std::byte*>(halves)};
        slots_[slot].is_split = true;
    }

    // (For i64, and for their halves.)
    size_t prepared_bytes(DType dtype) const override {
        if (operation_ != Operation::sum) return 0;
        return dtype == DType::i32 ? 8 : dtype == DType::i64 ? 16 : 0;
    }

    Add reduce_on_device(size_t slot, const Piece& d_piece, cudaStream_t stream) override {
        Add add;
        with_dtype(d_piece.dtype, [&](auto zero) {
            using T = decltype(zero);
            SlotState& state = slots_[slot];
            const size_t parts = state.is_split ? 2 : 1, n = d_piece.count / parts;
            for (size_t part = 0; part < parts; ++part)
                launch(state, d_piece.as<T>() + part * n, n, state.d_results.data() + part * sizeof(T), stream);
            CHECK(cudaMemcpyAsync(state.h_results.data(), state.d_results.data(), parts * sizeof(T),
                                  cudaMemcpyDeviceToHost, stream));
            // (By then the slot's next piece may be prepared.)
            add = [this, &state, d_piece, begun = std::pair(state.is_split, state.was_finite)] {
                const auto [is_split, was_finite] = begun;
                T results[2];
                std::memcpy(results, state.h_results.data(), sizeof results);
                if constexpr (std::is_floating_point_v<T>) {
                    if (!std::isfinite(results[0])) expect_no_overflow<T>(d_piece, was_finite);
                    add_or_keep(d_piece, double(results[0]));
                } else if (is_split) {
                    add_or_keep({d_piece.dtype, d_piece.count / 2, nullptr},
                                results[0] * (ExactSum{1} << 32) + ExactSum{results[1]});
                } else {
                    add_or_keep(d_piece, ExactSum{results[0]});
                }
            };
        });
        return add;
    }

private:
    // What a piece on the device is reduced with.
    struct SlotState {
        int multiprocessors;
        bool is_split = false;
        DeviceBuffer<std::byte> d_results{2 * sizeof(std::int64_t)};
        PinnedBuffer<std::byte> h_results{2 * sizeof(std::int64_t)};
        Workspace workspace = {};
        bool was_finite = false;  // a piece that is destroyed
    };

    template <typename T>
    static bool sums_fit(const Piece& piece) {
        const ExactSum smallest = minimum_of_piece(piece.as<T>(), piece.count);
        const ExactSum largest = maximum_of_piece(piece.as<T>(), piece.count);
        return std::max(-smallest, largest) * static_cast<ExactSum>(piece.count) < std::numeric_limits<T>::max();
    }

    template <typename T>
    void launch(SlotState& state, const T* d_values, size_t n, std::byte* d_result, cudaStream_t stream) {
        ReduceArguments<T> arguments;
        arguments.d_input = const_cast<T*>(d_values);
        arguments.n = n;
        arguments.d_result = reinterpret_cast<T*>(d_result);
        arguments.operation = operation_;
        arguments.block_size = session_.options.block;
        arguments.multiprocessors = unsigned(state.multiprocessors);
        arguments.stream = stream;
        state.workspace.serve(variant_, arguments);
        variant_.launch.template get<T>()(arguments);
        CHECK(cudaGetLastError());
    }

    static bool is_finite_piece(const Piece& piece) {
        bool is_finite = true;
        with_dtype(piece.dtype, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (std::is_floating_point_v<T>) is_finite = is_all_finite(piece.as<T>(), piece.count);
        });
        return is_finite;
    }

    // The piece is still on the device, unchanged unless the variant works in place.
    template <typename T>
    void expect_no_overflow(const Piece& d_piece, bool was_finite) const {
        if (variant_.destroys_input) {
            if (was_finite) refuse_overflow(d_piece.dtype);
            return;
        }
        std::vector<T> values(d_piece.count);
        CHECK(cudaMemcpy(values.data(), d_piece.bytes, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
        if (is_all_finite(values.data(), values.size())) refuse_overflow(d_piece.dtype);
    }

    template <typename Sum>  // double or ExactSum
    Add sum_of(const Piece& piece, Sum sum) {
        return [this, piece, sum] { add_or_keep(piece, sum); };
    }
    template <typename T>
    Add extreme_of(const Piece& piece, T extreme) {
        if constexpr (std::is_floating_point_v<T>) return sum_of(piece, double(extreme));
        else return sum_of(piece, ExactSum{extreme});
    }

    void add_or_keep(const Piece& piece, double partial) { add_or_keep({piece.dtype, true, piece.count, partial, 0}); }
    void add_or_keep(const Piece& piece, ExactSum partial) {
        add_or_keep({piece.dtype, false, piece.count, 0, partial});
    }
    void add_or_keep(const PieceResult& one) {
        if (keeps_) results_.push_back(one);
        else add(one);
    }

    void add_real(const Piece& piece, double partial) {
        if (!total_.floating) total_.real = double(total_.integer);
        total_.real = total_.count == 0 ? partial : combine<double>(operation_, total_.real, partial);
        if (!std::isfinite(total_.real) && std::isfinite(partial) && !total_.is_infinite) refuse_overflow(DType::f64);
        total_.is_infinite |= !std::isfinite(partial);
        total_.floating = true;
        total_.dtype = piece.dtype;
        total_.count += piece.count;
    }

    void add_integer(const Piece& piece, ExactSum partial) {
        if (total_.floating) return add_real({DType::f64, piece.count, nullptr}, double(partial));
        if (operation_ == Operation::sum) total_.integer += partial;
        else if (total_.count == 0) total_.integer = partial;
        else
            total_.integer = operation_ == Operation::minimum ? std::min(total_.integer, partial)
                                                              : std::max(total_.integer, partial);
        total_.dtype = piece.dtype;
        total_.count += piece.count;
    }

    const Session& session_;
    const ReduceVariant& variant_;
    const Operation operation_;
    RunningTotal total_;
    bool keeps_ = false;
    std::vector<PieceResult> results_;
    std::vector<SlotState> slots_;
};

}  // namespace BACKEND

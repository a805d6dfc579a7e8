// SPDX-License-Identifier: MIT
// What reduce finds in a stream of pieces besides their plain sum, minimum or maximum.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "tools/reduce/accumulator.cuh"
#include "tools/reduce/found_adder.cuh"
#include "tools/reduce/host.cuh"
#include "tools/reduce/results.cuh"
#include "tools/reduce/running_total.cuh"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {

class FoundTotal final : public Accumulator {
public:
    FoundTotal(const Session& session, const ReduceVariant& variant, const ReduceOperations& operations)
        : session_(session), variant_(variant), exact_(variant.leaves == Leaves::exact_sum) {
        wanted_ = wanted_for(operations);
        if ((wanted_ & wants_moments) != 0) wanted_ = wanted_ | wants_extremes;  // which say how to scale
    }

    const FoundTotals& totals() const { return totals_; }
    bool is_exact() const { return exact_; }

    Add reduce_on_host(const Piece& piece) override {
        Add add;
        with_dtype(piece.dtype, [&](auto zero) {
            using T = decltype(zero);
            HostInput<T> input{piece.as<T>(), piece.count, Operation::sum,
                               true,          wanted_,     exact_ ? Accuracy::exact : Accuracy::accurate};
            Found<T> found = find_in_share(input, 0, input.n);
            input.scale = scale_of(found);
            if (input.scale != 1) found = find_in_share(input, 0, input.n);
            const bool exact = exact_ || adds_exactly(found, input.values, input.n);
            add = [this, piece, found, scale = input.scale, exact] {
                FoundAdder<T>(totals_, found, scale, piece, exact).add();
            };
        });
        return add;
    }

    bool keeps_up_with_pipes() const override { return false; }

    void add_lost(std::int64_t lost) override { totals_.integer += lost; }

    void use_slots(const SlotDevices& devices) override {
        slots_ = devices.for_each_slot([](const DeviceInfo& device) { return SlotState{device.multiprocessors}; });
    }

    Add reduce_on_device(size_t slot, const Piece& d_piece, cudaStream_t stream) override {
        Add add;
        with_dtype(d_piece.dtype, [&](auto zero) {
            using T = decltype(zero);
            launch<T>(slots_[slot], d_piece, 1, stream);
            add = [this, slot, d_piece, stream] { add_found<T>(slots_[slot], d_piece, stream); };
        });
        return add;
    }

private:
    struct SlotState {
        int multiprocessors;
        DeviceBuffer<std::byte> d_found{sizeof(Found<double>)};  // the largest
        PinnedBuffer<std::byte> h_found{sizeof(Found<double>)};
        Workspace workspace = {};
    };

    template <typename T>
    void launch(SlotState& state, const Piece& d_piece, double scale, cudaStream_t stream) {
        static_assert(sizeof(Found<T>) <= sizeof(Found<double>));
        ReduceArguments<T> arguments;
        arguments.d_input = d_piece.as<T>();
        arguments.n = d_piece.count;
        arguments.d_found = reinterpret_cast<Found<T>*>(state.d_found.data());
        arguments.wanted = wanted_;
        arguments.scale = scale;
        arguments.block_size = session_.options.block;
        arguments.multiprocessors = unsigned(state.multiprocessors);
        arguments.stream = stream;
        state.workspace.serve(variant_, arguments);
        CHECK(cudaMemsetAsync(state.d_found.data(), 0, sizeof(Found<T>), stream));
        variant_.launch.template get<T>()(arguments);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(state.h_found.data(), state.d_found.data(), sizeof(Found<T>), cudaMemcpyDeviceToHost,
                              stream));
    }

    // To be called when the stream's work is complete, and its piece still on the device.
    template <typename T>
    void add_found(SlotState& state, const Piece& d_piece, cudaStream_t stream) {
        Found<T> found = fetch<T>(state);
        const double scale = scale_of(found);
        if (scale != 1) {
            launch<T>(state, d_piece, scale, stream);
            CHECK(cudaStreamSynchronize(stream));
            found = fetch<T>(state);
        }
        bool exact = exact_;
        if (!exact && overflows(found)) {
            std::vector<T> values(d_piece.count);
            CHECK(cudaMemcpy(values.data(), d_piece.bytes, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
            exact = adds_exactly(found, values.data(), values.size());
        }
        FoundAdder<T>(totals_, found, scale, d_piece, exact).add();
    }

    // (Parts that are not wanted are those of no numbers.)
    template <typename T>
    Found<T> fetch(const SlotState& state) const {
        Found<T> fetched, found = found_nothing<T>();
        std::memcpy(static_cast<void*>(&fetched), state.h_found.data(), sizeof fetched);
        if ((wanted_ & ~unsigned{wants_sum}) != 0) found.summary = fetched.summary;
        else if (!exact_ || std::is_integral_v<T>) found.summary.sum = fetched.summary.sum;
        found.exact = fetched.exact;
        return found;
    }

    template <typename T>
    double scale_of(const Found<T>& found) const {
        if constexpr (std::is_same_v<T, double>)
            if ((wanted_ & wants_moments) != 0) return scale_for(found.summary);
        return 1;
    }

    template <typename T>
    static bool overflows(const Found<T>& found) {
        if constexpr (std::is_same_v<T, double>) return !std::isfinite(found.summary.sum.high);
        else return false;  // sums of f32 do not leave f64
    }

    // A sum may be in range although a partial sum is not: then it is computed exactly.
    template <typename T>
    static bool adds_exactly(Found<T>& found, const T* values, size_t n) {
        if (!overflows(found)) return false;
        if constexpr (std::is_floating_point_v<T>) found.exact.sum = add_exactly(values, n);
        return true;
    }

    const Session& session_;
    const ReduceVariant& variant_;
    const bool exact_;
    Wanted wanted_;
    FoundTotals totals_;
    std::vector<SlotState> slots_;
};

}  // namespace BACKEND

// What reduce finds in a stream of pieces beside their plain sum, minimum or maximum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "tools/reduce/accumulator.cuh"
#include "tools/reduce/host.cuh"
#include "tools/reduce/results.cuh"
#include "tools/reduce/running_total.cuh"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {

// All pieces together, in types that hold what any of them may have: long double has every i64 and every f64.
struct FoundTotals {
    bool floating = false;
    DType dtype = DType::i64;
    size_t count = 0;
    ExactSum integer = 0;  // the sum of the integers and of what other whole numbers lost, and those of the others
    LongAccumulator<double> exact = LongAccumulator<double>::zero();
    long double mean = 0, squares = 0;
    Placed<long double> least{std::numeric_limits<long double>::infinity(), no_place};
    Placed<long double> greatest{-std::numeric_limits<long double>::infinity(), no_place};
    std::uint64_t nans = 0, first_nan = no_place;
};

// Squares of f64 beyond these would leave the range of f64, or nearly: the numbers are scaled before they are squared.
inline double scale_for(const Summary<double>& summary) {
    const double largest = std::max(std::fabs(summary.least.value), std::fabs(summary.greatest.value));
    if (!(largest > 0) || !std::isfinite(largest) || (largest < 0x1p500 && largest > 0x1p-400)) return 1;
    return std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
}

template <typename T>
class FoundAdder {
public:
    FoundAdder(FoundTotals& totals, const Found<T>& found, double scale, const Piece& piece, bool exact)
        : totals_(totals), found_(found), scale_(scale), piece_(piece), exact_(exact) {}

    void add() {
        const Summary<T>& summary = found_.summary;
        if constexpr (std::is_integral_v<T>) {
            totals_.integer += integer_of(summary.sum);
            totals_.exact.seen |= saw_not_negative_zero;
        } else if (exact_) {
            add_digits();
        } else {
            add_accurate(summary.sum);
        }
        add_moments(summary.moments);
        totals_.least.template merge<false>(placed(summary.least));
        totals_.greatest.template merge<true>(placed(summary.greatest));
        if (summary.nans > 0 && totals_.nans == 0) totals_.first_nan = totals_.count + summary.first_nan;
        totals_.nans += summary.nans;
        totals_.floating |= std::is_floating_point_v<T>;
        totals_.dtype = totals_.floating && std::is_integral_v<T> ? DType::f64 : piece_.dtype;
        totals_.count += piece_.count;
    }

private:
    // (What is lost beside an infinity is no number.)
    void add_accurate(const DoubleDouble& sum) {
        Sightings<double> sightings;
        totals_.exact.add(sum.high, sightings);
        if (std::isfinite(sum.high)) totals_.exact.add(sum.low, sightings);
        totals_.exact.carry();
        totals_.exact.seen |= sightings.seen();
    }

    // The digits of f32 count other units: each is a number of its own.
    void add_digits() {
        const LongAccumulator<T>& sum = found_.exact.sum;
        if constexpr (std::is_same_v<T, double>) {
            totals_.exact.merge(sum);
        } else {
            Sightings<double> finite;
            for (unsigned j = 0; j < LongFormat<T>::digits; ++j) {
                const auto digit = static_cast<std::int64_t>(sum.digits[j]);
                const int exponent = LongFormat<T>::smallest_exponent + int(j * LongFormat<T>::digit_bits);
                totals_.exact.add(std::ldexp(double(digit >> 32), exponent + 32), finite);
                totals_.exact.add(std::ldexp(double(digit & 0xffffffff), exponent), finite);
            }
            totals_.exact.carry();
            totals_.exact.seen |= sum.seen;
        }
    }

    // (Chan, Golub, LeVeque, as Moments::merge().)
    void add_moments(const Moments& moments) {
        if (moments.count == 0) return;
        const long double mean = static_cast<long double>(moments.mean) / scale_;
        const long double squares = static_cast<long double>(moments.squares) / scale_ / scale_;
        const auto before = static_cast<long double>(totals_.count);
        const auto count = static_cast<long double>(moments.count);
        const long double distance = mean - totals_.mean;
        totals_.squares += squares + distance * distance * before * (count / (before + count));
        totals_.mean += distance * (count / (before + count));
    }

    Placed<long double> placed(const Placed<T>& piece) const {
        if (piece.at == no_place) return {static_cast<long double>(piece.value), no_place};
        return {static_cast<long double>(piece.value), totals_.count + piece.at};
    }

    FoundTotals& totals_;
    const Found<T>& found_;
    const double scale_;
    const Piece piece_;
    const bool exact_;
};

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

    void use_slots(size_t count) override { slots_.resize(count); }

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
        DeviceBuffer<std::byte> d_found{sizeof(Found<double>)};  // the largest
        PinnedBuffer<std::byte> h_found{sizeof(Found<double>)};
        Workspace workspace;
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
        arguments.multiprocessors = unsigned(session_.device.multiprocessors);
        arguments.stream = stream;
        state.workspace.serve(variant_, arguments);
        CHECK(cudaMemsetAsync(state.d_found.data(), 0, sizeof(Found<T>), stream));
        variant_.launch.template get<T>()(arguments);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(state.h_found.data(), state.d_found.data(), sizeof(Found<T>), cudaMemcpyDeviceToHost,
                              stream));
    }

    // The stream's work is complete, and its piece still on the device.
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

    // (Parts that nobody wants are those of no numbers.)
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

    // A sum may be in range where that of some of its numbers is not: then it is found exactly.
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

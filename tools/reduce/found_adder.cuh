// SPDX-License-Identifier: MIT
// What reduce has found in all pieces of a stream together, and how a piece's findings are added to it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/io/chunk.hpp"
#include "tools/reduce/host_pieces.hpp"
#include "tools/reduce/results.cuh"

namespace BACKEND {

// The totals of all pieces, in types that hold those of any of them: long double holds every i64 and every f64.
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
    // (Beside an infinity, the low part is NaN.)
    void add_accurate(const DoubleDouble& sum) {
        Sightings<double> sightings;
        totals_.exact.add(sum.high, sightings);
        if (std::isfinite(sum.high)) totals_.exact.add(sum.low, sightings);
        totals_.exact.carry();
        totals_.exact.seen |= sightings.seen();
    }

    // The digits for f32 count other units, so each is added as a number of its own.
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

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// Convolutions on the host: the reference, and two rows of the table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/measure/parallel.hpp"
#include "common/measure/verify.hpp"
#include "kernels/conv1d/arguments.cuh"

namespace BACKEND {

// A signal and taps on the host, and the output.
template <typename T>
struct HostConvolution {
    Signal<T> signal;
    const std::vector<T>& taps;
    T* output = nullptr;

    unsigned width() const { return unsigned(taps.size()); }
    size_t outputs() const { return output_length(signal.n, width(), signal.border); }
};

// Outputs that are computed together, one tap after another, so that the inner loop has no reduction and vectorizes.
constexpr size_t outputs_at_once = 512;

// Calls take(first, count, sums, magnitudes) for outputs begin to end - 1, in pieces; the sums of the magnitudes are
// computed only if asked for.
template <typename Sum, bool with_magnitudes, typename T, typename Take>
void convolve_share(const HostConvolution<T>& host, size_t begin, size_t end, Take take) {
    const unsigned width = host.width(), before = taps_before(width, host.signal.border);
    std::vector<T> gathered(outputs_at_once + width);
    Sum sums[outputs_at_once], magnitudes[outputs_at_once];
    for (size_t first = begin; first < end; first += outputs_at_once) {
        const size_t count = std::min(outputs_at_once, end - first);
        const auto place = static_cast<std::int64_t>(first) - before;
        const T* inputs = host.signal.values + place;
        if (!host.signal.holds(place, count + width - 1)) {
            for (size_t k = 0; k < count + width - 1; ++k)
                gathered[k] = host.signal.at(place + static_cast<std::int64_t>(k));
            inputs = gathered.data();
        }
        std::fill_n(sums, count, Sum(0));
        std::fill_n(magnitudes, count, Sum(0));
        for (unsigned j = 0; j < width; ++j) {
            const Sum tap = host.taps[j];
            for (size_t i = 0; i < count; ++i) sums[i] += tap * Sum(inputs[i + j]);
            if constexpr (with_magnitudes)
                for (size_t i = 0; i < count; ++i) magnitudes[i] += std::fabs(tap * Sum(inputs[i + j]));
        }
        take(first, count, sums, magnitudes);
    }
}

template <typename T>
void convolve_into_output(const HostConvolution<T>& host, size_t begin, size_t end) {
    convolve_share<T, false>(host, begin, end, [&](size_t first, size_t count, const T* sums, const T*) {
        std::copy_n(sums, count, host.output + first);
    });
}

template <typename T>
void convolve_on_one_core(const HostConvolution<T>& host) {
    convolve_into_output(host, 0, host.outputs());
}

template <typename T>
void convolve_on_all_cores(const HostConvolution<T>& host) {
    parallel_for(host.outputs(), [&](size_t begin, size_t end) { convolve_into_output(host, begin, end); });
}

// The expected output in a higher precision than T's, and how far a correct method may be from it.
template <typename T>
class Reference {
public:
    explicit Reference(const HostConvolution<T>& host) : expected_(host.outputs()), magnitudes_(host.outputs()) {
        parallel_for(host.outputs(), [&](size_t begin, size_t end) {
            convolve_share<Wide, true>(host, begin, end,
                                       [&](size_t first, size_t count, const Wide* sums, const Wide* magnitudes) {
                                           std::copy_n(sums, count, expected_.data() + first);
                                           std::copy_n(magnitudes, count, magnitudes_.data() + first);
                                       });
        });
        for (const T tap : host.taps) scale_ += std::fabs(double(tap));
        double largest_input = 0;
        for (size_t i = 0; i < host.signal.n; ++i)
            largest_input = std::max(largest_input, std::fabs(double(host.signal.values[i])));
        scale_ *= largest_input;
        if (!(scale_ <= double(std::numeric_limits<T>::max())))
            fail(Exit::bad_input, "sums of products with these weights may not fit into {}; use smaller ones{}",
                 name_of(dtype_of<T>), sizeof(T) == 4 ? ", or -t f64" : "");
        // A sum of `width` rounded products differs from the exact one by gamma times the sum of the magnitudes, with
        // gamma = width u / (1 - width u) (Higham, Accuracy and Stability of Numerical Algorithms, 3.1), in any order.
        const double rounding = double(std::numeric_limits<T>::epsilon()) / 2 * host.width();
        gamma_ = rounding / (1 - rounding);
        underflow_ = double(std::numeric_limits<T>::denorm_min()) * host.width();
    }

    // `tolerance`: the relative error to allow instead, if not negative. `fft_length`: of a method whose errors spread
    // over blocks of that length, else 0.
    Verdict compare(const T* got, double tolerance, size_t fft_length) const {
        const auto allowed = [&](size_t i) {
            if (tolerance >= 0) return tolerance * std::fabs(double(expected_[i]));
            if (fft_length > 0) return fft_error(fft_length);
            return gamma_ * magnitudes_[i] + underflow_;
        };
        const size_t n = expected_.size();
        const size_t wrong = parallel_reduce(
            n, n,
            [&](size_t begin, size_t end) {
                for (size_t i = begin; i < end; ++i)
                    if (!(std::fabs(Wide(got[i]) - expected_[i]) <= allowed(i))) return i;
                return n;
            },
            [](size_t a, size_t b) { return std::min(a, b); });
        if (wrong == n) return {};
        return {false, text("element {}: got {}, expected {}, allowed error {:.3g}", wrong, double(got[wrong]),
                            double(expected_[wrong]), allowed(wrong))};
    }

private:
    using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

    // Each of the log2(length) steps of three transforms adds a unit roundoff to the norm of a block of outputs. The
    // error is spread over the block: only if all of it gathered in one element could it be larger by sqrt(length).
    double fft_error(size_t length) const {
        const double unit = double(std::numeric_limits<T>::epsilon()) / 2;
        return 3 * unit * std::log2(double(length)) * scale_ + double(length) * underflow_;
    }

    std::vector<Wide> expected_;
    std::vector<double> magnitudes_;
    double gamma_ = 0, underflow_ = 0;
    double scale_ = 0;  // no sum of magnitudes can be larger
};

}  // namespace BACKEND

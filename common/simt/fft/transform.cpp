// SPDX-License-Identifier: MIT
#include "common/simt/fft/transform.hpp"

#include <dlfcn.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "common/simt/library/call.hpp"

namespace simt::fft {
namespace {

// ---- FFTW, as its fftw3.h declares it

struct Fftw {
    using PlanMany = void* (*)(int rank, const int* n, int count, Number* in, const int* in_extents, int in_stride,
                               int in_distance, Number* out, const int* out_extents, int out_stride, int out_distance,
                               int direction, unsigned flags);
    PlanMany plan = nullptr;
    void (*execute)(const void* plan, Number* in, Number* out) = nullptr;
    void (*destroy)(void* plan) = nullptr;
    std::mutex planner;  // makes one plan at a time

    static constexpr unsigned estimate = 1u << 6, unaligned = 1u << 1;

    Fftw() {
        void* const library = library::open_library({"libfftw3.so.3"});
        if (!library) return;
        plan = reinterpret_cast<PlanMany>(dlsym(library, "fftw_plan_many_dft"));
        execute = reinterpret_cast<decltype(execute)>(dlsym(library, "fftw_execute_dft"));
        destroy = reinterpret_cast<decltype(destroy)>(dlsym(library, "fftw_destroy_plan"));
    }
    bool is_there() const { return plan && execute && destroy; }
    static Fftw& instance() {
        static Fftw& functions = *new Fftw;
        return functions;
    }
};

// ---- our own: a transform of any length

constexpr double pi = 3.14159265358979323846;

size_t smallest_factor(size_t n) {
    for (size_t factor = 2; factor * factor <= n; ++factor) {
        if (n % factor == 0) return factor;
    }
    return n;
}

size_t largest_factor(size_t n) {
    size_t factor = 1;
    while (n > 1) {
        factor = smallest_factor(n);
        n /= factor;
    }
    return factor;
}

Number product(Number a, Number b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Forward transforms of one length: split by its prime factors (Cooley and Tukey), or, if one of them is large, as a
/// convolution whose length is a power of two (Bluestein).
class Line {
public:
    explicit Line(size_t n) : n_(n), roots_(n) {
        for (size_t k = 0; k < n; ++k) roots_[k] = root(k, n);
        if (largest_factor(n) <= largest_split) return;
        size_t length = 1;
        while (length < 2 * n - 1) length *= 2;
        convolution_ = std::make_unique<Line>(length);
        chirp_.resize(n);
        for (size_t k = 0; k < n; ++k) chirp_[k] = root(k * k % (2 * n), 2 * n);
        filter_.assign(length, Number{});
        for (size_t k = 0; k < n; ++k) filter_[k] = filter_[(length - k) % length] = std::conj(chirp_[k]);
        filter_ = convolution_->forward(filter_);
    }

    std::vector<Number> forward(const std::vector<Number>& in) const {
        if (convolution_) return by_convolution(in);
        std::vector<Number> out(n_), parts(largest_split);
        split(n_, in.data(), 1, out.data(), parts);
        return out;
    }

private:
    static constexpr size_t largest_split = 61;

    static Number root(size_t k, size_t n) {
        const double angle = -2 * pi * static_cast<double>(k) / static_cast<double>(n);
        return {std::cos(angle), std::sin(angle)};
    }

    // The transform of every `stride`-th element.
    void split(size_t n, const Number* in, size_t stride, Number* out, std::vector<Number>& parts) const {
        if (n == 1) {
            *out = *in;
            return;
        }
        const size_t p = smallest_factor(n), m = n / p;
        for (size_t r = 0; r < p; ++r) split(m, in + r * stride, stride * p, out + r * m, parts);
        for (size_t k = 0; k < m; ++k) {
            for (size_t r = 0; r < p; ++r) parts[r] = product(out[r * m + k], roots_[r * k * stride % n_]);
            for (size_t q = 0; q < p; ++q) {
                Number sum = parts[0];
                for (size_t r = 1; r < p; ++r) sum += product(parts[r], roots_[r * q % p * (n_ / p)]);
                out[q * m + k] = sum;
            }
        }
    }

    std::vector<Number> by_convolution(const std::vector<Number>& in) const {
        const size_t length = filter_.size();
        std::vector<Number> padded(length);
        for (size_t k = 0; k < n_; ++k) padded[k] = product(in[k], chirp_[k]);
        padded = convolution_->forward(padded);
        for (size_t k = 0; k < length; ++k) padded[k] = std::conj(product(padded[k], filter_[k]));
        padded = convolution_->forward(padded);
        std::vector<Number> out(n_);
        for (size_t k = 0; k < n_; ++k) {
            out[k] = product(std::conj(padded[k]), chirp_[k]) / static_cast<double>(length);
        }
        return out;
    }

    const size_t n_;
    std::vector<Number> roots_, chirp_, filter_;
    std::unique_ptr<Line> convolution_;
};

// All lines of an array along one of its dimensions. A backward transform is a forward one of the conjugates.
void transform_along(std::vector<Number>& data, size_t n, size_t stride, int direction) {
    const Line line(n);
    std::vector<Number> values(n);
    const auto turned = [=](Number value) { return direction > 0 ? std::conj(value) : value; };
    for (size_t block = 0; block < data.size(); block += n * stride) {
        for (size_t first = block; first < block + stride; ++first) {
            for (size_t i = 0; i < n; ++i) values[i] = turned(data[first + i * stride]);
            const std::vector<Number> result = line.forward(values);
            for (size_t i = 0; i < n; ++i) data[first + i * stride] = turned(result[i]);
        }
    }
}

}  // namespace

Transform::Transform(std::vector<size_t> extents, size_t batch) : extents_(std::move(extents)), batch_(batch) {}

Transform::~Transform() {
    Fftw& fftw = Fftw::instance();
    const std::lock_guard lock(fftw.planner);
    for (void* const plan : plans_) {
        if (plan) fftw.destroy(plan);
    }
}

void Transform::run(std::vector<Number>& data, int direction) {
    Fftw& fftw = Fftw::instance();
    void*& plan = plans_[direction > 0];
    if (fftw.is_there() && !plan) {
        const std::lock_guard lock(fftw.planner);
        std::vector<int> extents;
        size_t size = 1;
        for (const size_t extent : extents_) extents.push_back(static_cast<int>(extent)), size *= extent;
        plan = fftw.plan(static_cast<int>(extents.size()), extents.data(), static_cast<int>(batch_), data.data(),
                         nullptr, 1, static_cast<int>(size), data.data(), nullptr, 1, static_cast<int>(size), direction,
                         Fftw::estimate | Fftw::unaligned);
    }
    if (plan) return fftw.execute(plan, data.data(), data.data());
    size_t stride = 1;
    for (size_t i = extents_.size(); i-- > 0;) {
        transform_along(data, extents_[i], stride, direction);
        stride *= extents_[i];
    }
}

}  // namespace simt::fft

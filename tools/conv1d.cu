// SPDX-License-Identifier: MIT
// conv1d: a signal convolved with a filter, from the lecture's three-point average to the fastest way for any width.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/conv1d/beyond.cuh"
#include "kernels/conv1d/cufft.cuh"
#include "kernels/conv1d/overlap_save.cuh"
#include "tools/conv1d/table.cuh"

namespace BACKEND {

// Instantiated here since they are not in the table: transforms, and what only gangs launch.
#define INSTANTIATE(T)                                                                                               \
    template LaunchShape launch_conv1d_overlap_save(const ConvolutionArguments<T>&, const Complex<T>* d_spectra);    \
    template class CufftConvolution<T>;                                                                              \
    template void launch_fill_beyond(T* d_window, std::int64_t window_begin, const OwnElements&, std::int64_t first, \
                                     std::int64_t end, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(double);
#undef INSTANTIATE

}  // namespace BACKEND

#if HOST_PASS
#include <memory>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/random.hpp"
#include "tools/conv1d/filter.cuh"
#include "tools/conv1d/gang.cuh"
#include "tools/conv1d/method.cuh"

namespace BACKEND {
namespace {

// One signal and one filter: the arrays, the reference, and the variants as cases over them.
template <typename T>
class Convolution {
public:
    Convolution(Session& session, size_t n, const std::vector<double>& weights)
        : session_(session),
          own_(session.own<ConvolutionOptions>()),
          n_(n),
          outputs_(output_length(n, unsigned(weights.size()), own_.border)),
          d_signal_(n + own_.offset),
          d_output_(outputs_ + own_.offset),
          taps_(taps_of<T>(weights)),
          h_signal_(n),
          h_output_(outputs_) {
        session.begin_step(text("generating {} numbers", n));
        fill(h_signal_.data(), n, [seed = session.options.seed](size_t i) { return uniform<T>(seed, i); });
        if (n > 0) CHECK(cudaMemcpy(d_signal(), h_signal_.data(), n * sizeof(T), cudaMemcpyHostToDevice));
        session.begin_step(text("convolving {} numbers on the host, for the reference", n));
        if (session.options.verify) reference_ = std::make_unique<Reference<T>>(on_host());
    }

    void add_case(std::vector<Case>& cases, const ConvolutionVariant& variant) {
        Case one;
        one.variant = &variant;
        const double flop = variant.method == Method::copy ? 0 : 2.0 * taps_.width() * double(outputs_);
        one.problem = {dtype_of<T>, n_, double(n_ + outputs_) * sizeof(T), flop};
        one.problem.elements = double(outputs_);
        one.own_cells = [this](double) {
            return cells_of(convolution_columns, ConvolutionCells{taps_.width(), own_.border, own_.offset});
        };
        if (variant.needs == Needs::host) {
            one.poison = [this](cudaStream_t) { std::fill(h_output_.begin(), h_output_.end(), T(NAN)); };
            one.launch = [this, convolve = variant.on_host.get<T>()](cudaStream_t) {
                convolve(on_host());
                return LaunchShape{};
            };
            one.check = [this] { return compare(0); };
        } else if (!set_device_work(one, variant)) {
            return;
        }
        cases.push_back(one);
    }

private:
    HostConvolution<T> on_host() { return {{h_signal_.data(), n_, own_.border}, taps_.h_taps, h_output_.data()}; }
    T* d_signal() const { return d_signal_.data() + own_.offset; }
    T* d_output() const { return d_output_.data() + own_.offset; }

    bool set_device_work(Case& one, const ConvolutionVariant& variant) {
        const Signal<T> signal{d_signal(), n_, own_.border};
        const ReadyMethod ready =
            make_ready(variant, arguments_on(session_, session_.device, taps_, signal, d_output()));
        if (!ready.launch) {
            session_.leave_out(variant.name, ready.why_not);
            return false;
        }
        one.prepare = ready.prepare;
        one.launch = ready.launch;
        one.poison = [this](cudaStream_t stream) {  // bytes of a NaN
            if (outputs_ > 0) CHECK(cudaMemsetAsync(d_output(), 0xff, outputs_ * sizeof(T), stream));
        };
        const bool copies = variant.method == Method::copy;
        one.check = [this, copies, fft_length = ready.fft_length] {
            if (outputs_ > 0)
                CHECK(cudaMemcpy(h_output_.data(), d_output(), outputs_ * sizeof(T), cudaMemcpyDeviceToHost));
            return copies ? compare_with_signal() : compare(fft_length);
        };
        return true;
    }

    Verdict compare(size_t fft_length) const {
        return reference_->compare(h_output_.data(), session_.options.tolerance, fft_length);
    }
    Verdict compare_with_signal() const {
        return compare_elements(
            h_output_.data(), outputs_, [this](size_t i) { return static_cast<long double>(h_signal_[i]); },
            [](long double) { return 0; });
    }

    Session& session_;
    const ConvolutionOptions& own_;
    size_t n_, outputs_;
    // Allocated before the host's arrays, so that the message for too large a size names the device's free memory.
    DeviceBuffer<T> d_signal_, d_output_;
    TapArrays<T> taps_;
    std::vector<T> h_signal_, h_output_;
    std::unique_ptr<Reference<T>> reference_;  // none with --no-verify
};

template <typename T>
void run_size(Session& session, Bench& bench, size_t n, const std::vector<double>& weights) {
    Convolution<T> convolution(session, n, weights);
    std::vector<Case> cases;
    for (const ConvolutionVariant* variant : session.selected<ConvolutionVariant>())
        convolution.add_case(cases, *variant);
    bench.run(cases);
}

// The filters of the rows: random ones for each --width, or the given one.
std::vector<std::vector<double>> chosen_filters(const Session& session) {
    const ConvolutionOptions& own = session.own<ConvolutionOptions>();
    if (own.widths.empty()) return {given_weights(own.weights)};
    if (!own.weights.empty()) fail(Exit::usage, "--width and --weights both choose the filter: leave one of them out");
    std::vector<std::vector<double>> filters;
    for (const size_t width : own.widths) {
        filters.emplace_back(width);
        for (size_t i = 0; i < width; ++i) filters.back()[i] = uniform<double>(session.options.seed + 1, i);
    }
    return filters;
}

void run(Session& session) {
    if (!session.options.operands.empty()) return run_convolution_filter(session);
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    const std::vector<std::vector<double>> filters = chosen_filters(session);
    for (const size_t n : session.sizes())
        for (const std::vector<double>& weights : filters)
            with_dtype(session.dtype(), [&](auto zero) {
                using T = decltype(zero);
                if constexpr (std::is_floating_point_v<T>) {
                    if (session.options.gang) sweep.run(gang_problem_of<T>(session, n, weights));
                    else run_size<T>(session, bench, n, weights);
                }
            });
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(convolution_program, run)
#endif

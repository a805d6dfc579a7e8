// SPDX-License-Identifier: MIT
// conv1d: a signal convolved with a filter, from the lecture's three-point average to the fastest way for any width.
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
#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/random.hpp"
#include "tools/conv1d/convolution.cuh"
#include "tools/conv1d/filter.cuh"
#include "tools/conv1d/steps.cuh"

namespace BACKEND {
namespace {

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
    if (session.options.checks.trace && !session.options.operands.empty())
        fail(Exit::usage, "--steps shows a signal of its own: leave '{}' out", session.options.operands.front());
    if (session.options.checks.trace) return show_steps(session, chosen_filters(session));
    if (!session.options.operands.empty()) return run_convolution_filter(session);
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    const std::vector<std::vector<double>> filters = chosen_filters(session);
    for (const size_t n : session.sizes())
        for (const std::vector<double>& weights : filters)
            with_dtype(session.dtype(), [&](auto zero) {
                using T = decltype(zero);
                if constexpr (std::is_floating_point_v<T>) {
                    Convolution<T> convolution(session, n, weights);
                    sweep.run(convolution);
                }
            });
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(convolution_program, run)
#endif

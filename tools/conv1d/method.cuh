// SPDX-License-Identifier: MIT
// A variant, ready to be launched on the arrays of one convolution.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/device.cuh"
#include "kernels/conv1d/overlap_save.cuh"
#include "tools/conv1d/table.cuh"
#include "tools/conv1d/weights.hpp"
#ifndef __SIMCC__
#include "kernels/conv1d/cufft.cuh"
#endif

namespace BACKEND {

// The taps that slide over the signal: the weights in T, in reverse order.
template <typename T>
std::vector<T> taps_of(const std::vector<double>& weights) {
    std::vector<T> taps;
    for (size_t i = weights.size(); i-- > 0;) {
        taps.push_back(T(weights[i]));
        if (!std::isfinite(taps.back()))
            fail(Exit::bad_input, "weight {}, {}, does not fit into {}; use -t f64", i + 1, weights[i],
                 name_of(dtype_of<T>));
    }
    return taps;
}

// The taps of a convolution, on the host and on the device.
template <typename T>
struct TapArrays {
    explicit TapArrays(std::vector<T> taps) : h_taps(std::move(taps)), d_taps(h_taps.size()) {
        copy_to_device(d_taps.data(), h_taps.data(), d_taps.bytes());
    }
    unsigned width() const { return unsigned(h_taps.size()); }

    const std::vector<T> h_taps;
    const DeviceBuffer<T> d_taps;
};

template <typename T>
ConvolutionArguments<T> arguments_on(const Session& session, const DeviceInfo& device, const TapArrays<T>& taps,
                                     const Signal<T>& signal, T* d_output) {
    ConvolutionArguments<T> arguments;
    arguments.signal = signal;
    arguments.d_output = d_output;
    arguments.h_taps = taps.h_taps.data();
    arguments.d_taps = taps.d_taps.data();
    arguments.width = taps.width();
    arguments.block_size = session.options.block;
    arguments.multiprocessors = unsigned(device.multiprocessors);
    const int shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device.ordinal);
    arguments.most_shared_bytes = std::max(arguments.most_shared_bytes, size_t(shared_bytes));
    return arguments;
}

// The spectra that conv1d_overlap_save() multiplies by, one for each part of the filter: of the weights, not the taps,
// scaled by 1 / fft_points.
template <typename T>
DeviceBuffer<Complex<T>> filter_spectra(const ConvolutionArguments<T>& arguments) {
    const FilterParts parts = FilterParts::of_width(arguments.width);
    std::vector<Complex<T>> spectra;
    for (unsigned part = 0; part < parts.count; ++part) {
        std::vector<double> weights(fft_points);
        for (unsigned j = 0; j < parts.length && part * parts.length + j < arguments.width; ++j)
            weights[parts.length - 1 - j] = double(arguments.h_taps[part * parts.length + j]) / fft_points;
        const std::vector<std::complex<double>> spectrum = discrete_transform(weights);
        for (unsigned i = 0; i < fft_points; ++i) {
            const std::complex<double> bin = spectrum[frequency_at(i)];
            spectra.push_back({T(bin.real()), T(bin.imag())});
        }
    }
    DeviceBuffer<Complex<T>> d_spectra(spectra.size());
    copy_to_device(d_spectra.data(), spectra.data(), d_spectra.bytes());
    return d_spectra;
}

struct ReadyMethod {
    std::function<void(cudaStream_t)> prepare;        // may be empty
    std::function<LaunchShape(cudaStream_t)> launch;  // empty: it cannot run here, and `why_not` says why
    std::string why_not;
    size_t fft_length = 0;  // of the blocks of a method by FFT
};

// What `arguments` points to must live as long as the result.
template <typename T>
ReadyMethod make_ready(const ConvolutionVariant& variant, const ConvolutionArguments<T>& arguments) {
    ReadyMethod ready;
    const auto on = [arguments](cudaStream_t stream) {
        ConvolutionArguments<T> on_stream = arguments;
        on_stream.stream = stream;
        return on_stream;
    };
    if (variant.method == Method::overlap_save) {
        const auto d_spectra = std::make_shared<DeviceBuffer<Complex<T>>>(filter_spectra(arguments));
        ready.fft_length = fft_points;
        ready.launch = [d_spectra, on](cudaStream_t stream) {
            return launch_conv1d_overlap_save(on(stream), d_spectra->data());
        };
        return ready;
    }
    if (variant.method == Method::cufft) {
#ifndef __SIMCC__
        const auto library = std::make_shared<Cufft>();
        if (!*library) {
            ready.why_not = "libcufft.so.12 or .11 is not found; install CUDA's cuFFT, or put it into LD_LIBRARY_PATH";
            return ready;
        }
        const auto convolution = std::make_shared<CufftConvolution<T>>(*library, arguments);
        ready.fft_length = FftBlocks::of_width(arguments.width).length;
        ready.launch = [library, convolution, on](cudaStream_t stream) { return convolution->launch(on(stream)); };
#endif
        return ready;
    }
    ready.launch = [on, launch = variant.launch.get<T>()](cudaStream_t stream) { return launch(on(stream)); };
    if (const auto prepare = variant.prepare.get<T>())
        ready.prepare = [on, prepare](cudaStream_t stream) { prepare(on(stream)); };
    return ready;
}

}  // namespace BACKEND

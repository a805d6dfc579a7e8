// SPDX-License-Identifier: MIT
// conv1d's tiles that are copied asynchronously, without registers, on devices with too little shared memory for them:
// every launch stays within the limit and computes the same. Prints what is wrong; nothing if all is right.
#include <cstdio>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "kernels/conv1d/async_tile.cuh"

namespace BACKEND {
namespace {

template <typename T>
int faults_of(unsigned width) {
    constexpr size_t n = 3000;
    std::vector<T> h_signal(n), h_taps(width), h_output(n), expected;
    for (size_t i = 0; i < n; ++i) h_signal[i] = T(i % 7) - 3;
    for (unsigned j = 0; j < width; ++j) h_taps[j] = T(j % 5) - 2;
    const DeviceBuffer<T> d_signal(n), d_taps(width), d_output(n);
    CHECK(cudaMemcpy(d_signal.data(), h_signal.data(), d_signal.bytes(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_taps.data(), h_taps.data(), d_taps.bytes(), cudaMemcpyHostToDevice));
    ConvolutionArguments<T> arguments;
    arguments.signal = {d_signal.data(), n, Border::zero};
    arguments.d_output = d_output.data();
    arguments.h_taps = h_taps.data();
    arguments.d_taps = d_taps.data();
    arguments.width = width;
    int faults = 0;
    // The limits of compute capability 8.0, 8.6 and 7.5, and the one that needs no opt-in.
    for (const size_t kib : {163, 99, 64, 48}) {
        arguments.most_shared_bytes = kib * 1024;
        CHECK(cudaMemset(d_output.data(), 0xff, d_output.bytes()));
        put_taps_into_constant_memory(arguments);
        const LaunchShape shape = launch_conv1d_async_tile(arguments);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(h_output.data(), d_output.data(), d_output.bytes(), cudaMemcpyDeviceToHost));
        if (expected.empty()) expected = h_output;
        const bool fits = shape.dynamic_shared_bytes <= arguments.most_shared_bytes, is_same = h_output == expected;
        if (fits && is_same && h_output[0] == h_output[0]) continue;
        std::printf("width %u, %zu bytes per element, %zu KiB: %zu bytes%s\n", width, sizeof(T), kib,
                    shape.dynamic_shared_bytes, is_same ? "" : ", and another result");
        ++faults;
    }
    return faults;
}

}  // namespace
}  // namespace BACKEND

int main() {
    int faults = 0;
    for (const unsigned width : {2U, 900U, 2500U, 4095U})
        faults += BACKEND::faults_of<double>(width) + BACKEND::faults_of<float>(width);
    return faults > 0;
}

// SPDX-License-Identifier: MIT
#pragma once
// The bound: the cost of reading the signal and writing an output of the same length, without any sums.
//   conv1d_copy   16 bytes per thread
#include <cstdint>

#include "kernels/conv1d/arguments.cuh"

namespace BACKEND {

/// Grid ceil((vectors + edges) / block). The output reaches a 16-byte boundary after span.head elements; so does the
/// signal if `whole_vectors`.
template <typename T>
__global__ void conv1d_copy(const T* signal, T* output, VectorSpan<T> span, bool whole_vectors) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread < span.vectors) {
        Vector<T> vector;
        const T* source = signal + span.head + thread * Vector<T>::length;
        if (whole_vectors) {
            vector = *reinterpret_cast<const Vector<T>*>(source);
        } else {
#pragma unroll
            for (unsigned k = 0; k < Vector<T>::length; ++k) vector.values[k] = source[k];
        }
        reinterpret_cast<Vector<T>*>(output + span.head)[thread] = vector;
    } else {
        const size_t k = thread - span.vectors;
        if (k < span.edges()) output[span.edge(k)] = signal[span.edge(k)];
    }
}

template <typename T>
LaunchShape launch_conv1d_copy(const ConvolutionArguments<T>& arguments) {
    const VectorSpan<T> span = split_into_vectors(arguments.d_output, arguments.outputs());
    const unsigned grid = grid_for(span.vectors + span.edges(), arguments.block_size);
    const auto place = [](const T* address) { return reinterpret_cast<std::uintptr_t>(address) % vector_bytes; };
    conv1d_copy<<<grid, arguments.block_size, 0, arguments.stream>>>(
        arguments.signal.values, arguments.d_output, span, place(arguments.signal.values) == place(arguments.d_output));
    return {dim3(grid), dim3(arguments.block_size), 0};
}

}  // namespace BACKEND

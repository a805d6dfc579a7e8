// SPDX-License-Identifier: MIT
#pragma once
// Wide filters as products of spectra: the work per output no longer grows with the width, only with its logarithm.
//   conv1d_overlap_save   removes most multiplications: a block transforms two overlapping segments of the signal, as
//                         the real and the imaginary part of one sequence, multiplies by the filter's spectrum and
//                         transforms back. (Weights are real, so the two do not mix.) Between signal and output,
//                         everything stays in registers and shared memory
// A transform of 4096 points has three passes of radix 16, with 16 points per thread: Sande and Tukey's order forward,
// Cooley and Tukey's backward. In between, the spectrum is in digit-reversed order, which does not matter for products.
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/conv1d/arguments.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace BACKEND {

constexpr unsigned fft_points = 4096;
constexpr unsigned fft_radix = 16;  // 4096 is its third power
constexpr unsigned fft_block = fft_points / fft_radix;

template <typename T>
using Complex = std::conditional_t<std::is_same_v<T, float>, float2, double2>;

template <typename C>
__device__ __forceinline__ C add(C a, C b) {
    return {a.x + b.x, a.y + b.y};
}
template <typename C>
__device__ __forceinline__ C subtract(C a, C b) {
    return {a.x - b.x, a.y - b.y};
}
/// a * b, or a times the conjugate of b.
template <bool conjugate, typename C>
__device__ __forceinline__ C multiply(C a, C b) {
    if (conjugate) b.y = -b.y;
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/// exp(-2 pi i * numerator / denominator).
__device__ __forceinline__ float2 root_of_unity(unsigned numerator, float denominator) {
    float2 root;
    sincospif(-2.0f * static_cast<float>(numerator) / denominator, &root.y, &root.x);
    return root;
}
__device__ __forceinline__ double2 root_of_unity(unsigned numerator, double denominator) {
    double2 root;
    sincospi(-2.0 * numerator / denominator, &root.y, &root.x);
    return root;
}

/// Transforms four points in place, forward or (not scaled) backward.
template <bool backward, typename C>
__device__ __forceinline__ void transform_4(C& a, C& b, C& c, C& d) {
    const C even = add(a, c), odd = subtract(a, c), sum = add(b, d), difference = subtract(b, d);
    const C turned = backward ? C{-difference.y, difference.x} : C{difference.y, -difference.x};
    a = add(even, sum);
    b = add(odd, turned);
    c = subtract(even, sum);
    d = subtract(odd, turned);
}

/// Where transform_16() leaves its element k.
__host__ __device__ constexpr unsigned place_of(unsigned k) { return 4 * (k % 4) + k / 4; }

template <bool backward, typename C>
__device__ __forceinline__ void transform_16(C (&v)[fft_radix]) {
    using T = decltype(C::x);
    // cos and sin of 2 pi / 16 times 0 to 9; those that are not needed are zero.
    constexpr T c1 = T(0.92387953251128675613), s1 = T(0.38268343236508977173), h = T(0.70710678118654752440);
    const C roots[10] = {{1, 0}, {c1, -s1}, {h, -h}, {s1, -c1}, {0, -1}, {}, {-h, -h}, {}, {}, {-c1, s1}};
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        transform_4<backward>(v[i], v[i + 4], v[i + 8], v[i + 12]);
#pragma unroll
        for (unsigned j = 1; j < 4; ++j)
            if (i > 0) v[i + 4 * j] = multiply<backward>(v[i + 4 * j], roots[i * j]);
    }
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) transform_4<backward>(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
}

/// v[at(k)] times the k-th power of the root, or of its conjugate.
template <bool conjugate, typename C, typename Place>
__device__ __forceinline__ void multiply_by_powers(C (&v)[fft_radix], C root, Place at) {
    C powers[fft_radix];  // each is the product of two with about half its exponent: few roundings
    powers[1] = root;
#pragma unroll
    for (unsigned k = 2; k < fft_radix; ++k) powers[k] = multiply<false>(powers[k / 2], powers[k - k / 2]);
#pragma unroll
    for (unsigned k = 1; k < fft_radix; ++k) v[at(k)] = multiply<conjugate>(v[at(k)], powers[k]);
}

/// A thread's role in the three passes. In the first it has elements thread, thread + 256, ...; in the other two it has
/// elements of group `group`, which only the group's 16 threads touch; they belong to one warp.
template <typename C>
struct FftThread {
    C* shared;  // fft_points
    unsigned thread = threadIdx.x, group = threadIdx.x / fft_radix, member = threadIdx.x % fft_radix;

    __device__ C& of_block(unsigned k) const { return shared[k * fft_block + thread]; }
    __device__ C& of_group(unsigned m) const { return shared[group * fft_block + m * fft_radix + member]; }
    /// The group as a matrix, swizzled so that neither its rows nor its columns have bank conflicts.
    __device__ C& turned(unsigned row, unsigned column) const {
        return shared[group * fft_block + row * fft_radix + (row ^ column)];
    }
    __device__ C root_of_block() const { return root_of_unity(thread, decltype(C::x)(fft_points)); }
    __device__ C root_of_group() const { return root_of_unity(member, decltype(C::x)(fft_block)); }
};

/// Before: v[m] is element thread + 256 m of the sequence. After: v[place_of(k)] is an element of its spectrum.
template <typename C>
__device__ __forceinline__ void transform(C (&v)[fft_radix], const FftThread<C>& own) {
    transform_16<false>(v);
    multiply_by_powers<false>(v, own.root_of_block(), [](unsigned k) { return place_of(k); });
    __syncthreads();  // no thread still reads the previous contents
#pragma unroll
    for (unsigned k = 0; k < fft_radix; ++k) own.of_block(k) = v[place_of(k)];
    __syncthreads();  // the first pass is complete; from here on each group is on its own
#pragma unroll
    for (unsigned m = 0; m < fft_radix; ++m) v[m] = own.of_group(m);
    transform_16<false>(v);
    multiply_by_powers<false>(v, own.root_of_group(), [](unsigned k) { return place_of(k); });
    __syncwarp();  // the group has read all its elements
#pragma unroll
    for (unsigned k = 0; k < fft_radix; ++k) own.turned(k, own.member) = v[place_of(k)];
    __syncwarp();  // the group has written them
#pragma unroll
    for (unsigned u = 0; u < fft_radix; ++u) v[u] = own.turned(own.member, u);
    transform_16<false>(v);
}

/// The inverse, not scaled. Before: v[k] is what transform() left in v[place_of(k)]. After: v[place_of(m)] is element
/// thread + 256 m of the sequence.
template <typename C>
__device__ __forceinline__ void transform_back(C (&v)[fft_radix], const FftThread<C>& own) {
    const auto in_order = [](unsigned k) { return k; };
    transform_16<true>(v);
    __syncwarp();  // the group has read the previous contents
#pragma unroll
    for (unsigned u = 0; u < fft_radix; ++u) own.turned(own.member, u) = v[place_of(u)];
    __syncwarp();  // the group has written all its elements
#pragma unroll
    for (unsigned k = 0; k < fft_radix; ++k) v[k] = own.turned(k, own.member);
    multiply_by_powers<true>(v, own.root_of_group(), in_order);
    transform_16<true>(v);
    __syncwarp();  // the group has read them
#pragma unroll
    for (unsigned m = 0; m < fft_radix; ++m) own.of_group(m) = v[place_of(m)];
    __syncthreads();  // the last pass reads elements of all groups
#pragma unroll
    for (unsigned k = 0; k < fft_radix; ++k) v[k] = own.of_block(k);
    multiply_by_powers<true>(v, own.root_of_block(), in_order);
    transform_16<true>(v);
}

/// How a filter is cut into parts of `length` taps, so that half of a segment or more are outputs.
struct FilterParts {
    unsigned count, length;

    static FilterParts of_width(unsigned width) {
        const unsigned count = width <= fft_points / 2 ? 1 : 2;
        return {count, (width + count - 1) / count};
    }
    /// Outputs of a segment.
    __host__ __device__ unsigned step() const { return fft_points - length + 1; }
};

/// Which frequency is element i of a spectrum in the order of transform(): its three digits are reversed.
constexpr unsigned frequency_at(unsigned i) {
    return i % fft_block / fft_radix + i % fft_radix * fft_radix + i / fft_block * fft_block;
}

/// Loads v[m]: element thread + 256 m of the segment at `first` and of the one `step` elements later.
template <typename T>
__device__ __forceinline__ void load_segments(Complex<T> (&v)[fft_radix], const Signal<T>& signal, std::int64_t first,
                                              unsigned step, const FftThread<Complex<T>>& own) {
    if (signal.holds(first, step + fft_points)) {
        const T* values = signal.values + first + own.thread;
#pragma unroll
        for (unsigned m = 0; m < fft_radix; ++m) v[m] = {values[m * fft_block], values[step + m * fft_block]};
        return;
    }
    __syncthreads();  // no thread still reads the previous contents
#pragma unroll 1      // through shared memory, which can be indexed in a loop: the code for borders is long
    for (unsigned m = 0; m < fft_radix; ++m) {
        const std::int64_t i = first + own.thread + m * fft_block;
        own.of_block(m) = {signal.at(i), signal.at(i + step)};
    }
#pragma unroll
    for (unsigned m = 0; m < fft_radix; ++m) v[m] = own.of_block(m);
}

/// spectra: of the filter's parts, scaled by 1 / fft_points, in the order of frequency_at().
/// Two segments per block; grid ceil(outputs / (2 * step)); dynamic shared memory for 4096 complex numbers.
template <typename T>
__global__ void __launch_bounds__(fft_block, sizeof(T) == 4 ? 2 : 1)
    conv1d_overlap_save(Signal<T> signal, T* output, size_t outputs, unsigned before, FilterParts parts,
                        const Complex<T>* spectra) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const FftThread<Complex<T>> own{reinterpret_cast<Complex<T>*>(shared_bytes)};
    const size_t first_output = static_cast<size_t>(blockIdx.x) * 2 * parts.step();
    const std::int64_t first = static_cast<std::int64_t>(first_output) - before;
    Complex<T> v[fft_radix], products[fft_radix] = {};
#pragma unroll 1
    for (unsigned part = 0; part < parts.count; ++part) {
        load_segments(v, signal, first + part * parts.length, parts.step(), own);
        transform(v, own);
        const Complex<T>* spectrum = spectra + part * fft_points + own.thread;
#pragma unroll
        for (unsigned k = 0; k < fft_radix; ++k)
            products[k] = add(products[k], multiply<false>(v[place_of(k)], spectrum[k * fft_block]));
    }
    transform_back(products, own);
#pragma unroll
    for (unsigned m = 0; m < fft_radix; ++m) {
        // The first length - 1 elements are not outputs: the end of the segment has wrapped around into them.
        const unsigned k = own.thread + m * fft_block - (parts.length - 1);
        const size_t i = first_output + k;
        if (k < parts.step() && i < outputs) output[i] = products[place_of(m)].x;
        if (k < parts.step() && i + parts.step() < outputs) output[i + parts.step()] = products[place_of(m)].y;
    }
}

template <typename T>
constexpr unsigned fft_shared_bytes = fft_points * sizeof(Complex<T>);

/// block_size is not used.
template <typename T>
LaunchShape launch_conv1d_overlap_save(const ConvolutionArguments<T>& arguments, const Complex<T>* d_spectra) {
    const FilterParts parts = FilterParts::of_width(arguments.width);
    const size_t outputs = arguments.outputs();
    const unsigned grid = grid_for(outputs, 2 * size_t{parts.step()});
    CHECK(
        cudaFuncSetAttribute(conv1d_overlap_save<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, fft_shared_bytes<T>));
    if (outputs > 0)
        conv1d_overlap_save<<<grid, fft_block, fft_shared_bytes<T>, arguments.stream>>>(
            arguments.signal, arguments.d_output, outputs, arguments.before(), parts, d_spectra);
    return {dim3(grid), dim3(fft_block), fft_shared_bytes<T>};
}

}  // namespace BACKEND

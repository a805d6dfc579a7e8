// SPDX-License-Identifier: MIT
#pragma once
// The peer for wide filters: cuFFT, loaded at run time. Overlap-save: the signal is cut into blocks that overlap by
// width - 1 elements, and each is convolved by a product of spectra. Only for nvcc.
//   gather_blocks, multiply_spectra, scatter_blocks   the kernels between the calls of cuFFT
#include "common/cuda/buffers.cuh"
#include "common/cuda/library.hpp"
#include "kernels/conv1d/overlap_save.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace BACKEND {

/// How a signal is cut: block b has `length` elements from b * step - before on, and yields `step` outputs.
struct FftBlocks {
    unsigned length, step;

    /// Blocks at least eight times as long as the filter: at most an eighth of the work is lost to the overlap.
    static FftBlocks of_width(unsigned width) {
        unsigned length = 1024;
        while (length < 8 * width) length *= 2;
        return {length, length - width + 1};
    }
};

/// Grid x: over the elements of a block; y: over blocks from `first_block` on. Zeros beyond the last output's taps.
template <typename T>
__global__ void gather_blocks(Signal<T> signal, T* gathered, FftBlocks blocks, size_t first_block, unsigned before,
                              size_t end) {
    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t i = (first_block + blockIdx.y) * blocks.step + k;  // counted from the first output's first tap
    if (k >= blocks.length) return;
    gathered[static_cast<size_t>(blockIdx.y) * blocks.length + k] =
        i < end ? signal.at(static_cast<std::int64_t>(i) - before) : T(0);
}

/// Grid x: over the bins of a block; y: over blocks. `scale`: 1 / length, which cuFFT leaves to its callers.
template <typename T>
__global__ void multiply_spectra(Complex<T>* spectra, const Complex<T>* filter, unsigned bins, T scale) {
    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= bins) return;
    Complex<T>& bin = spectra[static_cast<size_t>(blockIdx.y) * bins + k];
    const Complex<T> product = multiply<false>(bin, filter[k]);
    bin = {product.x * scale, product.y * scale};
}

/// Grid x: over the outputs of a block; y: over blocks from `first_block` on.
template <typename T>
__global__ void scatter_blocks(const T* convolved, T* output, size_t outputs, FftBlocks blocks, size_t first_block) {
    const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t i = (first_block + blockIdx.y) * blocks.step + k;
    if (k >= blocks.step || i >= outputs) return;
    output[i] = convolved[static_cast<size_t>(blockIdx.y) * blocks.length + blocks.length - blocks.step + k];
}

/// The library. The declarations hold for CUDA 11 to 13.
class Cufft {
public:
    using Plan = int;
    enum Kind { r2c = 0x2a, c2r = 0x2c, d2z = 0x6a, z2d = 0x6c };

    Cufft() {
        works_ = library_.find(plan_many_, "cufftPlanMany") && library_.find(set_stream_, "cufftSetStream") &&
                 library_.find(forward_f32_, "cufftExecR2C") && library_.find(backward_f32_, "cufftExecC2R") &&
                 library_.find(forward_f64_, "cufftExecD2Z") && library_.find(backward_f64_, "cufftExecZ2D") &&
                 library_.find(destroy_, "cufftDestroy");
    }

    explicit operator bool() const { return works_; }

    /// `batch` transforms of `length` real elements each; inputs and outputs are both contiguous.
    Plan plan(Kind kind, unsigned length, unsigned batch) const {
        Plan plan = -1;
        int extent = static_cast<int>(length);
        check(plan_many_(&plan, 1, &extent, nullptr, 1, 0, nullptr, 1, 0, kind, static_cast<int>(batch)), "PlanMany");
        return plan;
    }
    void destroy(Plan plan) const { static_cast<void>(destroy_(plan)); }
    void set_stream(Plan plan, cudaStream_t stream) const { check(set_stream_(plan, stream), "SetStream"); }
    void forward(Plan plan, float* real, float2* spectrum) const { check(forward_f32_(plan, real, spectrum), "R2C"); }
    void forward(Plan plan, double* real, double2* spectrum) const { check(forward_f64_(plan, real, spectrum), "D2Z"); }
    void backward(Plan plan, float2* spectrum, float* real) const { check(backward_f32_(plan, spectrum, real), "C2R"); }
    void backward(Plan plan, double2* spectrum, double* real) const {
        check(backward_f64_(plan, spectrum, real), "Z2D");
    }

private:
    static void check(int status, const char* call) {
        if (status != 0)
            fail(Exit::cuda_error, "cuFFT's {} failed with its status {}; try a smaller size", call, status);
    }

    const Library library_{{"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"}};
    bool works_ = false;
    int (*plan_many_)(Plan*, int, int*, int*, int, int, int*, int, int, int, int) = nullptr;
    int (*set_stream_)(Plan, cudaStream_t) = nullptr;
    int (*forward_f32_)(Plan, float*, float2*) = nullptr;
    int (*backward_f32_)(Plan, float2*, float*) = nullptr;
    int (*forward_f64_)(Plan, double*, double2*) = nullptr;
    int (*backward_f64_)(Plan, double2*, double*) = nullptr;
    int (*destroy_)(Plan) = nullptr;
};

/// One convolution with cuFFT: its plans, buffers and the filter's spectrum, which are made once.
template <typename T>
class CufftConvolution {
public:
    /// The library must have been found. `h_taps` is read now.
    CufftConvolution(const Cufft& library, const ConvolutionArguments<T>& arguments)
        : library_(library),
          blocks_(FftBlocks::of_width(arguments.width)),
          bins_(blocks_.length / 2 + 1),
          count_(divide_up(arguments.outputs(), blocks_.step)),
          batch_(count_ < most_at_once() ? static_cast<unsigned>(count_) : most_at_once()),
          real_(static_cast<size_t>(batch_ > 0 ? batch_ : 1) * blocks_.length),
          spectra_(static_cast<size_t>(batch_) * bins_),
          filter_(bins_) {
        if (batch_ == 0) return;
        forward_ = library.plan(is_f32 ? Cufft::r2c : Cufft::d2z, blocks_.length, batch_);
        backward_ = library.plan(is_f32 ? Cufft::c2r : Cufft::z2d, blocks_.length, batch_);
        transform_filter(arguments);
    }
    ~CufftConvolution() {
        if (forward_ >= 0) library_.destroy(forward_);
        if (backward_ >= 0) library_.destroy(backward_);
    }
    CufftConvolution(const CufftConvolution&) = delete;
    CufftConvolution& operator=(const CufftConvolution&) = delete;

    LaunchShape launch(const ConvolutionArguments<T>& arguments) const {
        if (batch_ == 0) return {};
        library_.set_stream(forward_, arguments.stream);
        library_.set_stream(backward_, arguments.stream);
        constexpr unsigned block = 256;
        const dim3 over_elements(grid_for(blocks_.length, block), batch_), over_bins(grid_for(bins_, block), batch_);
        const size_t end = arguments.outputs() + arguments.width - 1;
        for (size_t first = 0; first < count_; first += batch_) {
            gather_blocks<<<over_elements, block, 0, arguments.stream>>>(arguments.signal, real_.data(), blocks_, first,
                                                                         arguments.before(), end);
            library_.forward(forward_, real_.data(), spectra_.data());
            multiply_spectra<T><<<over_bins, block, 0, arguments.stream>>>(spectra_.data(), filter_.data(), bins_,
                                                                           T(1) / T(blocks_.length));
            library_.backward(backward_, spectra_.data(), real_.data());
            scatter_blocks<<<over_elements, block, 0, arguments.stream>>>(real_.data(), arguments.d_output,
                                                                          arguments.outputs(), blocks_, first);
        }
        return {};
    }

private:
    static constexpr bool is_f32 = std::is_same_v<T, float>;

    /// As many blocks as, with their spectra, stay in a large L2 from one step to the next.
    unsigned most_at_once() const { return (1u << 21) / blocks_.length; }

    /// The spectrum of the weights, which are the taps in reverse.
    void transform_filter(const ConvolutionArguments<T>& arguments) {
        std::vector<T> weights(blocks_.length, T(0));
        std::reverse_copy(arguments.h_taps, arguments.h_taps + arguments.width, weights.begin());
        const DeviceBuffer<T> d_weights(blocks_.length);
        copy_to_device(d_weights.data(), weights.data(), d_weights.bytes());
        const Cufft::Plan plan = library_.plan(is_f32 ? Cufft::r2c : Cufft::d2z, blocks_.length, 1);
        library_.forward(plan, d_weights.data(), filter_.data());
        CHECK(cudaDeviceSynchronize());
        library_.destroy(plan);
    }

    const Cufft& library_;
    FftBlocks blocks_;
    unsigned bins_;
    size_t count_;    // of blocks
    unsigned batch_;  // blocks at once
    DeviceBuffer<T> real_;
    DeviceBuffer<Complex<T>> spectra_, filter_;
    Cufft::Plan forward_ = -1, backward_ = -1;
};

}  // namespace BACKEND

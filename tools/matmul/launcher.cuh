// SPDX-License-Identifier: MIT
// How plans are launched on a device: what their kernels need there besides A, B and C.
#pragma once

#include <string>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "tools/matmul/plan/choose.cuh"

namespace BACKEND {

// Free bytes of the current device's memory.
inline double free_device_bytes() {
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return double(free_bytes);
}

// Failure(cuda_error) unless `wanted` bytes of the device's memory are free.
inline void expect_room(const std::string& products, double wanted) {
    const double free_bytes = free_device_bytes();
    if (wanted <= free_bytes) return;
    fail(Exit::cuda_error,
         "{}: A, B, C and what the kernels need beside them take {} on the device, of which {} are free; choose a "
         "smaller --size",
         products, human_bytes(wanted), human_bytes(free_bytes));
}

// Bytes of the memory where blocks leave what others of their launch need.
inline size_t partials_bytes(const DeviceInfo& device) {
#ifndef __SIMCC__
    if (device.compute_capability == 90) return partial_sums_bytes(unsigned(device.multiprocessors));
#endif
    return unsigned(device.multiprocessors) * sizeof(unsigned);  // a ticket each
}
// A product on a device, or several of a batch.
struct DeviceMatrices {
    ProductShape shape;
    ProductForm form;
    ProductStrides strides;
    const unsigned char *d_a, *d_b;
    unsigned char* d_c;
};

// Launches of one launcher share its memory, so they must follow one another.
class ProductLauncher {
public:
    // On the current device, which is `device`.
    ProductLauncher(const Session& session, const DeviceInfo& device, DType dtype)
        : block_size_(session.options.block),
          multiprocessors_(unsigned(device.multiprocessors)),
          result_bytes_(size_of(result_dtype(dtype))),
          partials_(partials_bytes(device)),
          scales_(is_float8(dtype) ? 2 * scale_step : 0) {
        fill_device(partials_.data(), 0, partials_.bytes());
    }

    // A's and B's, of 8-bit floats.
    void upload_scales(const float* h_scales) const {
        for (size_t i = 0; i < 2; ++i) copy_to_device(scales_.data() + i * scale_step, h_scales + i, sizeof *h_scales);
    }

    // Enqueues the products, with as large a workspace as the plan asks for. For k = 0, C is zero; an empty C needs
    // nothing.
    LaunchShape launch(const Plan& plan, const DeviceMatrices& of, unsigned char* d_workspace,
                       cudaStream_t stream) const {
        const size_t elements = of.form.products() * of.strides.c;
        if (of.shape.m * of.shape.n * of.form.products() == 0) return {};
        if (of.shape.k == 0) {
            CHECK(cudaMemsetAsync(of.d_c, 0, elements * result_bytes_, stream));
            return {};
        }
        MatmulArguments<void> arguments = arguments_of(of.shape, of.form, of.strides);
        arguments.d_a = of.d_a, arguments.d_b = of.d_b, arguments.d_c = of.d_c;
        arguments.d_workspace = d_workspace, arguments.d_partials = partials_.data();
        arguments.d_scales = scales_.data();
        arguments.multiprocessors = multiprocessors_, arguments.block_size = block_size_;
        arguments.stream = stream;
        return plan.launch(arguments);
    }

private:
    const unsigned block_size_, multiprocessors_;
    const size_t result_bytes_;  // of an element of C
    const DeviceBuffer<unsigned char> partials_;
    const DeviceBuffer<float> scales_;  // of 8-bit floats
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// A device that multiplies several parts of a product of files: while one is multiplied, the next one is copied to the
// device, and the last one to the host.
#pragma once

#include <mutex>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/cuda/staged_copy.cuh"
#include "tools/matmul/launcher.cuh"

namespace BACKEND {

// The products of one part.
struct PartOfProduct {
    ProductShape shape;
    ProductForm form;
};

// Device memory for some parts, each of which has a place for its rows of A and C, and for its own B unless all parts
// share one. Each place is used by one thread at a time.
class DevicePlaces {
public:
    // On the current device, `device`. `largest` is as large as any part.
    DevicePlaces(const Session& session, const DeviceInfo& device, DType dtype, const PartOfProduct& largest,
                 size_t places, bool shares_b, size_t workspace_bytes)
        : element_bytes_(size_of(dtype)),
          result_bytes_(size_of(result_dtype(dtype))),
          shares_b_(shares_b),
          launcher_(session, device, dtype) {
        const auto& [shape, form] = largest;
        const ProductStrides strides = ProductStrides::aligned(shape, form, element_bytes_);
        const auto whole = [](size_t bytes) { return divide_up(bytes, alignment) * alignment; };
        a_bytes_ = whole(form.products() * strides.a * element_bytes_);
        b_bytes_ = whole(elements_of_b(shape, form, strides) * element_bytes_);
        c_bytes_ = whole(form.products() * strides.c * result_bytes_);
        const size_t of_b = shares_b ? 1 : places;
        expect_room(name_of_products(shape, form), double(places) * double(a_bytes_ + c_bytes_) +
                                                       double(of_b) * double(b_bytes_) + double(workspace_bytes));
        a_ = Bytes(places * a_bytes_), b_ = Bytes(of_b * b_bytes_), c_ = Bytes(places * c_bytes_);
        workspace_ = Bytes(workspace_bytes);
        for (size_t place = 0; place < places; ++place) computed_.emplace_back(cudaEventDisableTiming);
        // (Memory is filled in another stream.)
        CHECK(cudaDeviceSynchronize());
    }

    void upload_scales(const float* h_scales) { launcher_.upload_scales(h_scales); }
    void upload_b(size_t place, const PartOfProduct& part, const void* h_b) {
        const std::lock_guard lock(uploading_);
        const auto& [shape, form] = part;
        upload(d_b(place), h_b, shape.k * shape.n, strides(part).b, form.shares_b ? 1 : form.products());
    }

    // C = A B. B must have been uploaded.
    void multiply(size_t place, const PartOfProduct& part, const Plan& plan, const void* h_a, void* h_c) {
        const auto& [shape, form] = part;
        if (shape.m * shape.n * form.products() == 0) return;
        {
            const std::lock_guard lock(uploading_);
            upload(a_.data() + place * a_bytes_, h_a, shape.m * shape.k, strides(part).a, form.products());
        }
        {
            const std::lock_guard lock(launching_);
            // Products run one after another in one stream, since they share a workspace.
            launcher_.launch(plan, {shape, form, strides(part), a_.data() + place * a_bytes_, d_b(place), d_c(place)},
                             workspace_.data(), stream_);
            CHECK(cudaGetLastError());
            computed_[place].record(stream_);
        }
        computed_[place].synchronize();
        const std::lock_guard lock(downloading_);
        download(h_c, place, part);
    }

private:
    using Bytes = DeviceBuffer<unsigned char>;
    static constexpr size_t alignment = 256;

    ProductStrides strides(const PartOfProduct& part) const {
        return ProductStrides::aligned(part.shape, part.form, element_bytes_);
    }
    unsigned char* d_b(size_t place) const { return b_.data() + (shares_b_ ? 0 : place * b_bytes_); }
    unsigned char* d_c(size_t place) const { return c_.data() + place * c_bytes_; }

    // Uploads matrices that are contiguous on the host.
    void upload(unsigned char* d_matrices, const void* h_matrices, size_t elements, size_t stride, size_t matrices) {
        const size_t bytes = elements * element_bytes_;
        if (bytes == 0) return;
        if (stride == elements || matrices == 1) return up_.to_device(d_matrices, h_matrices, matrices * bytes);
        for (size_t i = 0; i < matrices; ++i)
            up_.to_device(d_matrices + i * stride * element_bytes_,
                          static_cast<const unsigned char*>(h_matrices) + i * bytes, bytes);
    }
    void download(void* h_c, size_t place, const PartOfProduct& part) {
        const auto& [shape, form] = part;
        const size_t elements = shape.m * shape.n, stride = strides(part).c, bytes = elements * result_bytes_;
        if (stride == elements) return down_.to_host(h_c, d_c(place), form.products() * bytes);
        for (size_t i = 0; i < form.products(); ++i)
            down_.to_host(static_cast<unsigned char*>(h_c) + i * bytes, d_c(place) + i * stride * result_bytes_, bytes);
    }

    const size_t element_bytes_, result_bytes_;  // of A and B, and of C
    const bool shares_b_;
    size_t a_bytes_ = 0, b_bytes_ = 0, c_bytes_ = 0;  // of a place
    const ProductLauncher launcher_;
    Bytes a_, b_, c_, workspace_;
    Stream stream_;
    std::vector<Event> computed_;
    std::mutex uploading_, launching_, downloading_;
    StagedCopier up_, down_;
};

}  // namespace BACKEND

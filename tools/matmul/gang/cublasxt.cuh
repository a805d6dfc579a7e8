// SPDX-License-Identifier: MIT
// A product by cuBLASXt on the devices of a gang. Only for nvcc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/gang/devices.cuh"
#include "kernels/matmul/generic/cublasxt.cuh"
#include "tools/matmul/gang/split.cuh"

namespace BACKEND {

// A, B and C are on the first device: in the host's memory, the bus would be what is measured.
class CublasXtProduct {
public:
    CublasXtProduct(const Gang& gang, const ProductShape& shape, DType dtype)
        : ordinal_(gang.device(0).ordinal), shape_(shape), dtype_(dtype) {
        if (gang.is_in_one_process()) library_.emplace(ordinals_of(gang));
    }

    // Why it cannot run; "" if it can.
    std::string obstacle() const {
        if (dtype_ != DType::f32 && dtype_ != DType::f64) return "it multiplies f32 and f64; choose another --dtype";
        if (!library_) return "it drives the devices of one process: start one only";
        return *library_ ? "" : "libcublas was not found, or has no cuBLASXt";
    }

    void upload(HostPart& host) {
        const OnDevice there(ordinal_);
        const size_t bytes = size_of(dtype_);
        expect_room(shape_.name(), shape_.elements() * double(bytes));
        a_ = DeviceBuffer<unsigned char>(shape_.m * shape_.k * bytes);
        b_ = DeviceBuffer<unsigned char>(shape_.k * shape_.n * bytes);
        c_ = DeviceBuffer<unsigned char>(shape_.m * shape_.n * bytes);
        const auto copy_to = [this](const DeviceBuffer<unsigned char>& matrix) {
            return [this, &matrix](const HostBlock& rows) {
                copier_.to_device(matrix.data() + rows.place.rows.begin * rows.row_bytes(), rows.elements,
                                  rows.place.rows.size * rows.row_bytes());
            };
        };
        host.make(copy_to(a_), copy_to(b_));
    }

    void poison() const {
        const OnDevice there(ordinal_);
        fill_device(c_.data(), 0xff, c_.bytes());
    }

    // The first call chooses the block size.
    void multiply() {
        const OnDevice there(ordinal_);
        if (c_.size() == 0) return;
        if (shape_.k == 0) return CHECK(cudaMemset(c_.data(), 0, c_.bytes()));
        if (block_ == 0) choose_block();
        multiply_with(block_);
    }
    std::string tile() const { return text("{0}x{0}", block_); }

    // Compares each part of C.
    Verdict check(HostPart& host, const std::vector<ProductBlock>& parts) const {
        const OnDevice there(ordinal_);
        Verdict verdict;
        for (size_t part = 0; part < parts.size() && verdict.right; ++part) {
            const auto& [rows, columns] = parts[part];
            const size_t bytes = size_of(dtype_), width = columns.size * bytes;
            if (width > 0 && rows.size > 0)
                CHECK(cudaMemcpy2D(host.c(), width, c_.data() + rows.begin * shape_.n * bytes + columns.begin * bytes,
                                   shape_.n * bytes, width, rows.size, cudaMemcpyDeviceToHost));
            verdict = host.check(part);
        }
        return verdict;
    }

private:
    static std::vector<int> ordinals_of(const Gang& gang) {
        std::vector<int> ordinals;
        for (const DeviceInfo& device : gang.devices()) ordinals.push_back(device.ordinal);
        return ordinals;
    }

    void multiply_with(int block) const {
        library_->multiply(dtype_, shape_.m, shape_.n, shape_.k, a_.data(), b_.data(), c_.data(), block);
    }

    // The block size with which a second product is fastest: the first one allocates memory.
    void choose_block() {
        double least_ns = 0;
        for (const int block : {1024, 2048, 4096, 8192}) {
            multiply_with(block);
            const double ns = host_time([&] { multiply_with(block); });
            if (block_ == 0 || ns < least_ns) block_ = block, least_ns = ns;
        }
    }

    std::optional<CublasXt> library_;
    const int ordinal_;
    const ProductShape shape_;
    const DType dtype_;
    int block_ = 0;
    DeviceBuffer<unsigned char> a_, b_, c_;
    StagedCopier copier_;  // (made where the first device is the current one)
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// The matrix that is read: on the host, and on the device in pitched memory and in an array, with textures on both.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/measure/random.hpp"
#include "kernels/texture.cuh"

namespace BACKEND {

// The largest texture that a device takes.
struct TextureLimits {
    int columns = 0, rows = 0, pitch_bytes = 0;  // 0: no limit

    static TextureLimits of_arrays(int device) {
        return {attribute(cudaDevAttrMaxTexture2DWidth, device), attribute(cudaDevAttrMaxTexture2DHeight, device), 0};
    }
    static TextureLimits of_pitched_memory(int device) {
        return {attribute(cudaDevAttrMaxTexture2DLinearWidth, device),
                attribute(cudaDevAttrMaxTexture2DLinearHeight, device),
                attribute(cudaDevAttrMaxTexture2DLinearPitch, device)};
    }

    // What is too large: "131073 columns are more than ..."; "" if such a matrix fits.
    std::string excess(const MatrixShape& shape, size_t pitch) const {
        const auto more = [](size_t count, const char* what, int limit) -> std::string {
            if (limit == 0 || count <= size_t(limit)) return "";
            return text("{} {} are more than such a texture has on this device, {}", count, what, limit);
        };
        std::string reason = more(shape.columns, "columns", columns);
        if (reason.empty()) reason = more(shape.rows, "rows", rows);
        return reason.empty() ? more(pitch, "bytes from row to row", pitch_bytes) : reason;
    }

private:
    static int attribute(cudaDeviceAttr which, int device) {
        int value = 0;
        CHECK(cudaDeviceGetAttribute(&value, which, device));
        return value;
    }
};

struct ArrayDeleter {
    void operator()(cudaArray* array) const { static_cast<void>(cudaFreeArray(array)); }
};

// A texture that clamps coordinates and reads the nearest element.
class Texture {
public:
    Texture() = default;
    explicit Texture(const cudaResourceDesc& resource) {
        cudaTextureDesc how = {};
        how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
        how.filterMode = cudaFilterModePoint;
        how.readMode = cudaReadModeElementType;
        CHECK(cudaCreateTextureObject(&object_, &resource, &how, nullptr));
    }
    ~Texture() {
        if (object_) static_cast<void>(cudaDestroyTextureObject(object_));
    }
    Texture(Texture&& other) noexcept : object_(std::exchange(other.object_, 0)) {}
    Texture& operator=(Texture&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    cudaTextureObject_t object() const { return object_; }

private:
    cudaTextureObject_t object_ = 0;
};

template <typename T>
class Matrix {
public:
    Matrix(const Session& session, const MatrixShape& shape) : shape_(shape), h_data_(shape.elements()) {
        fill(h_data_.data(), h_data_.size(),
             [seed = session.options.seed](size_t i) { return exact_summand<float>(seed, i); });
        if (h_data_.empty()) return;
        std::vector<T> elements(h_data_.size());
        fill(elements.data(), elements.size(), [&](size_t i) { return T(h_data_[i]); });
        upload(elements.data());
        const int device = session.device.ordinal;
        no_array_ = TextureLimits::of_arrays(device).excess(shape, 0);
        no_pitched_texture_ = TextureLimits::of_pitched_memory(device).excess(shape, pitch_);
        if (no_array_.empty()) make_array(elements.data());
        if (no_pitched_texture_.empty()) make_pitched_texture();
    }

    const MatrixShape& shape() const { return shape_; }
    const float* h_data() const { return h_data_.data(); }
    const T* d_data() const { return static_cast<const T*>(d_data_.get()); }
    size_t stride() const { return pitch_ / sizeof(T); }
    // 0 for an empty matrix, or if there is a reason against it.
    const Texture& on_array() const { return on_array_; }
    const Texture& on_pitched_memory() const { return on_pitched_memory_; }
    const std::string& no_array() const { return no_array_; }
    const std::string& no_pitched_texture() const { return no_pitched_texture_; }

private:
    size_t row_bytes() const { return shape_.columns * sizeof(T); }

    static cudaChannelFormatDesc format() {
        return cudaCreateChannelDesc(8 * int(sizeof(T)), 0, 0, 0, cudaChannelFormatKindFloat);
    }

    void upload(const T* elements) {
        void* pointer = nullptr;
        CHECK(cudaMallocPitch(&pointer, &pitch_, row_bytes(), shape_.rows));
        d_data_.reset(pointer);
        CHECK(cudaMemcpy2D(pointer, pitch_, elements, row_bytes(), row_bytes(), shape_.rows, cudaMemcpyHostToDevice));
    }

    void make_array(const T* elements) {
        const cudaChannelFormatDesc of_elements = format();
        cudaArray_t array = nullptr;
        CHECK(cudaMallocArray(&array, &of_elements, shape_.columns, shape_.rows));
        array_.reset(array);
        CHECK(
            cudaMemcpy2DToArray(array, 0, 0, elements, row_bytes(), row_bytes(), shape_.rows, cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        on_array_ = Texture(resource);
    }

    void make_pitched_texture() {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = d_data_.get();
        resource.res.pitch2D.desc = format();
        resource.res.pitch2D.width = shape_.columns;
        resource.res.pitch2D.height = shape_.rows;
        resource.res.pitch2D.pitchInBytes = pitch_;
        on_pitched_memory_ = Texture(resource);
    }

    MatrixShape shape_;
    std::vector<float> h_data_;
    size_t pitch_ = 0;
    std::unique_ptr<void, DeviceDeleter> d_data_;
    std::unique_ptr<cudaArray, ArrayDeleter> array_;
    Texture on_array_, on_pitched_memory_;  // destroyed before what they are on
    std::string no_array_, no_pitched_texture_;
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// The matrix that is read: on the host, and on the device in linear memory, in pitched memory and in an array.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/device.cuh"
#include "common/measure/random.hpp"
#include "tools/texture/texels.cuh"

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
};

// An object of a texture or a surface. It is destroyed before what it is on.
template <cudaError_t (*destroy)(unsigned long long)>
class TextureObjectOwner {
public:
    TextureObjectOwner() = default;
    explicit TextureObjectOwner(unsigned long long object) : object_(object) {}
    ~TextureObjectOwner() {
        if (object_) static_cast<void>(destroy(object_));
    }
    TextureObjectOwner(TextureObjectOwner&& other) noexcept : object_(std::exchange(other.object_, 0)) {}
    TextureObjectOwner& operator=(TextureObjectOwner&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    unsigned long long object() const { return object_; }

private:
    unsigned long long object_ = 0;
};
using Texture = TextureObjectOwner<cudaDestroyTextureObject>;
using Surface = TextureObjectOwner<cudaDestroySurfaceObject>;

struct ArrayDeleter {
    void operator()(cudaArray* array) const { static_cast<void>(cudaFreeArray(array)); }
};

enum class Memory { linear, pitched, array };

// Memory of a kind for a matrix of T.
template <typename T>
class MatrixMemory {
public:
    // surface_flags: cudaMallocArray's, of an array.
    MatrixMemory(int device, const MatrixShape& shape, Memory kind, unsigned surface_flags) : shape_(shape) {
        if (shape.elements() == 0) return;
        if (kind == Memory::array) {
            no_texture_ = TextureLimits::of_arrays(device).excess(shape, 0);
            if (no_texture_.empty()) allocate_array(surface_flags);
            return;
        }
        if (kind == Memory::linear) {
            pitch_ = row_bytes();
            d_data_.reset(allocate_device(pitch_ * shape.rows));
        } else {
            void* pointer = nullptr;
            CHECK(cudaMallocPitch(&pointer, &pitch_, row_bytes(), shape.rows));
            d_data_.reset(pointer);
            no_texture_ = TextureLimits::of_pitched_memory(device).excess(shape, pitch_);
        }
    }

    // Done when it returns, also for kernels in streams that do not wait for the default one.
    void fill_from(const void* elements) const {
        if (array_) {
            CHECK(cudaMemcpy2DToArray(array_.get(), 0, 0, elements, row_bytes(), row_bytes(), shape_.rows,
                                      cudaMemcpyHostToDevice));
        } else if (d_data_) {
            CHECK(cudaMemcpy2D(d_data_.get(), pitch_, elements, row_bytes(), row_bytes(), shape_.rows,
                               cudaMemcpyHostToDevice));
        }
        CHECK(cudaStreamSynchronize(nullptr));
    }
    T* d_data() const { return static_cast<T*>(d_data_.get()); }
    size_t stride() const { return pitch_ / sizeof(T); }

    // Why there is no texture on it; "" if there is one.
    const std::string& no_texture() const { return no_texture_; }
    Texture texture(Addressing beyond, bool filters) const {
        if (shape_.elements() == 0) return {};
        cudaTextureDesc how = {};
        how.addressMode[0] = how.addressMode[1] = address_mode(beyond);  // the border color remains zero
        how.normalizedCoords = beyond == Addressing::wrap || beyond == Addressing::mirror;
        how.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
        how.readMode = is_normalized<T> ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
        const cudaResourceDesc resource = describe();
        cudaTextureObject_t object = 0;
        CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
        return Texture(object);
    }
    Surface surface() const {
        if (!array_) return {};
        const cudaResourceDesc resource = describe();
        cudaSurfaceObject_t object = 0;
        CHECK(cudaCreateSurfaceObject(&object, &resource));
        return Surface(object);
    }

    static cudaTextureAddressMode address_mode(Addressing beyond) {
        switch (beyond) {
            case Addressing::border: return cudaAddressModeBorder;
            case Addressing::wrap: return cudaAddressModeWrap;
            case Addressing::mirror: return cudaAddressModeMirror;
            default: return cudaAddressModeClamp;
        }
    }

private:
    size_t row_bytes() const { return shape_.columns * sizeof(T); }

    void allocate_array(unsigned flags) {
        const cudaChannelFormatDesc format = texel_format<T>();
        cudaArray_t array = nullptr;
        CHECK(cudaMallocArray(&array, &format, shape_.columns, shape_.rows, flags));
        array_.reset(array);
    }

    cudaResourceDesc describe() const {
        cudaResourceDesc resource = {};
        if (array_) {
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = array_.get();
            return resource;
        }
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = d_data_.get();
        resource.res.pitch2D.desc = texel_format<T>();
        resource.res.pitch2D.width = shape_.columns;
        resource.res.pitch2D.height = shape_.rows;
        resource.res.pitch2D.pitchInBytes = pitch_;
        return resource;
    }

    MatrixShape shape_;
    size_t pitch_ = 0;
    std::unique_ptr<void, DeviceDeleter> d_data_;
    std::unique_ptr<cudaArray, ArrayDeleter> array_;
    std::string no_texture_;
};

// The matrix in memory of every kind that is asked for, and other memory for its copies.
template <typename T>
class Matrix {
public:
    Matrix(const Session& session, const MatrixShape& shape)
        : device_(session.device.ordinal), shape_(shape), h_data_(shape.elements() * channels_of<T>) {
        fill(h_data_.data(), h_data_.size(),
             [seed = session.options.seed](size_t i) { return random_channel<T>(seed, i); });
    }

    const float* h_data() const { return h_data_.data(); }  // channels

    const MatrixMemory<T>& in(Memory kind) {
        std::unique_ptr<MatrixMemory<T>>& one = originals_[int(kind)];
        if (one) return *one;
        one = std::make_unique<MatrixMemory<T>>(device_, shape_, kind, cudaArrayDefault);
        std::vector<StoredChannel<T>> channels(h_data_.size());
        fill(channels.data(), channels.size(), [&](size_t i) { return static_cast<StoredChannel<T>>(h_data_[i]); });
        one->fill_from(channels.data());
        return *one;
    }
    const MatrixMemory<T>& copy(Memory kind) {
        std::unique_ptr<MatrixMemory<T>>& one = copies_[int(kind)];
        if (!one) one = std::make_unique<MatrixMemory<T>>(device_, shape_, kind, cudaArraySurfaceLoadStore);
        return *one;
    }
    void poison_copy(Memory kind) {
        const std::vector<StoredChannel<T>> channels(h_data_.size(), static_cast<StoredChannel<T>>(77.0f));
        copy(kind).fill_from(channels.data());
    }

private:
    int device_;
    MatrixShape shape_;
    std::vector<float> h_data_;
    std::unique_ptr<MatrixMemory<T>> originals_[3], copies_[3];
};

}  // namespace BACKEND

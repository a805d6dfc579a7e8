// SPDX-License-Identifier: MIT
// Loads through a texture, of which the simulator keeps the address.
#pragma once

#include <stddef.h>

#include <iterator>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename T, typename OffsetT = ptrdiff_t>
class TexObjInputIterator {
public:
    using self_type = TexObjInputIterator;
    using difference_type = OffsetT;
    using value_type = T;
    using pointer = T*;
    using reference = T;
    using iterator_category = std::random_access_iterator_tag;

    TexObjInputIterator() = default;
    template <typename U>
    cudaError_t BindTexture(U* pointer, size_t = ~size_t(0), size_t texture_offset = 0) {
        pointer_ = pointer + texture_offset;
        return cudaSuccess;
    }
    cudaError_t UnbindTexture() { return cudaSuccess; }
    reference operator*() const { return *pointer_; }
    TexObjInputIterator operator++(int) {
        TexObjInputIterator old = *this;
        ++*this;
        return old;
    }
    TexObjInputIterator& operator++() {
        ++pointer_;
        return *this;
    }
    TexObjInputIterator& operator--() {
        --pointer_;
        return *this;
    }
    template <typename Distance>
    TexObjInputIterator operator+(Distance n) const {
        TexObjInputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    TexObjInputIterator& operator+=(Distance n) {
        pointer_ += n;
        return *this;
    }
    template <typename Distance>
    TexObjInputIterator operator-(Distance n) const {
        TexObjInputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    TexObjInputIterator& operator-=(Distance n) {
        pointer_ -= n;
        return *this;
    }
    difference_type operator-(const TexObjInputIterator& other) const {
        return static_cast<difference_type>(pointer_ - other.pointer_);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const TexObjInputIterator& other) const { return pointer_ == other.pointer_; }
    bool operator!=(const TexObjInputIterator& other) const { return !(*this == other); }
    bool operator<(const TexObjInputIterator& other) const { return pointer_ < other.pointer_; }

private:
    const T* pointer_ = nullptr;
};

CUB_NAMESPACE_CLOSE

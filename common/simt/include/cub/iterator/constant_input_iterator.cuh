// SPDX-License-Identifier: MIT
// One value at every place.
#pragma once

#include <stddef.h>

#include <iterator>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename ValueType, typename OffsetT = ptrdiff_t>
class ConstantInputIterator {
public:
    using self_type = ConstantInputIterator;
    using difference_type = OffsetT;
    using value_type = ValueType;
    using pointer = ValueType*;
    using reference = ValueType;
    using iterator_category = std::random_access_iterator_tag;

    ConstantInputIterator(ValueType value, OffsetT offset = 0) : value_(value), offset_(offset) {}
    reference operator*() const { return value_; }
    ConstantInputIterator operator++(int) {
        ConstantInputIterator old = *this;
        ++*this;
        return old;
    }
    ConstantInputIterator& operator++() {
        ++offset_;
        return *this;
    }
    ConstantInputIterator& operator--() {
        --offset_;
        return *this;
    }
    template <typename Distance>
    ConstantInputIterator operator+(Distance n) const {
        ConstantInputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    ConstantInputIterator& operator+=(Distance n) {
        offset_ += n;
        return *this;
    }
    template <typename Distance>
    ConstantInputIterator operator-(Distance n) const {
        ConstantInputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    ConstantInputIterator& operator-=(Distance n) {
        offset_ -= n;
        return *this;
    }
    difference_type operator-(const ConstantInputIterator& other) const {
        return static_cast<difference_type>(offset_ - other.offset_);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const ConstantInputIterator& other) const { return offset_ == other.offset_; }
    bool operator!=(const ConstantInputIterator& other) const { return !(*this == other); }
    bool operator<(const ConstantInputIterator& other) const { return offset_ < other.offset_; }

private:
    ValueType value_;
    OffsetT offset_;
};

CUB_NAMESPACE_CLOSE

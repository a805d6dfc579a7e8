// SPDX-License-Identifier: MIT
// A function of what another iterator gives.
#pragma once

#include <stddef.h>

#include <iterator>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename ValueType, typename ConversionOp, typename InputIteratorT, typename OffsetT = ptrdiff_t>
class TransformInputIterator {
public:
    using self_type = TransformInputIterator;
    using difference_type = OffsetT;
    using value_type = ValueType;
    using pointer = ValueType*;
    using reference = ValueType;
    using iterator_category = std::random_access_iterator_tag;

    TransformInputIterator(InputIteratorT input, ConversionOp conversion) : conversion_(conversion), input_(input) {}
    reference operator*() const { return conversion_(*input_); }
    TransformInputIterator operator++(int) {
        TransformInputIterator old = *this;
        ++*this;
        return old;
    }
    TransformInputIterator& operator++() {
        ++input_;
        return *this;
    }
    TransformInputIterator& operator--() {
        --input_;
        return *this;
    }
    template <typename Distance>
    TransformInputIterator operator+(Distance n) const {
        TransformInputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    TransformInputIterator& operator+=(Distance n) {
        input_ += n;
        return *this;
    }
    template <typename Distance>
    TransformInputIterator operator-(Distance n) const {
        TransformInputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    TransformInputIterator& operator-=(Distance n) {
        input_ -= n;
        return *this;
    }
    difference_type operator-(const TransformInputIterator& other) const {
        return static_cast<difference_type>(input_ - other.input_);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const TransformInputIterator& other) const { return input_ == other.input_; }
    bool operator!=(const TransformInputIterator& other) const { return !(*this == other); }
    bool operator<(const TransformInputIterator& other) const { return input_ < other.input_; }

private:
    mutable ConversionOp conversion_;
    InputIteratorT input_;
};

CUB_NAMESPACE_CLOSE

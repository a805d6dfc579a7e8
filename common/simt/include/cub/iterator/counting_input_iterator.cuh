// SPDX-License-Identifier: MIT
// Consecutive numbers.
#pragma once

#include <stddef.h>

#include <iterator>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename ValueType, typename OffsetT = ptrdiff_t>
class CountingInputIterator {
public:
    using self_type = CountingInputIterator;
    using difference_type = OffsetT;
    using value_type = ValueType;
    using pointer = ValueType*;
    using reference = ValueType;
    using iterator_category = std::random_access_iterator_tag;

    CountingInputIterator(const ValueType& value) : value_(value) {}
    reference operator*() const { return value_; }
    CountingInputIterator operator++(int) {
        CountingInputIterator old = *this;
        ++*this;
        return old;
    }
    CountingInputIterator& operator++() {
        ++value_;
        return *this;
    }
    CountingInputIterator& operator--() {
        --value_;
        return *this;
    }
    template <typename Distance>
    CountingInputIterator operator+(Distance n) const {
        CountingInputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    CountingInputIterator& operator+=(Distance n) {
        value_ += n;
        return *this;
    }
    template <typename Distance>
    CountingInputIterator operator-(Distance n) const {
        CountingInputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    CountingInputIterator& operator-=(Distance n) {
        value_ -= n;
        return *this;
    }
    difference_type operator-(const CountingInputIterator& other) const {
        return static_cast<difference_type>(value_ - other.value_);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const CountingInputIterator& other) const { return value_ == other.value_; }
    bool operator!=(const CountingInputIterator& other) const { return !(*this == other); }
    bool operator<(const CountingInputIterator& other) const { return value_ < other.value_; }

private:
    ValueType value_;
};

CUB_NAMESPACE_CLOSE

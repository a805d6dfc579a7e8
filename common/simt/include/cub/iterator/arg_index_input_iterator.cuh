// SPDX-License-Identifier: MIT
// Pairs of an offset and what another iterator gives there.
#pragma once

#include <stddef.h>

#include <iterator>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename InputIteratorT, typename OffsetT = ptrdiff_t,
          typename OutputValueT = simt_parts::ValueOf<InputIteratorT>>
class ArgIndexInputIterator {
public:
    using self_type = ArgIndexInputIterator;
    using difference_type = OffsetT;
    using value_type = KeyValuePair<OffsetT, OutputValueT>;
    using pointer = value_type*;
    using reference = value_type;
    using iterator_category = std::random_access_iterator_tag;

    ArgIndexInputIterator(InputIteratorT input, difference_type offset = 0) : input_(input), offset_(offset) {}
    reference operator*() const { return value_type(offset_, input_[offset_]); }
    void normalize() {
        input_ += offset_;
        offset_ = 0;
    }
    ArgIndexInputIterator operator++(int) {
        ArgIndexInputIterator old = *this;
        ++*this;
        return old;
    }
    ArgIndexInputIterator& operator++() {
        ++offset_;
        return *this;
    }
    ArgIndexInputIterator& operator--() {
        --offset_;
        return *this;
    }
    template <typename Distance>
    ArgIndexInputIterator operator+(Distance n) const {
        ArgIndexInputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    ArgIndexInputIterator& operator+=(Distance n) {
        offset_ += n;
        return *this;
    }
    template <typename Distance>
    ArgIndexInputIterator operator-(Distance n) const {
        ArgIndexInputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    ArgIndexInputIterator& operator-=(Distance n) {
        offset_ -= n;
        return *this;
    }
    difference_type operator-(const ArgIndexInputIterator& other) const {
        return static_cast<difference_type>(offset_ - other.offset_);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const ArgIndexInputIterator& other) const { return offset_ == other.offset_; }
    bool operator!=(const ArgIndexInputIterator& other) const { return !(*this == other); }
    bool operator<(const ArgIndexInputIterator& other) const { return offset_ < other.offset_; }

private:
    InputIteratorT input_;
    difference_type offset_;
};

CUB_NAMESPACE_CLOSE

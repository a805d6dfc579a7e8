// SPDX-License-Identifier: MIT
// What is written there is lost.
#pragma once

#include <stddef.h>

#include <iterator>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename OffsetT = ptrdiff_t>
class DiscardOutputIterator {
public:
    struct Nothing {
        template <typename T>
        const Nothing& operator=(const T&) const {
            return *this;
        }
    };

    using self_type = DiscardOutputIterator;
    using difference_type = OffsetT;
    using value_type = void;
    using pointer = void;
    using reference = Nothing;
    using iterator_category = std::random_access_iterator_tag;

    DiscardOutputIterator(OffsetT offset = 0) : offset_(offset) {}
    reference operator*() const { return {}; }
    DiscardOutputIterator operator++(int) {
        DiscardOutputIterator old = *this;
        ++*this;
        return old;
    }
    DiscardOutputIterator& operator++() {
        ++offset_;
        return *this;
    }
    DiscardOutputIterator& operator--() {
        --offset_;
        return *this;
    }
    template <typename Distance>
    DiscardOutputIterator operator+(Distance n) const {
        DiscardOutputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    DiscardOutputIterator& operator+=(Distance n) {
        offset_ += n;
        return *this;
    }
    template <typename Distance>
    DiscardOutputIterator operator-(Distance n) const {
        DiscardOutputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    DiscardOutputIterator& operator-=(Distance n) {
        offset_ -= n;
        return *this;
    }
    difference_type operator-(const DiscardOutputIterator& other) const {
        return static_cast<difference_type>(offset_ - other.offset_);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const DiscardOutputIterator& other) const { return offset_ == other.offset_; }
    bool operator!=(const DiscardOutputIterator& other) const { return !(*this == other); }
    bool operator<(const DiscardOutputIterator& other) const { return offset_ < other.offset_; }

private:
    OffsetT offset_;
};

CUB_NAMESPACE_CLOSE

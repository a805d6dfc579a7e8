// SPDX-License-Identifier: MIT
// Loads with a hint for the caches.
#pragma once

#include <stddef.h>

#include <iterator>
#include <type_traits>

#include "../thread/thread_load.cuh"

CUB_NAMESPACE_OPEN

template <CacheLoadModifier MODIFIER, typename ValueType, typename OffsetT = ptrdiff_t>
class CacheModifiedInputIterator {
public:
    using self_type = CacheModifiedInputIterator;
    using difference_type = OffsetT;
    using value_type = ValueType;
    using pointer = ValueType*;
    using reference = ValueType;
    using iterator_category = std::random_access_iterator_tag;

    ValueType* ptr;

    template <typename T>
    CacheModifiedInputIterator(T* pointer) : ptr(const_cast<std::remove_cv_t<T>*>(pointer)) {}
    reference operator*() const { return ThreadLoad<MODIFIER>(ptr); }
    CacheModifiedInputIterator operator++(int) {
        CacheModifiedInputIterator old = *this;
        ++*this;
        return old;
    }
    CacheModifiedInputIterator& operator++() {
        ++ptr;
        return *this;
    }
    CacheModifiedInputIterator& operator--() {
        --ptr;
        return *this;
    }
    template <typename Distance>
    CacheModifiedInputIterator operator+(Distance n) const {
        CacheModifiedInputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    CacheModifiedInputIterator& operator+=(Distance n) {
        ptr += n;
        return *this;
    }
    template <typename Distance>
    CacheModifiedInputIterator operator-(Distance n) const {
        CacheModifiedInputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    CacheModifiedInputIterator& operator-=(Distance n) {
        ptr -= n;
        return *this;
    }
    difference_type operator-(const CacheModifiedInputIterator& other) const {
        return static_cast<difference_type>(ptr - other.ptr);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const CacheModifiedInputIterator& other) const { return ptr == other.ptr; }
    bool operator!=(const CacheModifiedInputIterator& other) const { return !(*this == other); }
    bool operator<(const CacheModifiedInputIterator& other) const { return ptr < other.ptr; }
};

CUB_NAMESPACE_CLOSE

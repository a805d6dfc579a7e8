// SPDX-License-Identifier: MIT
// Stores with a hint for the caches.
#pragma once

#include <stddef.h>

#include <iterator>
#include <type_traits>

#include "../thread/thread_store.cuh"

CUB_NAMESPACE_OPEN

template <CacheStoreModifier MODIFIER, typename ValueType, typename OffsetT = ptrdiff_t>
class CacheModifiedOutputIterator {
    struct Reference {
        ValueType* pointer;
        Reference operator=(ValueType value) const {
            ThreadStore<MODIFIER>(pointer, value);
            return *this;
        }
    };

public:
    using self_type = CacheModifiedOutputIterator;
    using difference_type = OffsetT;
    using value_type = void;
    using pointer = void;
    using reference = Reference;
    using iterator_category = std::random_access_iterator_tag;

    template <typename T>
    CacheModifiedOutputIterator(T* pointer) : ptr_(const_cast<std::remove_cv_t<T>*>(pointer)) {}
    reference operator*() const { return {ptr_}; }
    CacheModifiedOutputIterator operator++(int) {
        CacheModifiedOutputIterator old = *this;
        ++*this;
        return old;
    }
    CacheModifiedOutputIterator& operator++() {
        ++ptr_;
        return *this;
    }
    CacheModifiedOutputIterator& operator--() {
        --ptr_;
        return *this;
    }
    template <typename Distance>
    CacheModifiedOutputIterator operator+(Distance n) const {
        CacheModifiedOutputIterator moved = *this;
        moved += n;
        return moved;
    }
    template <typename Distance>
    CacheModifiedOutputIterator& operator+=(Distance n) {
        ptr_ += n;
        return *this;
    }
    template <typename Distance>
    CacheModifiedOutputIterator operator-(Distance n) const {
        CacheModifiedOutputIterator moved = *this;
        moved -= n;
        return moved;
    }
    template <typename Distance>
    CacheModifiedOutputIterator& operator-=(Distance n) {
        ptr_ -= n;
        return *this;
    }
    difference_type operator-(const CacheModifiedOutputIterator& other) const {
        return static_cast<difference_type>(ptr_ - other.ptr_);
    }
    template <typename Distance>
    reference operator[](Distance n) const {
        return *(*this + n);
    }
    bool operator==(const CacheModifiedOutputIterator& other) const { return ptr_ == other.ptr_; }
    bool operator!=(const CacheModifiedOutputIterator& other) const { return !(*this == other); }
    bool operator<(const CacheModifiedOutputIterator& other) const { return ptr_ < other.ptr_; }

private:
    ValueType* ptr_;
};

CUB_NAMESPACE_CLOSE

// SPDX-License-Identifier: MIT
// Binary searches by one thread.
#pragma once

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

/// The first of num_items sorted items that is not less than val.
template <typename InputIteratorT, typename OffsetT, typename T>
SIMT_INLINE OffsetT LowerBound(InputIteratorT input, OffsetT num_items, T val) {
    OffsetT first = 0;
    while (num_items > 0) {
        const OffsetT half = num_items / 2;
        if (input[first + half] < val) {
            first += half + 1;
            num_items -= half + 1;
        } else {
            num_items = half;
        }
    }
    return first;
}

/// The first that is greater than val.
template <typename InputIteratorT, typename OffsetT, typename T>
SIMT_INLINE OffsetT UpperBound(InputIteratorT input, OffsetT num_items, T val) {
    OffsetT first = 0;
    while (num_items > 0) {
        const OffsetT half = num_items / 2;
        if (val < input[first + half]) {
            num_items = half;
        } else {
            first += half + 1;
            num_items -= half + 1;
        }
    }
    return first;
}

/// How many items of two sorted lists come before the diagonal in their merger.
template <typename AIteratorT, typename BIteratorT, typename OffsetT, typename CoordinateT>
SIMT_INLINE void MergePathSearch(OffsetT diagonal, AIteratorT a, BIteratorT b, OffsetT a_len, OffsetT b_len,
                                 CoordinateT& path_coordinate) {
    OffsetT low = diagonal > b_len ? diagonal - b_len : OffsetT(0), high = diagonal < a_len ? diagonal : a_len;
    while (low < high) {
        const OffsetT middle = low + (high - low) / 2;
        if (a[middle] <= b[diagonal - middle - 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    path_coordinate.x = low;
    path_coordinate.y = diagonal - low;
}

CUB_NAMESPACE_CLOSE

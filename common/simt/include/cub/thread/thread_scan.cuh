// SPDX-License-Identifier: MIT
// Prefixes over the items of one thread. Each returns the combination of all.
#pragma once

#include "thread_operators.cuh"

CUB_NAMESPACE_OPEN
namespace internal {

template <typename T, typename ScanOp, int LENGTH>
SIMT_INLINE T ThreadScanInclusive(T (&input)[LENGTH], T (&output)[LENGTH], ScanOp scan_op) {
    T total = input[0];
    output[0] = total;
    for (int i = 1; i < LENGTH; ++i) output[i] = total = scan_op(total, input[i]);
    return total;
}
template <typename T, typename ScanOp, int LENGTH>
SIMT_INLINE T ThreadScanInclusive(T (&input)[LENGTH], T (&output)[LENGTH], ScanOp scan_op, T prefix,
                                  bool apply_prefix = true) {
    T total = apply_prefix ? T(scan_op(prefix, input[0])) : input[0];
    output[0] = total;
    for (int i = 1; i < LENGTH; ++i) output[i] = total = scan_op(total, input[i]);
    return total;
}
template <typename T, typename ScanOp, int LENGTH>
SIMT_INLINE T ThreadScanExclusive(T (&input)[LENGTH], T (&output)[LENGTH], ScanOp scan_op, T prefix,
                                  bool apply_prefix = true) {
    T total = apply_prefix ? T(scan_op(prefix, input[0])) : input[0];
    if (apply_prefix) output[0] = prefix;
    for (int i = 1; i < LENGTH; ++i) {
        const T next = scan_op(total, input[i]);
        output[i] = total;
        total = next;
    }
    return total;
}

}  // namespace internal
using internal::ThreadScanExclusive;
using internal::ThreadScanInclusive;
CUB_NAMESPACE_CLOSE

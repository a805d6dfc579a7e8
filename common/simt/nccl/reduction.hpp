// SPDX-License-Identifier: MIT
// The arithmetic of reductions, on arrays of one of NCCL's types.
#pragma once

#include <cstddef>

#include "common/simt/include/nccl.h"

namespace simt::nccl {

size_t bytes_of(ncclDataType_t type);      // 0: there is no such type
const char* name_of(ncclDataType_t type);  // "float32"
const char* name_of_operation(int operation);
bool can_reduce(ncclDataType_t type);  // 8-bit floating-point types can only be moved

/// How the ranks' values are combined. The sum over ranks 0, 1, ... is ((x0 + x1) + x2) + ..., each step rounded to the
/// type; integers wrap. The mean of floating-point numbers is the sum of x * (1 / ranks); that of integers, the sum /
/// ranks.
struct Operator {
    int operation = ncclSum;       ///< a ncclRedOp_t below ncclNumOps, or ncclNumOps for scaled sums
    const void* scalar = nullptr;  ///< of a scaled sum, in the memory of the device; null: `immediate`
    alignas(8) char immediate[8] = {};
};

/// Scales a rank's own values first, if the operator does that.
void prepare(void* values, size_t count, ncclDataType_t type, const Operator& how, int ranks);
/// sum[i] = sum[i] + values[i], or whatever the operation is.
void combine(void* sum, const void* values, size_t count, ncclDataType_t type, const Operator& how);
/// Divides the result at the end, for the mean of integers.
void finish(void* sum, size_t count, ncclDataType_t type, const Operator& how, int ranks);

}  // namespace simt::nccl

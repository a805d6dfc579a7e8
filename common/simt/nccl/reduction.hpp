// The arithmetic of reductions, on arrays of one of NCCL's types.
#pragma once

#include <cstddef>

#include "common/simt/include/nccl.h"

namespace simt::nccl {

size_t bytes_of(ncclDataType_t type);      // 0: there is no such type
const char* name_of(ncclDataType_t type);  // "float32"
const char* name_of_operation(int operation);
bool can_reduce(ncclDataType_t type);  // the types of 8 bits with an exponent are only moved

// How ranks' values become one. The sum of ranks r = 0, 1, ... is ((x0 + x1) + x2) + ..., each step rounded to the type;
// integers wrap. The mean of floating-point numbers is the sum of x * (1 / ranks), that of integers the sum divided.
struct Operator {
    int operation = ncclSum;       // a ncclRedOp_t below ncclNumOps, or ncclNumOps for scaled sums
    const void* scalar = nullptr;  // of a scaled sum, in the memory of the device; null: `immediate`
    alignas(8) char immediate[8] = {};
};

// What a rank does to its values first: multiplies them.
void prepare(void* values, size_t count, ncclDataType_t type, const Operator& how, int ranks);
// sum[i] = sum[i] + values[i], or whatever the operation is.
void combine(void* sum, const void* values, size_t count, ncclDataType_t type, const Operator& how);
// What is done to the result last: the mean of integers divides.
void finish(void* sum, size_t count, ncclDataType_t type, const Operator& how, int ranks);

}  // namespace simt::nccl

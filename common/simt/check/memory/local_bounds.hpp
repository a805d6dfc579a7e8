// SPDX-License-Identifier: MIT
// Indices past the end of arrays that are local variables of a lane.
//
// g++ checks the index of every array whose size it knows (-fsanitize=bounds) and calls a handler when it is out of
// range. The handler gets a place in the source but not the array, so the name is read from the source text there.
// Shared and device variables do not count: they are checked by address. Only the first of several indices counts,
// since running from one row of a matrix into the next is not a memory error.
#pragma once

#include <cstdint>

namespace simt::check {

class MemoryCheck;

/// What g++ passes to the handler (described in libsanitizer/ubsan/ubsan_value.h).
struct ArrayType {
    uint16_t kind, info;
    char name[1];  ///< "'int [8]'", of any length
};
struct OutOfBounds {
    const char* file;
    uint32_t line, column;
    const ArrayType *array, *index;
};

/// If the array is local, reports the index and drops the running lane.
void index_out_of_bounds(MemoryCheck& memory, unsigned lane, const OutOfBounds& place, const void* pc);

}  // namespace simt::check

// Indices past the end of arrays that are local variables of a lane.
//
// g++ checks the index of every array whose size it knows (-fsanitize=bounds) and calls a handler when it is out of
// range; which array that is, it does not say. The source text does: at the place that the handler is told stands the
// name. Only names that are no shared or device variables count, and only the first of several indices: those arrays
// are checked by their addresses, and a row of a matrix that runs into the next one is no memory error.
#pragma once

#include <cstdint>

namespace simt::check {

// What g++ hands to the handler (libsanitizer/ubsan/ubsan_value.h describes it).
struct ArrayType {
    uint16_t kind, info;
    char name[1];  // "'int [8]'", as long as it needs to be
};
struct OutOfBounds {
    const char* file;
    uint32_t line, column;
    const ArrayType *array, *index;
};

// Reports and takes the lane out if the array is a local one.
void index_out_of_bounds(const OutOfBounds& place, const void* pc);

}  // namespace simt::check

// Functions of the C library that kernels call, as far as memory is concerned.
#pragma once

namespace simt::checking {

// free() of what is not on the device heap: reports and takes the lane out; returns if memory is not checked.
void invalid_free(const void* pointer, const void* pc);

}  // namespace simt::checking

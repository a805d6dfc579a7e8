// Functions of the C library that kernels call, as far as memory is concerned.
#pragma once

#include <cstdint>

namespace simt::checking {

// free() of what is not on the device heap: reports and takes the lane out; returns if memory is not checked.
void invalid_free(const void* pointer, const void* pc);

// A lane has met the guard page of its stack at this instruction: likewise. `stack` is the end of what it could use.
void stack_overflowed(uintptr_t instruction, const uintptr_t* stack);

}  // namespace simt::checking

// SPDX-License-Identifier: MIT
// malloc and free in kernels: CUDA's heap in device memory, which lives until cudaDeviceReset.
//
// As with clock(), the names mean something else on the host; the runtime's functions behind these symbols distinguish
// the two. In the fast flavor, new and delete in kernels are the host's; in the checked one they use this heap, too.
#pragma once

#include <stdlib.h>

extern "C" void* malloc(size_t bytes) noexcept __asm__("simt_malloc");
extern "C" void free(void* pointer) noexcept __asm__("simt_free");
// g++ makes this of malloc() and a memset() with zero.
extern "C" void* calloc(size_t count, size_t bytes) noexcept __asm__("simt_calloc");

#ifdef SIMT_CHECKED
#include <string.h>

namespace simt {
struct DeviceHeap {};
}  // namespace simt

// simcc turns `new` into this. `delete` recognizes memory of the device heap by its address.
void* operator new(decltype(sizeof 0) bytes, simt::DeviceHeap);
void* operator new[](decltype(sizeof 0) bytes, simt::DeviceHeap);
inline void operator delete(void* pointer, simt::DeviceHeap) { operator delete(pointer); }
inline void operator delete[](void* pointer, simt::DeviceHeap) { operator delete[](pointer); }

// The library's functions are not instrumented. These report what they read and write.
extern "C" void* memcpy(void* to, const void* from, size_t bytes) noexcept __asm__("simt_memcpy");
extern "C" void* memmove(void* to, const void* from, size_t bytes) noexcept __asm__("simt_memmove");
extern "C" void* memset(void* to, int value, size_t bytes) noexcept __asm__("simt_memset");
#endif

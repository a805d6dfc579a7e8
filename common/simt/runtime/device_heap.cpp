// SPDX-License-Identifier: MIT
// malloc, calloc and free, new and delete in programs that simcc has built: see include/simt/device_heap.hpp.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/runtime/state.hpp"

// clang++ before 19 declares these only when asked to, although every standard library has them.
void operator delete(void* pointer, size_t bytes) noexcept;
void operator delete[](void* pointer, size_t bytes) noexcept;

using namespace simt;

namespace {

// The simulator's own code allocates on the host, even on a thread that runs a kernel. Its call may come through the
// program's own operator new.
bool runs_device_code() { return in_kernel() && interruption.depth == 0; }

void* allocate_on_heap(size_t bytes) {
    const Uninterrupted section;
    // Kernels of all devices share one heap: it counts against the first device's memory.
    return runtime().memory.allocate(bytes, MemoryKind::heap, 0);
}

// `pc`: the place in the kernel.
void free_on_heap(void* pointer, const void* pc) {
    const Uninterrupted section;
    const auto from_heap = [](const Allocation& allocation) { return allocation.kind == MemoryKind::heap; };
    if (runtime().memory.release(pointer, from_heap)) return;
    if (BlockObserver* const observer = ResidentBlock::current()->observer()) observer->invalid_free(pointer, pc);
    fail_lane("free() of a pointer that is not, or no longer, on the device heap");
}

}  // namespace

extern "C" void* simt_malloc(size_t bytes) {
    if (!runs_device_code()) return std::malloc(bytes);
    return bytes ? allocate_on_heap(bytes) : nullptr;
}

extern "C" void* simt_calloc(size_t count, size_t bytes) {
    if (!runs_device_code()) return std::calloc(count, bytes);
    size_t all = 0;
    void* const memory = __builtin_mul_overflow(count, bytes, &all) ? nullptr : simt_malloc(all);
    if (memory) std::memset(memory, 0, all);
    return memory;
}

extern "C" void simt_free(void* pointer) {
    if (!runs_device_code()) return std::free(pointer);
    if (pointer) free_on_heap(pointer, __builtin_return_address(0));
}

namespace simt {
struct DeviceHeap {};
}  // namespace simt

void* operator new(size_t bytes, DeviceHeap) {
    return runs_device_code() ? allocate_on_heap(std::max<size_t>(bytes, 1)) : operator new(bytes);
}
void* operator new[](size_t bytes, DeviceHeap) {
    return runs_device_code() ? allocate_on_heap(std::max<size_t>(bytes, 1)) : operator new[](bytes);
}

namespace {

bool is_on_device_heap(const void* pointer) {
    return runs_device_code() && runtime().memory.address_space().contains(reinterpret_cast<uintptr_t>(pointer));
}

}  // namespace

// simcc replaces operator delete in checked code by calls to these. On the host they call the program's own operator,
// if there is one. That must never see a pointer to the device heap.
#define SIMT_DELETE(symbol, parameters, on_host)                                                   \
    extern "C" void symbol parameters {                                                            \
        if (is_on_device_heap(pointer)) return free_on_heap(pointer, __builtin_return_address(0)); \
        on_host;                                                                                   \
    }
SIMT_DELETE(simt_ZdlPv, (void* pointer), operator delete(pointer))
SIMT_DELETE(simt_ZdlPvm, (void* pointer, size_t bytes), operator delete(pointer, bytes))
SIMT_DELETE(simt_ZdaPv, (void* pointer), operator delete[](pointer))
SIMT_DELETE(simt_ZdaPvm, (void* pointer, size_t bytes), operator delete[](pointer, bytes))
#undef SIMT_DELETE

// malloc and free, new and delete in programs that simcc has built: see include/simt/device_heap.hpp.
#include <algorithm>
#include <cstdlib>
#include <new>

#include "common/simt/check/memory_functions.hpp"
#include "common/simt/execute.hpp"
#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/runtime.hpp"
#include "common/simt/uninterrupted.hpp"

using namespace simt;

namespace {

void* allocate_on_heap(size_t bytes) {
    const Uninterrupted section;
    // Kernels of all devices share one heap: it counts against the first one's memory.
    return runtime().memory.allocate(bytes, MemoryKind::heap, 0);
}

// `pc`: where the kernel asks for it.
void free_on_heap(void* pointer, const void* pc) {
    const Uninterrupted section;
    const auto from_heap = [](const Allocation& allocation) { return allocation.kind == MemoryKind::heap; };
    if (runtime().memory.release(pointer, from_heap)) return;
    checking::invalid_free(pointer, pc);
    fail_lane("free() of what is not on the device heap, or no longer");
}

}  // namespace

extern "C" void* simt_malloc(size_t bytes) {
    if (!in_kernel()) return std::malloc(bytes);
    return bytes ? allocate_on_heap(bytes) : nullptr;
}

extern "C" void simt_free(void* pointer) {
    if (!in_kernel()) return std::free(pointer);
    if (pointer) free_on_heap(pointer, __builtin_return_address(0));
}

namespace simt {
struct DeviceHeap {};
}  // namespace simt

void* operator new(size_t bytes, DeviceHeap) {
    return in_kernel() ? allocate_on_heap(std::max<size_t>(bytes, 1)) : operator new(bytes);
}
void* operator new[](size_t bytes, DeviceHeap heap) { return operator new(bytes, heap); }

namespace {

bool is_on_device_heap(const void* pointer) {
    return in_kernel() && runtime().memory.address_space().contains(reinterpret_cast<uintptr_t>(pointer));
}

}  // namespace

// Those of the whole program, unless it has its own. On the host they do what the library's do.
#define SIMT_DELETE(name, parameters, on_host)                                                         \
    __attribute__((weak)) void name parameters noexcept {                                              \
        if (is_on_device_heap(pointer)) return free_on_heap(pointer, __builtin_return_address(0));     \
        on_host(pointer);                                                                              \
    }
SIMT_DELETE(operator delete, (void* pointer), std::free)
SIMT_DELETE(operator delete, (void* pointer, size_t), operator delete)
SIMT_DELETE(operator delete[], (void* pointer), operator delete)
SIMT_DELETE(operator delete[], (void* pointer, size_t), operator delete)
#undef SIMT_DELETE

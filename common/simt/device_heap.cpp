// malloc and free in programs that simcc has built: see include/simt/device_heap.hpp.
#include <cstdlib>

#include "common/simt/check/memory_functions.hpp"
#include "common/simt/execute.hpp"
#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/runtime.hpp"
#include "common/simt/uninterrupted.hpp"

using namespace simt;

extern "C" void* simt_malloc(size_t bytes) {
    if (!in_kernel()) return std::malloc(bytes);
    const Uninterrupted section;
    // Kernels of all devices share one heap: it counts against the first one's memory.
    return bytes ? runtime().memory.allocate(bytes, MemoryKind::heap, 0) : nullptr;
}

extern "C" void simt_free(void* pointer) {
    if (!in_kernel()) return std::free(pointer);
    if (!pointer) return;
    const Uninterrupted section;
    const auto from_heap = [](const Allocation& allocation) { return allocation.kind == MemoryKind::heap; };
    if (runtime().memory.release(pointer, from_heap)) return;
    checking::invalid_free(pointer, __builtin_return_address(0));
    fail_lane("free() of what is not on the device heap, or no longer");
}

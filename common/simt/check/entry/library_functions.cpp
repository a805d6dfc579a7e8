// SPDX-License-Identifier: MIT
// Memory accesses of the C library functions that kernels call.
#include <cstdint>
#include <cstring>

#include "common/simt/check/entry/checked_block.hpp"
#include "common/simt/check/race/host_access.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {
namespace {

// The library is not instrumented, so each range passed to it is reported here as one access.
void tell(const void* pointer, size_t bytes, bool is_write, const void* pc) {
    if (bytes == 0 || interruption.depth > 0) return;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) {
        if (is_checked_on_host(address)) host_accessed(address, bytes, is_write, pc);
        return;
    }
    const Uninterrupted section;
    const Space space = check->space_of(address);
    if (space == Space::other) return;  // the simulator's own headers copy structures, too
    Access event{address, static_cast<uint32_t>(bytes), check->running_lane(), space, is_write};
    event.is_unaligned = true;
    event.pc = pc;
    check->access(event);
}

}  // namespace

}  // namespace simt::check

// The names that device_heap.hpp gives to these functions in the checked flavor.
using simt::check::tell;

extern "C" void* simt_memcpy(void* to, const void* from, size_t bytes) {
    tell(from, bytes, false, __builtin_return_address(0));
    tell(to, bytes, true, __builtin_return_address(0));
    return std::memcpy(to, from, bytes);
}

extern "C" void* simt_memmove(void* to, const void* from, size_t bytes) {
    tell(from, bytes, false, __builtin_return_address(0));
    tell(to, bytes, true, __builtin_return_address(0));
    return std::memmove(to, from, bytes);
}

extern "C" void* simt_memset(void* to, int value, size_t bytes) {
    tell(to, bytes, true, __builtin_return_address(0));
    return std::memset(to, value, bytes);
}

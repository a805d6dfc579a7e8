// SPDX-License-Identifier: MIT
// The functions that instrumented code calls. g++ emits calls to ThreadSanitizer and to a coverage tool, so the names
// are theirs (gcc/sanitizer.def). Outside a checked kernel a hook returns at once.
//
// They are part of each program, not of libsimt.so: kernels call them at every load and store, and calls within a
// module are fastest.
//
// A runtime that is itself compiled for ThreadSanitizer leaves these names to ThreadSanitizer and checks nothing.
// make: program (kernels reach functions of their own module fastest)
#include <cstddef>
#include <cstdint>

#include "common/simt/check/entry/checked_block.hpp"
#include "common/simt/check/race/host_access.hpp"
#include "common/simt/exec/uninterrupted.hpp"

__thread simt::check::BlockCheck* simt::check::current_check = nullptr;

#ifndef __SANITIZE_THREAD__

namespace simt::check {
namespace {

// Any access, on the host or in a kernel.
[[gnu::noinline]] void access(const volatile void* pointer, uint32_t bytes, bool is_write, const void* pc,
                              bool is_volatile = false, bool is_unaligned = false) {
    if (interruption.depth > 0) return;  // the simulator itself, through the program's own operator new or delete
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) {
        if (is_checked_on_host(address)) host_accessed(address, bytes, is_write, pc, is_volatile);
        return;
    }
    const Uninterrupted section;
    check->check_room_on_stack(pc);
    Access event{address, bytes, check->running_lane(), check->space_of(address), is_write};
    event.is_volatile = is_volatile;
    event.is_unaligned = is_unaligned;
    event.pc = pc;
    check->access(event);
}

// The hooks that matter for speed: they build an event only for an unusual access.
template <unsigned bytes, bool is_write>
[[gnu::always_inline]] inline void word_access(const void* pointer, const void* pc) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    CheckedBlock* const check = CheckedBlock::current();
    if (check && check->word_access<bytes, is_write>(address, pc)) return;
    if (!check && !is_checked_on_host(address)) return;
    access(pointer, bytes, is_write, pc);
}

[[gnu::noinline]] void follow(CheckedBlock& check, const void* pc) {
    if (interruption.depth > 0) return;
    const Uninterrupted section;
    check.block_entered(pc);
}

}  // namespace
}  // namespace simt::check

using simt::check::access;
using simt::check::word_access;

#define SIMT_HOOK extern "C" __attribute__((visibility("default"))) void
#define SIMT_PC __builtin_return_address(0)

SIMT_HOOK __tsan_read4(void* address) { word_access<4, false>(address, SIMT_PC); }
SIMT_HOOK __tsan_read8(void* address) { word_access<8, false>(address, SIMT_PC); }
SIMT_HOOK __tsan_read16(void* address) { word_access<16, false>(address, SIMT_PC); }
SIMT_HOOK __tsan_write4(void* address) { word_access<4, true>(address, SIMT_PC); }
SIMT_HOOK __tsan_write8(void* address) { word_access<8, true>(address, SIMT_PC); }
SIMT_HOOK __tsan_write16(void* address) { word_access<16, true>(address, SIMT_PC); }

SIMT_HOOK __tsan_read1(void* address) { access(address, 1, false, SIMT_PC); }
SIMT_HOOK __tsan_read2(void* address) { access(address, 2, false, SIMT_PC); }
SIMT_HOOK __tsan_write1(void* address) { access(address, 1, true, SIMT_PC); }
SIMT_HOOK __tsan_write2(void* address) { access(address, 2, true, SIMT_PC); }

#define SIMT_RARE_HOOKS(bytes)                                                                                     \
    SIMT_HOOK __tsan_unaligned_read##bytes(void* address) { access(address, bytes, false, SIMT_PC, false, true); } \
    SIMT_HOOK __tsan_unaligned_write##bytes(void* address) { access(address, bytes, true, SIMT_PC, false, true); } \
    SIMT_HOOK __tsan_volatile_read##bytes(void* address) { access(address, bytes, false, SIMT_PC, true); }         \
    SIMT_HOOK __tsan_volatile_write##bytes(void* address) { access(address, bytes, true, SIMT_PC, true); }         \
    SIMT_HOOK __tsan_unaligned_volatile_read##bytes(void* address) {                                               \
        access(address, bytes, false, SIMT_PC, true, true);                                                        \
    }                                                                                                              \
    SIMT_HOOK __tsan_unaligned_volatile_write##bytes(void* address) {                                              \
        access(address, bytes, true, SIMT_PC, true, true);                                                         \
    }
SIMT_RARE_HOOKS(1)
SIMT_RARE_HOOKS(2)
SIMT_RARE_HOOKS(4)
SIMT_RARE_HOOKS(8)
SIMT_RARE_HOOKS(16)
#undef SIMT_RARE_HOOKS

// Structures, and words that the program has declared with less than their natural alignment: a GPU accesses both in
// pieces.
SIMT_HOOK __tsan_read_range(void* address, size_t bytes) {
    access(address, static_cast<uint32_t>(bytes), false, SIMT_PC, false, true);
}
SIMT_HOOK __tsan_write_range(void* address, size_t bytes) {
    access(address, static_cast<uint32_t>(bytes), true, SIMT_PC, false, true);
}

SIMT_HOOK __sanitizer_cov_trace_pc() {
    simt::check::CheckedBlock* const check = simt::check::CheckedBlock::current();
    if (check && check->follows_lanes()) simt::check::follow(*check, SIMT_PC);
}

// ThreadSanitizer's other hooks, which are not needed here.
SIMT_HOOK __tsan_init() {}
SIMT_HOOK __tsan_func_entry(void*) {}
SIMT_HOOK __tsan_func_exit(void*) {}
SIMT_HOOK __tsan_vptr_update(void** pointer, void*) { access(pointer, 8, true, SIMT_PC); }
SIMT_HOOK __tsan_vptr_read(void** pointer) { access(pointer, 8, false, SIMT_PC); }

#undef SIMT_PC
#undef SIMT_HOOK

#endif

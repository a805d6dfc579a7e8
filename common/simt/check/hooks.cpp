// What instrumented code calls. g++ believes that it talks to ThreadSanitizer and to a coverage tool; the names are
// theirs (gcc/sanitizer.def). Outside of a watched kernel a hook returns at once.
#include <cstddef>
#include <cstdint>

#include "common/simt/check/block_watch_inline.hpp"
#include "common/simt/check/host_access.hpp"

namespace simt::checking {
namespace {

[[gnu::always_inline]] inline void access(const volatile void* pointer, uint32_t bytes, bool is_write,
                                          bool is_volatile, const void* pc, bool is_unaligned = false) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    BlockWatch* const watch = current_watch;
    if (!watch) {
        if (is_watched_on_host(address)) host_accessed(address, bytes, is_write, pc);
        return;
    }
    Access event{address, bytes, watch->running_lane(), watch->space_of(address), is_write};
    event.is_volatile = is_volatile;
    event.is_unaligned = is_unaligned;
    event.pc = pc;
    watch->access(event);
}

}  // namespace
}  // namespace simt::checking

using simt::checking::access;

#define SIMT_HOOK extern "C" __attribute__((visibility("default"))) void

#define SIMT_SIZED_HOOKS(bytes)                                                                                       \
    SIMT_HOOK __tsan_read##bytes(void* address) { access(address, bytes, false, false, __builtin_return_address(0)); } \
    SIMT_HOOK __tsan_write##bytes(void* address) { access(address, bytes, true, false, __builtin_return_address(0)); } \
    SIMT_HOOK __tsan_unaligned_read##bytes(void* address) {                                                           \
        access(address, bytes, false, false, __builtin_return_address(0), true);                                     \
    }                                                                                                                 \
    SIMT_HOOK __tsan_unaligned_write##bytes(void* address) {                                                          \
        access(address, bytes, true, false, __builtin_return_address(0), true);                                     \
    }                                                                                                                 \
    SIMT_HOOK __tsan_volatile_read##bytes(void* address) {                                                            \
        access(address, bytes, false, true, __builtin_return_address(0));                                             \
    }                                                                                                                 \
    SIMT_HOOK __tsan_volatile_write##bytes(void* address) {                                                           \
        access(address, bytes, true, true, __builtin_return_address(0));                                              \
    }                                                                                                                 \
    SIMT_HOOK __tsan_unaligned_volatile_read##bytes(void* address) {                                                  \
        access(address, bytes, false, true, __builtin_return_address(0), true);                                     \
    }                                                                                                                 \
    SIMT_HOOK __tsan_unaligned_volatile_write##bytes(void* address) {                                                 \
        access(address, bytes, true, true, __builtin_return_address(0), true);                                     \
    }
SIMT_SIZED_HOOKS(1)
SIMT_SIZED_HOOKS(2)
SIMT_SIZED_HOOKS(4)
SIMT_SIZED_HOOKS(8)
SIMT_SIZED_HOOKS(16)
#undef SIMT_SIZED_HOOKS

SIMT_HOOK __tsan_read_range(void* address, size_t bytes) {
    access(address, static_cast<uint32_t>(bytes), false, false, __builtin_return_address(0));
}
SIMT_HOOK __tsan_write_range(void* address, size_t bytes) {
    access(address, static_cast<uint32_t>(bytes), true, false, __builtin_return_address(0));
}

SIMT_HOOK __sanitizer_cov_trace_pc() {
    if (simt::checking::BlockWatch* const watch = simt::checking::current_watch) {
        watch->block_entered(__builtin_return_address(0));
    }
}

// ThreadSanitizer's other calls, which say nothing here.
SIMT_HOOK __tsan_init() {}
SIMT_HOOK __tsan_func_entry(void*) {}
SIMT_HOOK __tsan_func_exit(void*) {}
SIMT_HOOK __tsan_vptr_update(void** pointer, void*) { access(pointer, 8, true, false, __builtin_return_address(0)); }
SIMT_HOOK __tsan_vptr_read(void** pointer) { access(pointer, 8, false, false, __builtin_return_address(0)); }

#undef SIMT_HOOK

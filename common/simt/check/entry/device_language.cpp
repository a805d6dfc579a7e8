// SPDX-License-Identifier: MIT
// The functions that the checked flavor of the device language calls (see include/simt/check.hpp), and g++.
#include <cstdint>
#include <cstring>

#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/entry/checked_block.hpp"
#include "common/simt/check/memory/memory_check.hpp"
#include "common/simt/check/race/host_access.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

void arrive(Wait kind, unsigned mask, unsigned source, Site site) {
    if (CheckedBlock* const check = CheckedBlock::current()) check->arrive(kind, mask, source, site);
}

void fence(Reach reach) {
    const Uninterrupted section;
    if (CheckedBlock* const check = CheckedBlock::current()) check->fence(reach);
}

void begin_local_array(const volatile void* array, size_t bytes) {
    CheckedBlock* const check = CheckedBlock::current();
    if (check && check->counters()) check->counters()->begin_local_array({reinterpret_cast<uintptr_t>(array), bytes});
}

void end_local_array(const volatile void* array) {
    CheckedBlock* const check = CheckedBlock::current();
    if (check && check->counters()) check->counters()->end_local_array(reinterpret_cast<uintptr_t>(array));
}

void early_return() {
    CheckedBlock* const check = CheckedBlock::current();
    if (check && check->synchronization()) check->synchronization()->early_return();
}

bool begin_polling() {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check || check->is_polling(check->running_lane())) return check != nullptr;
    check->set_polling(true);
    return false;
}

void end_polling() {
    if (CheckedBlock* const check = CheckedBlock::current()) check->set_polling(false);
}

void begin_atomic(const volatile void* pointer, unsigned bytes, AtomicKind kind, Order order, Reach reach,
                  const void* pc, Site site) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) return;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    check::Access event{address, bytes, check->running_lane(), check->space_of(address), kind != AtomicKind::load};
    event.is_atomic = true;
    event.kind = kind;
    event.order = order;
    event.reach = reach;
    event.pc = pc;
    event.file = site.file;
    event.line = site.line;
    check->begin_atomic(event);
}

void end_atomic(const volatile void* pointer, bool has_written) {
    if (CheckedBlock* const check = CheckedBlock::current())
        check->end_atomic(reinterpret_cast<uintptr_t>(pointer), has_written);
}

// For racecheck alone: the barrier is no memory of the program, and a GPU's makes no request.
void meet_in_tile(const volatile void* word, bool arrives, Site site) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check || !check->races()) return;
    check::Access event{reinterpret_cast<uintptr_t>(word), sizeof(unsigned), check->running_lane(), Space::shared,
                        arrives};
    event.is_atomic = true;
    event.kind = arrives ? AtomicKind::update : AtomicKind::load;
    event.order = arrives ? Order::release : Order::acquire;
    event.reach = Reach::block;
    event.file = site.file;
    event.line = site.line;
    check->races()->begin_atomic(event);
    check->races()->end_atomic(event.address, arrives);
}

// (The access itself follows.)
extern "C" void simt_misaligned_vector(const void* vector, bool is_write) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check || !check->memory()) return;
    const void* const pc = __builtin_return_address(0);
    const Uninterrupted section;
    check->check_room_on_stack(pc);
    const auto address = reinterpret_cast<uintptr_t>(vector);
    check::Access event{address, 16, check->running_lane(), check->space_of(address), is_write};
    event.is_vector = true;
    event.pc = pc;
    check->memory()->access(event);
}

static void access_texel(const volatile void* texel, unsigned bytes, Texture texture, bool is_write, const void* pc) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) return;
    const Uninterrupted section;
    check->check_room_on_stack(pc);
    const auto address = reinterpret_cast<uintptr_t>(texel);
    check::Access event{address, bytes, check->running_lane(), check->space_of(address), is_write};
    event.texture = texture;
    event.pc = pc;
    check->access(event);
}

void fetch(const volatile void* texel, unsigned bytes, bool of_array, const void* pc) {
    access_texel(texel, bytes, of_array ? Texture::array : Texture::linear, false, pc);
}

void access_surface(const volatile void* texel, unsigned bytes, bool is_write, const void* pc) {
    access_texel(texel, bytes, Texture::array, is_write, pc);
}

void use(const volatile void* object) {
    const Uninterrupted section;
    CheckedBlock* const check = CheckedBlock::current();
    if (check && check->races()) check->races()->use(reinterpret_cast<uintptr_t>(object), __builtin_return_address(0));
}

void passes(const volatile void* pointer) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) return;
    const Uninterrupted section;
    check->passes(reinterpret_cast<uintptr_t>(pointer), __builtin_return_address(0));
}

}  // namespace simt::check

// What g++ calls where an index is outside its array.
extern "C" void __ubsan_handle_out_of_bounds(void* place, void*) {
    using namespace simt::check;
    CheckedBlock* const check = CheckedBlock::current();
    if (!check || !check->memory()) return;
    const simt::Uninterrupted section;
    index_out_of_bounds(*check->memory(), check->running_lane(), *static_cast<const OutOfBounds*>(place),
                        __builtin_return_address(0));
}

// ---- the atomic operations of the language

// __atomic_fetch_add, std::atomic and cuda::atomic in instrumented code: g++ turns each into a call, and the functions
// here carry it out.
//
// A runtime that is itself compiled for ThreadSanitizer leaves these names to ThreadSanitizer and checks nothing.

#ifndef __SANITIZE_THREAD__

namespace simt::check {
namespace {

// Announces one operation to the checkers, from its start to its end.
class Checked {
public:
    Checked(const volatile void* pointer, uint32_t bytes, check::AtomicKind kind, int order, const void* pc)
        : address_(reinterpret_cast<uintptr_t>(pointer)),
          check_(interruption.depth == 0 ? CheckedBlock::current() : nullptr) {
        if (!check_ && is_checked_on_host(address_)) host_synchronizes(address_, kind != check::AtomicKind::load);
        if (!check_) return;
        Access event{address_, bytes, check_->running_lane(), check_->space_of(address_),
                     kind != check::AtomicKind::load};
        event.is_atomic = true;
        event.kind = kind;
        event.order = check::order_of(order);
        event.reach = check::Reach::system;
        event.pc = pc;
        check_->begin_atomic(event);
    }
    ~Checked() {
        if (check_) check_->end_atomic(address_, has_written_);
    }
    bool wrote(bool has_written) { return has_written_ = has_written; }

private:
    uintptr_t address_;
    CheckedBlock* check_;
    bool has_written_ = true;
};

}  // namespace
}  // namespace simt::check

using simt::check::AtomicKind;
using simt::check::Checked;

#define SIMT_RETURN_ADDRESS __builtin_return_address(0)
#define SIMT_UPDATE(bits, type, name, operation)                                                  \
    type __tsan_atomic##bits##_##name(volatile type* address, type value, int order) {            \
        const Checked checked(address, bits / 8, AtomicKind::update, order, SIMT_RETURN_ADDRESS); \
        return operation(address, value, __ATOMIC_SEQ_CST);                                       \
    }
#define SIMT_ATOMICS(bits, type)                                                                                      \
    type __tsan_atomic##bits##_load(const volatile type* address, int order) {                                        \
        const Checked checked(address, bits / 8, AtomicKind::load, order, SIMT_RETURN_ADDRESS);                       \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                 \
    void __tsan_atomic##bits##_store(volatile type* address, type value, int order) {                                 \
        const Checked checked(address, bits / 8, AtomicKind::store, order, SIMT_RETURN_ADDRESS);                      \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                           \
    }                                                                                                                 \
    SIMT_UPDATE(bits, type, exchange, __atomic_exchange_n)                                                            \
    SIMT_UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                                            \
    SIMT_UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                                            \
    SIMT_UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                                            \
    SIMT_UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                                              \
    SIMT_UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                                            \
    SIMT_UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                                          \
    bool __tsan_atomic##bits##_compare_exchange_strong(volatile type* address, type* expected, type desired,          \
                                                       int order, int) {                                              \
        Checked checked(address, bits / 8, AtomicKind::compare_and_swap, order, SIMT_RETURN_ADDRESS);                 \
        return checked.wrote(                                                                                         \
            __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
    }                                                                                                                 \
    bool __tsan_atomic##bits##_compare_exchange_weak(volatile type* address, type* expected, type desired, int order, \
                                                     int) {                                                           \
        Checked checked(address, bits / 8, AtomicKind::compare_and_swap, order, SIMT_RETURN_ADDRESS);                 \
        return checked.wrote(                                                                                         \
            __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
    }

extern "C" {
SIMT_ATOMICS(8, uint8_t)
SIMT_ATOMICS(16, uint16_t)
SIMT_ATOMICS(32, uint32_t)
SIMT_ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int) {
    const simt::Uninterrupted section;
    if (simt::check::CheckedBlock* const check = simt::check::CheckedBlock::current())
        check->fence(simt::check::Reach::system);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
}
#undef SIMT_ATOMICS
#undef SIMT_UPDATE
#undef SIMT_RETURN_ADDRESS

#endif

// ---- memory accesses of the C library functions that kernels call

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
    if (space == Space::other) {  // the simulator's own headers copy structures, too
        const Symbol& place = symbol_of(pc);
        if (place.frames.empty() || place.frames.front().is_simulator) return;
    }
    Access event{address, static_cast<uint32_t>(bytes), check->running_lane(), space, is_write};
    event.is_unaligned = true;
    event.pc = pc;
    check->access(event);
}

}  // namespace

}  // namespace simt::check

// The names that device_functions.hpp gives to these functions in the checked flavor.
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

// SPDX-License-Identifier: MIT
// The atomic operations of the language (__atomic_fetch_add, std::atomic, cuda::atomic) in instrumented code: g++ turns
// each into a call, and the functions here carry it out.
//
// A runtime that is itself compiled for ThreadSanitizer leaves these names to ThreadSanitizer and checks nothing.
#ifndef __SANITIZE_THREAD__

#include <cstdint>

#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/entry/checked_block.hpp"
#include "common/simt/check/race/host_access.hpp"
#include "common/simt/exec/uninterrupted.hpp"

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

// What the checked flavour of the device language tells the simulator beyond the loads and stores, which report
// themselves: fences, atomic operations, and what a lane is about to wait for. `if constexpr (is_checked)` keeps the
// fast flavour from saying anything.
#pragma once

namespace simt {

// The place of a call in the source, as a default argument: `void f(Site site = Site::here())`.
struct Site {
    const char* file = nullptr;  // not known: the place is told by an address in the kernel
    unsigned line = 0;
    static constexpr Site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
};

namespace check {

// Who an atomic operation or a fence is meant for.
enum class Reach : unsigned char { block, device, system };

// What a lane waits for.
enum class Wait : unsigned char { block_barrier, warp_barrier, shuffle, vote, match, active_mask, grid_barrier, poll };

enum class AtomicKind : unsigned char { load, store, update, compare_and_swap };

// Memory orders of cuda::atomic and its relatives; CUDA's own atomic functions are relaxed.
enum class Order : unsigned char { relaxed, acquire, release, acquire_release };

// The order that g++ knows by this number (__ATOMIC_ACQUIRE and so on). Inlined: no copy is shared by the flavours.
[[gnu::always_inline]] constexpr Order order_of(int order) {
    switch (order) {
        case __ATOMIC_RELAXED: return Order::relaxed;
        case __ATOMIC_CONSUME:
        case __ATOMIC_ACQUIRE: return Order::acquire;
        case __ATOMIC_RELEASE: return Order::release;
        default: return Order::acquire_release;
    }
}

constexpr unsigned no_lane = 32;

// The running lane is about to wait. `mask`: the lanes of its warp that it names; `source`: the lane whose value it
// asks for in a shuffle.
void arrive(Wait kind, unsigned mask, unsigned source, Site site);
void fence(Reach reach);

// The running lane returns from a function ahead of its end: simcc's rewriter puts it there.
void early_return();

// The running lane enters or leaves a loop in which it only waits for others.
void begin_polling();
void end_polling();

// Around an atomic operation of the running lane on `bytes` bytes; nobody else's operation on them comes between. `pc`
// is the place in the kernel that counters are kept for. `has_written`: it was not a compare-and-swap that failed. Do
// nothing on the host.
void begin_atomic(const volatile void* address, unsigned bytes, AtomicKind kind, Order order, Reach reach,
                  const void* pc, Site site);
void end_atomic(const volatile void* address, bool has_written);

// The lane begins to use a synchronization object of 8 bytes (cuda::barrier): its initialization must be ordered before,
// by something else than the object itself.
void use(const volatile void* object);

}  // namespace check
}  // namespace simt

// SPDX-License-Identifier: MIT
// What the checked flavor of the device language reports to the simulator: fences, atomic operations, and what a lane
// is about to wait for. Loads and stores report themselves. `if constexpr (is_checked)` keeps all of this out of the
// fast flavor.
#pragma once

namespace simt {

/// The place of a call in the source, as a default argument: `void f(Site site = Site::here())`.
struct Site {
    const char* file = nullptr;  ///< null: the place is an address in the kernel
    unsigned line = 0;
    static constexpr Site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
};

namespace check {

/// The threads for which an atomic operation or a fence takes effect.
enum class Reach : unsigned char { block, device, system };

/// What a lane waits for.
enum class Wait : unsigned char {
    block_barrier,
    warp_barrier,
    shuffle,
    vote,
    match,
    matrix,  ///< the lanes load, store or multiply matrices together
    active_mask,
    grid_barrier,
    poll
};

/// A floating update is one of a floating-point number, which a GPU may do in another way.
enum class AtomicKind : unsigned char { load, store, update, floating_update, compare_and_swap };

/// Memory orders of cuda::atomic and its relatives; CUDA's own atomic functions are relaxed.
enum class Order : unsigned char { relaxed, acquire, release, acquire_release };

/// The order with this number in g++ (__ATOMIC_ACQUIRE and so on). Inlined, so that the flavors share no copy.
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

/// The running lane is about to wait. `mask`: the lanes of its warp that it names; `source`: the lane that a shuffle
/// reads from.
void arrive(Wait kind, unsigned mask, unsigned source, Site site);
void fence(Reach reach);

/// The running lane returns early from a function. simcc's rewriter inserts the call.
void early_return();

/// A variable of the running lane is in local memory, from its declaration to the end of its scope. Both calls do
/// nothing on the host.
void begin_local_array(const volatile void* array, decltype(sizeof 0) bytes);
void end_local_array(const volatile void* array);

/// The same as an object; simcc's rewriter inserts its declaration.
class LocalArray {
public:
    [[gnu::always_inline]] LocalArray(const volatile void* array, decltype(sizeof 0) bytes) : array_(array) {
        begin_local_array(array, bytes);
    }
    [[gnu::always_inline]] ~LocalArray() { end_local_array(array_); }
    LocalArray(const LocalArray&) = delete;
    LocalArray& operator=(const LocalArray&) = delete;

private:
    const volatile void* const array_;
};

/// The running lane enters or leaves a loop in which it only waits for others. Returns whether it is in one already.
bool begin_polling();
void end_polling();

/// Called before and after an atomic operation of the running lane on `bytes` bytes; no other lane's operation on them
/// comes between. `pc`: the place in the kernel for the counters. `has_written`: false for a compare-and-swap that
/// failed. Both do nothing on the host.
void begin_atomic(const volatile void* address, unsigned bytes, AtomicKind kind, Order order, Reach reach,
                  const void* pc, Site site);
void end_atomic(const volatile void* address, bool has_written);

/// The running lane arrives at the barrier of a large tile, or has passed it. `word`: of this generation of the barrier.
void meet_in_tile(const volatile void* word, bool arrives, Site site);

/// The running lane fetches a texel through a texture; `of_array`: from a CUDA array. Called in a function that the
/// kernel calls, from `pc`.
void fetch(const volatile void* texel, unsigned bytes, bool of_array, const void* pc);
/// The same through a surface, which is always on an array.
void access_surface(const volatile void* texel, unsigned bytes, bool is_write, const void* pc);

/// The lane begins to use a synchronization object of 8 bytes (cuda::barrier): something other than the object itself
/// must have ordered its initialization before this.
void use(const volatile void* object);

/// The running lane passes a pointer to a kernel that it launches: it must not point to local or shared memory.
void passes(const volatile void* pointer);

}  // namespace check
}  // namespace simt

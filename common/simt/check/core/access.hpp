// SPDX-License-Identifier: MIT
// One load, store or atomic operation of a lane, as the checkers and counters see it.
#pragma once

#include <cstdint>

#include "common/simt/include/simt/check.hpp"

namespace simt::check {

enum class Space : uint8_t {
    global,  // inside the simulator's reserved range of device memory
    shared,  // inside the worker thread's thread-local storage, where __shared__ variables live
    local,   // on the stack of a lane of this block
    other,   // anywhere else: variables of the executable, host memory, null
};

// How a texel is accessed: through a texture on linear memory, or through a texture or surface on an array.
enum class Texture : uint8_t { none, linear, array };

inline bool updates(check::AtomicKind kind) {
    return kind == check::AtomicKind::update || kind == check::AtomicKind::compare_and_swap;
}

struct Access {
    uintptr_t address;
    uint32_t bytes;
    uint32_t lane;  // index in the block, x fastest
    Space space;
    bool is_write;
    bool is_volatile = false;
    bool is_atomic = false;
    bool is_unaligned = false;  // the compiler assumes no alignment: a packed structure or a byte copy
    bool is_vector = false;     // one of CUDA's vector types
    Texture texture = Texture::none;
    check::AtomicKind kind = check::AtomicKind::load;  // for atomic operations: the kind,
    check::Order order = check::Order::relaxed;        // the memory order
    check::Reach reach = check::Reach::device;         // and the scope
    const void* pc = nullptr;                          // the place in the kernel: the return address of a hook
    const char* file = nullptr;                        // the source line, known only for atomic operations
    unsigned line = 0;
};

}  // namespace simt::check

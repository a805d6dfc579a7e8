// SPDX-License-Identifier: MIT
// Whether a kernel's pointers lead to one allocation: then a sum in it may not wait (include/simt/pending_sums.hpp).
#include <cstdint>

#include "common/simt/exec/machine.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt {

void find_pointers_beside(PendingSums& sums, const void* address, const void* const* pointers, unsigned count) {
    const RuntimeSection section;
    sums.is_apart = false;
    sums.known_begin = sums.known_end = 0;
    unless_short([&] {
        const auto allocation = runtime().memory.find(address);
        if (!allocation) return 0;
        bool is_apart = true;
        for (unsigned i = 0; i < count; ++i)
            is_apart &= !allocation->contains(reinterpret_cast<uintptr_t>(pointers[i]));
        sums.is_apart = is_apart;
        sums.known_begin = allocation->base;
        sums.known_end = allocation->base + allocation->bytes;
        return 0;
    });
}

}  // namespace simt

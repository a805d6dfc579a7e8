// SPDX-License-Identifier: MIT
// An index of shared memory, whose addresses have 32 bits on a GPU: unsigned numbers wrap there. simcc's rewriter passes
// the indices of device code that may be negative through this.
#pragma once

#include "simt/declare.h"

namespace simt {

template <typename Index>
SIMT_INLINE constexpr Index shared_index(Index index) {
    return index;
}
SIMT_INLINE constexpr int shared_index(unsigned index) { return static_cast<int>(index); }

}  // namespace simt

// SPDX-License-Identifier: MIT
// The operations for reduce and scan.
#pragma once

#include "../simt/identity.hpp"

namespace cooperative_groups {
inline namespace SIMT_FLAVOR {

template <typename T = void>
struct plus {
    SIMT_INLINE T operator()(T a, T b) const { return a + b; }
};
/// As in CUDA: these return the smaller and the greater of two values.
template <typename T = void>
struct less {
    SIMT_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T = void>
struct greater {
    SIMT_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T = void>
struct bit_and {
    SIMT_INLINE T operator()(T a, T b) const { return a & b; }
};
template <typename T = void>
struct bit_or {
    SIMT_INLINE T operator()(T a, T b) const { return a | b; }
};
template <typename T = void>
struct bit_xor {
    SIMT_INLINE T operator()(T a, T b) const { return a ^ b; }
};

}  // namespace SIMT_FLAVOR
}  // namespace cooperative_groups

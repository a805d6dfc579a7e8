// SPDX-License-Identifier: MIT
// cuda::aligned_size_t: the size in bytes of aligned memory.
#pragma once

#include "simt/identity.hpp"

namespace cuda {
inline namespace SIMT_FLAVOR {

template <decltype(sizeof 0) alignment>
struct aligned_size_t {
    static constexpr decltype(sizeof 0) align = alignment;
    decltype(sizeof 0) value;
    explicit constexpr aligned_size_t(decltype(sizeof 0) bytes) : value(bytes) {}
    constexpr operator decltype(sizeof 0)() const { return value; }
};

}  // namespace SIMT_FLAVOR
}  // namespace cuda

// SPDX-License-Identifier: MIT
// The object behind a texture or surface handle.
#pragma once

#include "identity.hpp"
#include "simt/texture_object.hpp"

// A fetch or surface access is one instruction on a GPU: in the checked flavor it is one call, and its inside is not
// checked. It tells the checkers which texels it accesses.
#ifdef SIMT_CHECKED
#define SIMT_FETCH SIMT_UNCHECKED
#else
#define SIMT_FETCH inline
#endif

namespace simt {
inline namespace SIMT_FLAVOR {

// A copy in the checked flavor: the description is in the simulator's own memory, unknown to the checkers.
#ifdef SIMT_CHECKED
SIMT_UNCHECKED TextureObject texture_object(unsigned long long handle) {
    return *reinterpret_cast<const TextureObject*>(handle);
}
#else
SIMT_INLINE const TextureObject& texture_object(unsigned long long handle) {
    return *reinterpret_cast<const TextureObject*>(handle);
}
#endif

}  // namespace SIMT_FLAVOR
}  // namespace simt

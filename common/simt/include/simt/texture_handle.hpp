// The object behind a texture or surface handle.
#pragma once

#include "identity.hpp"
#include "simt/texture_object.hpp"

namespace simt {
inline namespace SIMT_FLAVOUR {

// A copy in the checked flavour: the description is in the simulator's own memory, which the checkers do not know.
#ifdef SIMT_CHECKED
SIMT_UNCHECKED TextureObject texture_object(unsigned long long handle) {
    return *reinterpret_cast<const TextureObject*>(handle);
}
#else
SIMT_INLINE const TextureObject& texture_object(unsigned long long handle) {
    return *reinterpret_cast<const TextureObject*>(handle);
}
#endif

}  // namespace SIMT_FLAVOUR
}  // namespace simt

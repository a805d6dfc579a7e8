// SPDX-License-Identifier: MIT
// Surface reads and writes in device code. x counts bytes, y rows, z slices or layers.
#pragma once

#include "simt/check.hpp"
#include "simt/texture_handle.hpp"

namespace simt {

// The texel's address after the boundary mode has been applied; null where a read gives 0 and a write has no effect.
template <class T>
SIMT_INLINE char* surface_address(cudaSurfaceObject_t handle, int x_bytes, int y, int z, cudaSurfaceBoundaryMode mode) {
    const TextureObject& surface = texture_object(handle);
    const int row_bytes = surface.extent[0] * static_cast<int>(surface.texel_bytes);
    const int last[3] = {row_bytes - static_cast<int>(sizeof(T)), surface.extent[1] - 1, surface.extent[2] - 1};
    int position[3] = {x_bytes, y, z};
    for (int axis = 0; axis < 3; ++axis) {
        if (position[axis] >= 0 && position[axis] <= last[axis]) continue;
        if (mode == cudaBoundaryModeTrap) __builtin_trap();
        if (mode == cudaBoundaryModeZero) return nullptr;
        position[axis] = position[axis] < 0 ? 0 : last[axis];
    }
    return surface.data + static_cast<size_t>(position[2]) * surface.slice +
           static_cast<size_t>(position[1]) * surface.pitch + position[0];
}

inline namespace SIMT_FLAVOR {

template <class T>
SIMT_FETCH T surface_read(cudaSurfaceObject_t handle, int x_bytes, int y, int z, cudaSurfaceBoundaryMode mode) {
    const char* address = surface_address<T>(handle, x_bytes, y, z, mode);
    T texel = {};
    if (!address) return texel;
    if constexpr (is_checked) check::access_surface(address, sizeof(T), false, __builtin_return_address(0));
    __builtin_memcpy(static_cast<void*>(&texel), address, sizeof texel);
    return texel;
}

template <class T>
SIMT_FETCH void surface_write(T value, cudaSurfaceObject_t handle, int x_bytes, int y, int z,
                              cudaSurfaceBoundaryMode mode) {
    char* const address = surface_address<T>(handle, x_bytes, y, z, mode);
    if (!address) return;
    if constexpr (is_checked) check::access_surface(address, sizeof(T), true, __builtin_return_address(0));
    __builtin_memcpy(address, static_cast<const void*>(&value), sizeof value);
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

// One shape of surface: its coordinates as parameters, and the y and z of the position.
#define SIMT_SURFACE(shape, coordinates, y, z)                                                         \
    template <class T>                                                                                 \
    SIMT_INLINE T surf##shape##read(cudaSurfaceObject_t surface, SIMT_UNPACK coordinates,              \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {             \
        return ::simt::surface_read<T>(surface, x_, y, z, mode);                                       \
    }                                                                                                  \
    template <class T>                                                                                 \
    SIMT_INLINE void surf##shape##read(T* to, cudaSurfaceObject_t surface, SIMT_UNPACK coordinates,    \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {          \
        *to = ::simt::surface_read<T>(surface, x_, y, z, mode);                                        \
    }                                                                                                  \
    template <class T>                                                                                 \
    SIMT_INLINE void surf##shape##write(T value, cudaSurfaceObject_t surface, SIMT_UNPACK coordinates, \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {         \
        ::simt::surface_write<T>(value, surface, x_, y, z, mode);                                      \
    }
#define SIMT_UNPACK(...) __VA_ARGS__
SIMT_SURFACE(1D, (int x_), 0, 0)
SIMT_SURFACE(2D, (int x_, int y_), y_, 0)
SIMT_SURFACE(3D, (int x_, int y_, int z_), y_, z_)
SIMT_SURFACE(1DLayered, (int x_, int layer_), 0, layer_)
SIMT_SURFACE(2DLayered, (int x_, int y_, int layer_), y_, layer_)
SIMT_SURFACE(Cubemap, (int x_, int y_, int face_), y_, face_)
#undef SIMT_SURFACE
#undef SIMT_UNPACK

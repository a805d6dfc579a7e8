// SPDX-License-Identifier: MIT
// The device language: qualifiers, built-in variables, launches, barriers, warps, atomics, textures and math functions.
#pragma once

#include "simt/atomic_builtins.hpp"
#include "simt/atomics.hpp"
#include "simt/barrier.hpp"
#include "simt/builtins.hpp"
#include "simt/device_functions.hpp"
#include "simt/device_heap.hpp"
#include "simt/intrinsics.hpp"
#include "simt/launch.hpp"
#include "simt/surface_access.hpp"
#include "simt/texture_fetch.hpp"
#include "simt/warp.hpp"

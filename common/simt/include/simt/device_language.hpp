// The device language: qualifiers, built-in variables, launches, barriers, warps, atomics and math functions.
#pragma once

// The simulator's own sources include the runtime API without the device language.
#if __has_include("simt/builtins.hpp")
#include "simt/builtins.hpp"
#endif
#if __has_include("simt/launch.hpp")
#include "simt/launch.hpp"
#endif
#if __has_include("simt/warp.hpp")
#include "simt/warp.hpp"
#endif
#if __has_include("simt/atomics.hpp")
#include "simt/atomics.hpp"
#endif
#if __has_include("simt/math.hpp")
#include "simt/math.hpp"
#endif
#if __has_include("simt/intrinsics.hpp")
#include "simt/intrinsics.hpp"
#endif

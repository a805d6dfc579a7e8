// SPDX-License-Identifier: MIT
// CUDA's intrinsic functions that are arithmetic only: bits and integers, conversions, rounding modes, fast and special
// functions, cache hints, special registers. Results are CUDA's where it defines them exactly; functions that trade
// accuracy for speed on a GPU (__sinf, __expf, ...) are as accurate here as the host's library.
#pragma once

#include "simt/bit_intrinsics.hpp"
#include "simt/cache_hints.hpp"
#include "simt/conversions.hpp"
#include "simt/device_math.hpp"
#include "simt/dynamic_programming.hpp"
#include "simt/math_functions.hpp"
#include "simt/minmax.hpp"
#include "simt/packed_integers.hpp"
#include "simt/rounding.hpp"
#include "simt/saturated.hpp"
#include "simt/shifts.hpp"
#include "simt/special_registers.hpp"

// Hints to nvcc's optimizer.
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)

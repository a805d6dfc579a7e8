// SPDX-License-Identifier: MIT
// Every use of Thrust's device system includes this header, so simcc's replacements come in here.
#pragma once
#include_next <thrust/system/cuda/detail/util.h>

#include "simt/thrust.hpp"

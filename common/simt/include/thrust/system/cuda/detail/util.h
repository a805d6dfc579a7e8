// Every use of Thrust's system for the device comes through this header: the place for what simcc makes of it.
#pragma once
#include_next <thrust/system/cuda/detail/util.h>

#include "simt/thrust_values.hpp"

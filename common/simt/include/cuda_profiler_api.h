// SPDX-License-Identifier: MIT
// cudaProfilerStart and cudaProfilerStop: accepted, without effect.
#pragma once

#include "simt/device_api.h"

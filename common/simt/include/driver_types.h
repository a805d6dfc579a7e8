// SPDX-License-Identifier: MIT
// The types of the CUDA runtime API, a superset of those of CUDA 11, 12 and 13.
#pragma once
#define __DRIVER_TYPES_H__  // programs test for it

#include <limits.h>
#include <stddef.h>

#include "simt/error_codes.h"
#include "vector_types.h"

#define SIMT_ENUMERATOR(name, value, description) name = value,
enum cudaError { SIMT_ERROR_CODES(SIMT_ENUMERATOR) };
#undef SIMT_ENUMERATOR
typedef enum cudaError cudaError_t;

#define CUDART_CB
#define CUDARTAPI

#include "simt/device_types.h"
#include "simt/memory_types.h"
#include "simt/stream_types.h"
#include "simt/graph_types.h"

// SPDX-License-Identifier: MIT
// The CUDA runtime API of the simulator, without the parts that need device code.
#pragma once
#define __CUDA_RUNTIME_API_H__  // programs test for it

// As with nvcc --default-stream per-thread: each thread gets its own null stream, throughout the program.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
extern "C" {
extern const int simt_null_stream_is_per_thread __attribute__((weak));
const int simt_null_stream_is_per_thread = 1;
}
#endif

#include "simt/device_api.h"
#include "simt/memory_api.h"
#include "simt/copy_api.h"
#include "simt/stream_api.h"
#include "simt/graph_api.h"
#include "simt/unsupported_api.h"
#include "simt/older_forms.h"

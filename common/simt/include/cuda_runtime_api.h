// The CUDA runtime API of the simulator, without the parts that need device code.
#pragma once
#define __CUDA_RUNTIME_API_H__  // programs test for it

#include "simt/device_api.h"
#include "simt/memory_api.h"
#include "simt/copy_api.h"
#include "simt/stream_api.h"
#include "simt/graph_api.h"
#include "simt/unsupported_api.h"
#include "simt/older_forms.h"

// Calls of the runtime API that fail.
#pragma once

#include "common/simt/include/cuda_runtime_api.h"

namespace simt::check {

// The API function that the host is in returns this error: a finding if memory is checked. An answer that is no
// failure, as of cudaStreamQuery, is none.
void api_failed(cudaError_t error);

}  // namespace simt::check

// Runtime API calls that fail.
#pragma once

#include "common/simt/include/cuda_runtime_api.h"

namespace simt::check {

// The host's current API call returns this error, which is a finding if memcheck is on. A code that is an answer, such
// as cudaErrorNotReady from cudaStreamQuery, is not a finding.
void api_failed(cudaError_t error);

}  // namespace simt::check

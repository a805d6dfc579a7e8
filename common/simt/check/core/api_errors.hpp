// SPDX-License-Identifier: MIT
// Failed calls of the runtime API and of libraries on top of it.
#pragma once

#include <string>

#include "common/simt/include/cuda_runtime_api.h"
#include "common/simt/runtime/events.hpp"

namespace simt::check {

// The host's current API call returns this error, which is a finding if memcheck is on. A code that is an answer, such
// as cudaErrorNotReady from cudaStreamQuery, is not a finding. `why`: what the code itself does not say; may be empty.
void api_failed(cudaError_t error, const std::string& why);

// A library on top of the runtime was called in a way that it does not allow. `call`: origin_of_copy() of the call.
void library_misused(const std::string& title, const ClientNote& call);

}  // namespace simt::check

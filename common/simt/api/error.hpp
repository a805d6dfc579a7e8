// How API functions report: a code is returned, and the calling thread remembers it for cudaGetLastError.
#pragma once

#include <functional>

#include "common/simt/runtime/state.hpp"

namespace simt {

// Remembers the code unless it is success, and returns it.
cudaError_t report(cudaError_t error);

// The error that keeps any call from working: none, no device, a call from a host function, or a broken device.
cudaError_t standing_error();

// The body of an API function: runs unless an error stands, and reports what it returns.
template <class Body>
cudaError_t api(Body body) {
    if (const cudaError_t error = standing_error()) return report(error);
    return report(body());
}

// What a body reports that returns nothing, as a launch statement does. Earlier errors stay remembered.
cudaError_t reported_by(const std::function<void()>& body);

}  // namespace simt

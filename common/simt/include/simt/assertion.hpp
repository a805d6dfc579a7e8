// SPDX-License-Identifier: MIT
// The function that assert() calls: see assert.h.
#pragma once

#include "wait.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

[[noreturn]] SIMT_UNCHECKED void assertion_failed(const char* expression, const char* file, unsigned line,
                                                  const char* function) {
    fail_assertion(lane_identity.x, lane_identity.y, lane_identity.z, expression, file, line, function);
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

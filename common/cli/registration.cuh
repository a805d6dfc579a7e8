// SPDX-License-Identifier: MIT
// The last line of every tools/NAME.cu: registers the program's run as the backend that main() calls.
#pragma once

#include "common/cli/session.hpp"
#include "common/cuda/check.cuh"
#include "common/cuda/device.cuh"

// `program` describes it; run(session) is called with the session's device current.
#define GRIDUTILS_PROGRAM(program, run)                                                     \
    namespace BACKEND {                                                                     \
    const ::Backend& backend() {                                                            \
        static const ::Backend registered{&program, &probe_devices, [](Session& session) {  \
                                              CHECK(cudaSetDevice(session.device.ordinal)); \
                                              session.end_step();                           \
                                              run(session);                                 \
                                          }};                                               \
        return registered;                                                                  \
    }                                                                                       \
    }

// The devices of this backend, and the registration of a program's CUDA part with its main().
#pragma once

#include "common/cli/backend.hpp"
#include "common/cli/session.hpp"

namespace BACKEND {

// Looks for devices without creating a context on any of them.
Probe probe_devices();

// A property by its attribute: also those that CUDA 13 removed from cudaDeviceProp.
int attribute(cudaDeviceAttr name, int ordinal);

// Peak memory bandwidth in GB/s: bus width in bytes x memory clock x 2 transfers a cycle. 0 if the clock is not told.
double peak_bandwidth(int ordinal);

// "9.0" for 90.
std::string capability_text(int compute_capability);

// Makes the session's device the current one, then calls the program.
void run_on_device(Session& session, void (*run)(Session&));

}  // namespace BACKEND

// At the end of tools/NAME.cu: makes `program` and `run` the backend that main() calls.
#define GRIDUTILS_PROGRAM(program, run)                                                    \
    namespace BACKEND {                                                                    \
    const ::Backend& backend() {                                                           \
        static const ::Backend registered{&program, &probe_devices,                        \
                                          [](Session& session) { run_on_device(session, &run); }}; \
        return registered;                                                                 \
    }                                                                                      \
    }

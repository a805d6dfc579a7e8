// SPDX-License-Identifier: MIT
// How API functions report errors: they return a code, and the calling thread remembers it for cudaGetLastError.
//
// The room has a file for each chapter of CUDA's manual. In come a program's calls, as include/cuda_runtime_api.h
// declares them. Each function checks its arguments, has the runtime do the work (runtime/state.hpp), and gives back
// the code.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "common/simt/exec/machine.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt {

/// The result of an API function: a code, and if that does not say enough, the reason.
struct Result {
    cudaError_t error;
    std::string why = {};

    Result(cudaError_t error) : error(error) {}
    Result(cudaError_t error, std::string why) : error(error), why(std::move(why)) {}
};

/// Remembers the code unless it is success, and returns it.
cudaError_t report(const Result& result);

/// A launch statement, which cannot return this error, was refused. If its thread never asks for errors from then on, a
/// line says so when the program ends.
void launch_refused(const char* kernel, const Extent& grid, const Extent& block, cudaError_t error);

/// The error that blocks every call (no device, a call from a host function, or a broken device), or success.
cudaError_t standing_error();

/// Ends the running lane, if there is one: kernels cannot call this function.
void refuse_in_kernels();

/// Runs the body of an API function that kernels can also call, unless an error stands, and reports its result.
template <typename Body>
cudaError_t api_everywhere(Body body) {
    const RuntimeSection section;
    return unless_short([&] {
        if (const cudaError_t error = standing_error()) return report(error);
        return report(body());
    });
}

/// The same for any other API function.
template <typename Body>
cudaError_t api(Body body) {
    refuse_in_kernels();
    return api_everywhere(body);
}

/// While such an object lives, errors are the driver API's: cudaGetLastError does not see them.
class DriverSection {
public:
    DriverSection();
    ~DriverSection();
    DriverSection(const DriverSection&) = delete;
    DriverSection& operator=(const DriverSection&) = delete;

private:
    cudaError_t before_;
    bool is_outermost_;
};

/// Whether the program has called the runtime API, outside of the driver API.
bool runtime_is_used();

/// The error that a body without a result reports, such as a launch statement. Earlier errors stay remembered.
cudaError_t reported_by(const std::function<void()>& body);

}  // namespace simt

// SPDX-License-Identifier: MIT
// What cuBLAS, cuRAND and cuFFT have in common: their calls become operations of streams, like kernels, and read and
// write ranges of device memory.
//
// A function of a library checks its arguments and submits a Call: the buffers and the work on them. When the stream
// comes to it, the buffers are checked, made known to the checkers as those of a copy are, and the work runs on the
// thread of the stream.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/runtime/events.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::library {

enum class Use { reads, writes, reads_and_writes };

/// `rows` pieces of `width` bytes, `pitch` bytes apart, of device memory.
struct Buffer {
    const char* name;  ///< the parameter's in the manual
    const void* pointer;
    size_t width, rows = 1, pitch = 0;
    Use use = Use::reads;
};

/// One call that works on device memory.
struct Call {
    const char* function;
    std::function<std::vector<Buffer>()> buffers;  ///< asked when the stream comes to it
    std::function<void()> work;
    ClientNote note = events().library_called();
};

/// Puts the call into the stream. Returns when it has been carried out if `waits`; a recording stream cannot do that:
/// cudaErrorStreamCaptureUnsupported.
///
/// A buffer that the device cannot use fails the device with cudaErrorIllegalAddress, and is reported.
cudaError_t submit(const std::shared_ptr<Stream>& stream, Call call, bool waits = false);

/// Whether the host can read and write what is there at any time: memory of the host, or managed.
bool is_of_host(const void* pointer);

/// Writes one line on standard error, once for each text: "program: text".
void say_once(const std::string& text);

/// The first of these shared libraries that there is, or null; null for all if the environment has SIMCC_LIBRARIES=own.
void* open_library(const std::vector<const char*>& names);

/// Runs the body of a function of a library. `failed` is what it returns if there is no device.
template <typename Result, typename Body>
Result library_function(const char* name, Result failed, Body body) {
    if (in_kernel()) fail_lane("a host function of a library was called in a kernel");
    const RuntimeSection section;
    return unless_short([&]() -> Result {
        if (inside_host_function()) {
            say_once(std::string(name) + ": a function in a stream cannot call CUDA");
            return failed;
        }
        return runtime().device_count() == 0 ? failed : body();
    });
}

}  // namespace simt::library

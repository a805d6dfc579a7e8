// SPDX-License-Identifier: MIT
// make: room -O1 (the host calls this room once per launch or copy, and no lane calls it)
#include "common/simt/runtime/dispatch.hpp"

#include <mutex>
#include <utility>

#include "common/simt/runtime/capture.hpp"
#include "common/simt/runtime/device.hpp"

namespace simt {

cudaError_t dispatch(Stream& stream, Operation operation, Start start) {
    if (const auto capture = stream.capture()) {
        if (!is_waited_for(start)) return record(stream, std::move(operation));
        const std::lock_guard lock(capture->mutex);
        capture->invalidated = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    if (!operation.work) return cudaSuccess;
    const Ticket ticket = stream.device().enqueue(stream, std::move(operation.work), {}, start);
    if (!is_waited_for(start)) return cudaSuccess;
    if (start == Start::by_waiting) ticket.host_waits();
    else ticket.wait();
    return static_cast<cudaError_t>(stream.device().broken());
}

}  // namespace simt

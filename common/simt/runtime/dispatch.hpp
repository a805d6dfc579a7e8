// SPDX-License-Identifier: MIT
// Puts every operation into its stream: into the queue, or into the graph that the stream is recording.
#pragma once

#include "common/simt/runtime/graph.hpp"

namespace simt {

// With Start::by_waiting and Start::by_staging the call returns when the operation has ended. A recording stream cannot
// do that: cudaErrorStreamCaptureUnsupported.
cudaError_t dispatch(Stream& stream, Operation operation, Start start = Start::on_thread);

}  // namespace simt

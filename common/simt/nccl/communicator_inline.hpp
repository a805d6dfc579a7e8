// SPDX-License-Identifier: MIT
// What every function of NCCL does around its body: see communicator.hpp.
#pragma once

#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

template <class Body>
ncclResult_t nccl_function(const CallPlace& place, Body body) {
    if (in_kernel()) fail_lane("a function of NCCL was called in a kernel");
    const RuntimeSection section;
    try {
        return unless_short([&] {
            if (inside_host_function()) throw Refusal{ncclInvalidUsage, "a function in a stream cannot call NCCL"};
            if (runtime().device_count() == 0) throw Refusal{ncclUnhandledCudaError, "there is no device"};
            return body();
        });
    } catch (const Refusal& refusal) {
        if (!refusal.text.empty()) report_misuse(refusal.text, place);
        return refusal.code;
    }
}

}  // namespace simt::nccl

// SPDX-License-Identifier: MIT
// Cases that the host's clock times.
#pragma once

#include <memory>

#include "common/cuda/check.cuh"
#include "common/measure/bench.cuh"

namespace BACKEND {

// Times from the first launch to the end of the last grid, by the host's clock: the host's part is the point, and a
// stream cannot hold this many launches behind the kernel that usually holds it up until all is enqueued.
inline void time_on_host(Case& one, bool simulated) {
    const auto stream = std::make_shared<Stream>();
    one.launch = [launch = one.launch](cudaStream_t on) {
        const LaunchShape shape = launch(on);
        CHECK(cudaStreamSynchronize(on));
        return shape;
    };
    one.time = [stream, prepare = one.prepare, launch = one.launch] {
        if (prepare) prepare(*stream);
        stream->synchronize();
        return host_time([&] { launch(*stream); });
    };
    if (!simulated) one.timer = "host";
}

}  // namespace BACKEND

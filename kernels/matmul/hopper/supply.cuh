// SPDX-License-Identifier: MIT
#pragma once
// Stages that cannot be multiplied as TMA delivers them: the warps that ask for them also prepare them.
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// Loads the block's stages and prepares them. Called by four producer warps, one for each of the multiprocessor's
/// schedulers: the consumers go on in step, so that extra work of one scheduler would delay them all. The pipeline says
/// how many of them ask for a stage. They do not ask for as many stages as there are: a warp should seldom wait for one
/// to be emptied, since it has to prepare the next. All its lanes wait: that suspends the warp, whereas a lane that
/// waits alone would poll, and take its scheduler's time from the consumers. All threads call prepare(stage), then
/// arrive at `prepared`, which has a barrier per stage.
template <typename Pipeline, int stages_ahead, bool stream_k, bool many, typename Maps, typename Prepare>
__device__ inline void supply_stages(typename Pipeline::Shared& ring, std::uint64_t* prepared, const Maps& maps,
                                     const TileOrder& order, const StreamKSchedule& schedule, int thread,
                                     const Prepare& prepare) {
    const bool asks = thread / 32 < Pipeline::asking_warps;
    typename Pipeline::Position asked, arriving;
    TileSegment segment;
    unsigned asked_segments = 0;
    int row = 0, column = 0;
    ProductNumber<many> product{};
    const auto ask = [&] {
        if (segment.first == segment.end) {
            if (!find_segment<stream_k>(schedule, asked_segments++, segment)) {
                segment = {};
                return;
            }
            unsigned tile_row = 0, tile_column = 0;
            order.place(segment.tile, tile_row, tile_column, product);
            row = static_cast<int>(tile_row) * Pipeline::tile_m;
            column = static_cast<int>(tile_column) * Pipeline::tile_n;
        }
        const int step = segment.first++;
        barrier_wait(&ring.emptied[asked.stage], asked.parity ^ 1);  // load_stage() then finds it emptied
        if (is_elected_lane()) Pipeline::load_stage(ring, asked, maps, row, column, step, product);
        __syncwarp();
        asked.advance();
    };
    TileSegment preparing;
    int missing = asks ? stages_ahead : 0;
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, preparing); ++index)
        for (int step = preparing.first; step < preparing.end; ++step, arriving.advance()) {
#pragma unroll 1
            for (; missing > 0; --missing) ask();
            barrier_wait(&ring.filled[arriving.stage], arriving.parity);
            prepare(arriving.stage);
            barrier_arrive(&prepared[arriving.stage]);  // each lane for what it stored
            if (asks) missing = 1;
        }
}

}  // namespace BACKEND

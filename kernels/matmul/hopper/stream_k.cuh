// SPDX-License-Identifier: MIT
#pragma once
// The Stream-K decomposition: tiles are dealt to blocks so that none idles at the end. Whole waves of tiles come first,
// then equal shares of the stages of the remaining tiles. A share may begin and end in the middle of a tile; the blocks
// that share it add their sums as fix_up.cuh says.
// After Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the
// GPU", PPoPP 2023.
//
// Every function here depends only on its arguments, on the device and on the host.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// `whole` tiles belong to one block each: all tiles, or a multiple of the number of blocks. The stages of the rest are
/// divided into `shares` equal shares, one for each of the first blocks. A tile has `steps` stages along k.
/// `paired`, 1 or 0: whether the two blocks of a cluster work side by side, on consecutive tiles. If so, a pair of
/// blocks counts as one block here, and a pair of tiles as one tile.
/// `exchanged`: whether the blocks that share a tile exchange their sums, see SumsOfShares. Then shares are equal parts
/// of tiles.
/// `parts`: if not 0, each shared tile has so many equal shares, and blocks side by side have the same part of tiles
/// side by side, so that most of them read the same rows of A or B at the same time. See side_by_side().
struct StreamKSchedule {
    unsigned tiles = 0, whole = 0, steps = 0, shares = 0, paired = 0;
    bool exchanged = false;
    unsigned parts = 0;

    __host__ __device__ unsigned shared_tiles() const { return tiles - whole; }

    /// The first stage of a share, counted from the first tile that is shared: share * stages / shares, in 32 bits.
    __host__ __device__ unsigned begin(unsigned share) const {
        const unsigned stages = shared_tiles() * steps;
        return stages / shares * share + stages % shares * share / shares;
    }

    /// The share that a block has. The first blocks have the last shares, or the last parts of tiles, so that a block
    /// that adds the others' sums waits only for blocks that started before it.
    __host__ __device__ unsigned share_of(unsigned block) const {
        const unsigned unit = block >> paired;
        if (parts == 0) return shares - 1 - unit;
        const unsigned tile = unit % shared_tiles(), part = parts - 1 - unit / shared_tiles();
        return tile * parts + part;
    }

    __host__ __device__ unsigned rank_of(unsigned block) const { return block & paired; }

    /// How many stages all segments of a block have.
    __host__ __device__ unsigned stages_of(unsigned block, unsigned blocks) const {
        const unsigned unit = block >> paired, units = blocks >> paired;
        const unsigned waves = whole > unit ? (whole - unit + units - 1) / units : 0;
        return waves * steps + (unit < shares ? begin(share_of(block) + 1) - begin(share_of(block)) : 0);
    }
};

/// The same schedule, but where shares are equal parts of tiles, blocks side by side have the same part: for kernels
/// that wait for the L2 cache, which delivers rows faster to blocks that read them at the same time. (512 x 512 x 16384
/// in bf16 in tiles of 64 x 128, each in four parts, on an H100: 23.0 us, not 30.6.) Pairs of blocks, which share rows
/// anyway, were slower so, and are left as they are.
inline StreamKSchedule side_by_side(StreamKSchedule schedule) {
    const unsigned tiles = schedule.shared_tiles();
    if (schedule.shares > 0 && schedule.paired == 0 && schedule.shares % tiles == 0)
        schedule.parts = schedule.shares / tiles;
    return schedule;
}

/// Whether the blocks of so many shares exchange their sums. On an H100 that was faster from four shares a tile on, but
/// not for blocks that have parts of two tiles.
constexpr bool exchanges_sums(size_t tiles, size_t shares) {
    return tiles > 0 && shares >= 4 * tiles && shares % tiles == 0;
}

/// Tiles in whole waves of `blocks`, and those of the last, partial wave as `sharing` says if they can be cut so: no
/// share is empty, none is larger than a tile unless there is one for each block, and device code counts in 32 bits.
inline StreamKSchedule stream_k_schedule(size_t tiles, size_t k, unsigned tile_k, unsigned blocks,
                                         const StreamKSharing& sharing) {
    const size_t steps = divide_up(k, tile_k), left = tiles % blocks, shares = sharing.shares;
    const bool with_wave = sharing.with_wave && tiles > blocks;
    const size_t shared = left + (with_wave ? blocks : 0);
    const bool can_share = left > 0 && shares > 0 && shares <= blocks && (with_wave || shares >= shared) &&
                           shares <= shared * steps && shared * steps < size_t{1} << 31;
    const size_t cut = can_share ? shared : 0;
    return {static_cast<unsigned>(tiles),
            static_cast<unsigned>(tiles - cut),
            static_cast<unsigned>(steps),
            static_cast<unsigned>(can_share ? shares : 0),
            0,
            sharing.exchanges && exchanges_sums(cut, shares)};
}

/// One block per multiprocessor, in whole clusters, and no more than there are tiles if none are shared.
inline unsigned stream_k_grid(const StreamKSchedule& schedule, unsigned multiprocessors) {
    const unsigned blocks = multiprocessors >> schedule.paired;
    return (schedule.shares == 0 && schedule.tiles < blocks ? schedule.tiles : blocks) << schedule.paired;
}

/// The stages [first, end) of a tile, and the shares [first_share, end_share) that have stages of it.
struct TileSegment {
    unsigned tile = 0;
    int first = 0, end = 0;
    unsigned first_share = 0, end_share = 1;
};

/// Sets `segment` to segment number `index` of block `block` of `blocks`; returns false if the block has fewer.
/// Producer and consumers walk through the segments in this order.
/// `stream_k`: false leaves out the code for shares; the shortest kernels would wait for its instructions.
template <bool stream_k = true>
__host__ __device__ inline bool segment_of_block(const StreamKSchedule& schedule, unsigned block, unsigned blocks,
                                                 unsigned index, TileSegment& segment) {
    if (!stream_k) {
        segment = {block + index * blocks, 0, static_cast<int>(schedule.steps)};
        return segment.tile < schedule.tiles << schedule.paired;
    }
    const unsigned whole = schedule.whole << schedule.paired;
    const unsigned waves = (whole + blocks - 1) / blocks, wave_tile = block + index * blocks;
    if (index < waves) {
        segment = {wave_tile, 0, static_cast<int>(schedule.steps)};
        return wave_tile < whole;
    }
    if (block >= schedule.shares << schedule.paired) return false;
    const unsigned begin = schedule.begin(schedule.share_of(block)), end = schedule.begin(schedule.share_of(block) + 1);
    const unsigned tile = begin / schedule.steps + index - waves, tile_begin = tile * schedule.steps;
    if (tile_begin >= end) return false;
    segment.tile = ((schedule.whole + tile) << schedule.paired) + schedule.rank_of(block);
    segment.first = static_cast<int>(begin > tile_begin ? begin - tile_begin : 0);
    segment.end = static_cast<int>(end - tile_begin < schedule.steps ? end - tile_begin : schedule.steps);
    segment.first_share = tile * schedule.shares / schedule.shared_tiles();
    if (schedule.begin(segment.first_share + 1) <= tile_begin) ++segment.first_share;
    segment.end_share = ((tile + 1) * schedule.shares + schedule.shared_tiles() - 1) / schedule.shared_tiles();
    return true;
}

}  // namespace BACKEND

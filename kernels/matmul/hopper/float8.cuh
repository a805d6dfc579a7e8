// SPDX-License-Identifier: MIT
#pragma once
// 8-bit floats on Hopper's tensor cores, which multiply them twice as fast as 16-bit ones:
//   matmul_hopper_float8   removes, from matmul_float8_vectorized, the multiply-adds of single threads. Warps, stages
//                          and stores are those of matmul_hopper_overlapped, except for
//   the layout   B's rows run along k as A's do, the only layout for these types. Its tile is loaded like A's
//   the sums     the tensor cores keep 13 bits of a sum's fraction and truncate the rest every 32 steps along k.
//                `promoted`: every 128 steps they restart at zero, and the multiply-add units add their sums in f32
//                (DeepSeek-V3 Technical Report, 2024, 3.3.2), as cuBLASLt does unless fast accumulation is on
// Adding takes a quarter of the time of multiplying, and a warpgroup that adds does not feed the tensor cores: the two
// consumers take turns, so that one multiplies while the other adds. Both kinds of sums need registers, which leaves
// room for 176 columns. More columns are better: each consumer reads all of B's tile from shared memory, so with c
// columns, reading operands takes 256 + 3c cycles while the tensor cores multiply for 4c.
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/float8/types.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/overlapped.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/wgmma.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

template <int tile_n>
struct Float8Shape : OverlappedShape<tile_n> {
    static constexpr int stages = tile_n > 176 ? 4 : tile_n > 128 ? 5 : tile_n > 64 ? 6 : 8;  // as many as fit
};

/// The ring of stages with another layout of B's tile: tile_n rows of 128 bytes. Each block of a cluster loads its part
/// for all of them.
template <typename T, int tile_n, int multicast_>
struct Float8Pipeline : HopperPipeline<T, Float8Shape<tile_n>::tile_m, tile_n, Float8Shape<tile_n>::stages, tile_n,
                                       ClusterOf<multicast_, 1>> {
    using Base = HopperPipeline<T, Float8Shape<tile_n>::tile_m, tile_n, Float8Shape<tile_n>::stages, tile_n,
                                ClusterOf<multicast_, 1>>;
    using typename Base::Position;
    using typename Base::Shared;
    static constexpr int multicast = multicast_, rows_of_b = tile_n / multicast;

    __device__ static void load_stage(Shared& shared, const Position& position, const CUtensorMap& map_a,
                                      const CUtensorMap& map_b, int row, int column, int step) {
        const int stage = position.stage, first = step * Base::tile_k;
        std::uint64_t* filled = &shared.filled[stage];
        barrier_wait(&shared.emptied[stage], position.parity ^ 1);  // returns at once on a fresh barrier
        barrier_arrive_and_expect(filled, Base::stage_bytes);
        copy_box_in(shared.a[stage], map_a, filled, first, row);
        const int part = Base::Cluster::row() * rows_of_b;
        T* target = shared.b[stage][0] + part * Base::tile_k;
        if constexpr (multicast > 1)
            copy_box_to_blocks(target, map_b, filled, first, column + part, Base::Cluster::blocks_of_column());
        else copy_box_in(target, map_b, filled, first, column + part);
    }
};

template <typename T, int tile_n>
struct HopperFloat8Shared {
    using Shape = Float8Shape<tile_n>;
    HopperRing<T, Shape::tile_m, tile_n, Shape::stages, tile_n> ring;
    alignas(1024) __nv_bfloat16 results[Shape::tile_m / Shape::box_rows][Shape::box_rows * Shape::box_columns];
};

/// d (+)= 64 rows of A times a stage of B: starts a group of wgmmas.
template <typename T, int tile_n>
__device__ inline void start_float8_stage(float (&d)[tile_n / 2], const T* a_rows, const T* b_rows, bool accumulate) {
    const std::uint64_t a = wgmma_operand(a_rows, 16, 1024), b = wgmma_operand(b_rows, 16, 1024);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i)  // 32 along k are 32 bytes of a row; addresses in 16 bytes
        Wgmma<T, tile_n>::multiply(d, a + i * 2, b + i * 2, accumulate || i > 0);
    wgmma_commit();
}

/// Two consumers take turns starting their stages, consumer 0 first. A turn lasts from begin() to end().
class ConsumerTurns {
public:
    __device__ ConsumerTurns(unsigned consumer, unsigned stages) : consumer_(consumer), left_(stages) {
        waits_ = consumer > 0;
    }
    __device__ void begin() {
        if (waits_) barrier_among(first_barrier + consumer_, both);  // the other consumer has called end()
        waits_ = true;
    }
    __device__ void end() {
        if (--left_ > 0 || consumer_ == 0) barrier_arrive_among(first_barrier + (consumer_ ^ 1), both);
    }

private:
    static constexpr unsigned first_barrier = 1, both = 256;
    unsigned consumer_, left_;
    bool waits_;
};

/// Grid: at most one block per multiprocessor, in whole clusters of `multicast`. Block 384: a producer warpgroup, which
/// loads tiles, and two consumers, which multiply 64 rows each. `steps`: stages along k.
template <typename T, int tile_n, bool promoted, int multicast>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_float8(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                         const __grid_constant__ CUtensorMap map_c, TileOrder order, int steps, const float* scales) {
#if HOPPER_CODE
    using Shape = Float8Shape<tile_n>;
    using Pipeline = Float8Pipeline<T, tile_n, multicast>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperFloat8Shared<T, tile_n>*>(memory);
    typename Pipeline::Position position;
    Pipeline::begin(shared.ring, map_a, map_b, 2);

    unsigned tile_row = 0, tile_column = 0;
    if (threadIdx.x < 128) {
        give_up_registers<24>();
        if (threadIdx.x >= 32 || !is_elected_lane()) return;
        for (unsigned tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
            order.place(tile, tile_row, tile_column);
            for (int step = 0; step < steps; ++step, position.advance())
                Pipeline::load_stage(shared.ring, position, map_a, map_b, static_cast<int>(tile_row) * Shape::tile_m,
                                     static_cast<int>(tile_column) * tile_n, step);
        }
        return;
    }
    take_registers<240>();
    // The shuffle tells the compiler that this is uniform: it then computes the operands' addresses once per warp.
    const unsigned consumer = __shfl_sync(~0U, threadIdx.x / 128 - 1, 0), thread = threadIdx.x % 128;
    const unsigned warp = threadIdx.x / 32 - 4;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    __nv_bfloat16* box = shared.results[warp];
    const float scale = scale_of(scales);
    const unsigned all_stages = order.tiles_of(blockIdx.x, gridDim.x) * static_cast<unsigned>(steps);
    int refills = Pipeline::refills(all_stages);
    ConsumerTurns turns(consumer, all_stages);
    WaitingResults<tile_n> results;
    for (unsigned tile = blockIdx.x; tile < order.tiles(); tile += gridDim.x) {
        float d[tile_n / 2], sums[tile_n / 2] = {};
        int previous = 0;
        for (int step = 0; step < steps; ++step, position.advance()) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            if constexpr (promoted) turns.begin();
            start_float8_stage<T, tile_n>(d, &shared.ring.a[stage][consumer * 64 * Pipeline::tile_k],
                                          shared.ring.b[stage][0], !promoted && step > 0);
            if constexpr (promoted) turns.end();
            results.store_next(map_c, box, lane);  // of the previous tile, while this one is multiplied
            if constexpr (promoted) {
                wgmma_wait<0>();
                wgmma_settle(d);
                Pipeline::release(shared.ring, stage, thread, refills);
#pragma unroll
                for (int i = 0; i < tile_n / 2; ++i) sums[i] += d[i];
            } else if (step > 0) {
                wgmma_wait<1>();  // the previous group has read its stage
                Pipeline::release(shared.ring, previous, thread, refills);
            }
            previous = stage;
        }
        while (results.waiting > 0) results.store_next(map_c, box, lane);
        if constexpr (!promoted) {
            wgmma_wait<0>();
            wgmma_settle(d);
            Pipeline::release(shared.ring, previous, thread, refills);
        }
#pragma unroll
        for (int i = 0; i < tile_n / 2; ++i) sums[i] = (promoted ? sums[i] : d[i]) * scale;
        order.place(tile, tile_row, tile_column);
        results.take(sums, static_cast<int>(tile_row) * Shape::tile_m + static_cast<int>(warp) * Shape::box_rows,
                     static_cast<int>(tile_column) * tile_n, __nv_bfloat16{});
    }
    while (results.waiting > 0) results.store_next(map_c, box, lane);
    if (lane == 0) wait_copies_out_read<0>();  // shared memory must outlive the copies that read it
#endif
}

/// k and n must be multiples of 16: TMA reads the rows of A and B, and stores those of C.
inline bool can_load_float8(size_t n, size_t k) { return n % 16 == 0 && k % 16 == 0; }

template <typename T, int tile_n_, bool promoted, int multicast_ = 1>
struct Float8Tile : HopperTile {
    using Element = T;
    using Shape = Float8Shape<tile_n_>;
    static constexpr unsigned tile_m = Shape::tile_m, tile_n = tile_n_, cluster_rows = multicast_;
    static constexpr bool needs_aligned_rows = true;
    using Layouts = StoredLayouts<false, true>;
    static constexpr size_t shared_bytes = sizeof(HopperFloat8Shared<T, tile_n_>);
    static_assert(shared_bytes <= most_shared_bytes);

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        constexpr unsigned group = 8, box = hopper_tile_k<T>;
        const size_t m = arguments.m, n = arguments.n, k = arguments.k;
        const TileOrder order{grid_for(m, tile_m), grid_for(n, tile_n), group, cluster_rows};
        const auto map = [&](const T* d_matrix, size_t rows, unsigned box_rows) {
            return tensor_map(d_matrix, rows, k, k, box_rows, box, CU_TENSOR_MAP_SWIZZLE_128B);
        };
        return launch_hopper(
            matmul_hopper_float8<T, tile_n_, promoted, multicast_>,
            persistent_grid(order, arguments.multiprocessors, cluster_rows), 384, shared_bytes, cluster_rows,
            arguments.stream, map(arguments.d_a, m, tile_m), map(arguments.d_b, n, tile_n / cluster_rows),
            tensor_map(arguments.d_c, m, n, n, Shape::box_rows, Shape::box_columns, CU_TENSOR_MAP_SWIZZLE_128B), order,
            static_cast<int>(divide_up(k, hopper_tile_k<T>)), arguments.d_scales);
    }
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
#pragma once
// The ring of shared-memory stages between TMA and the warps that multiply. One thread, the producer, requests tiles of
// A and B; the barrier `filled` tells the consumers that a stage has arrived, `emptied` tells the producer that they
// are done with it. Blocks of a cluster may share A and B by multicast: each requests a part, and all receive it.
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/layouts.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// Position in the ring. Both sides walk the ring in the same order, so neither needs to tell the other where it is.
template <int stages>
struct RingPosition {
    int stage = 0;
    unsigned parity = 0;
    __device__ void advance() {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

__device__ inline void copy_box_in(void* shared, const CUtensorMap& map, std::uint64_t* barrier, int column, int row,
                                   OnlyProduct) {
    copy_box_in(shared, map, barrier, column, row);
}
__device__ inline void copy_box_to_blocks(void* shared, const CUtensorMap& map, std::uint64_t* barrier, int column,
                                          int row, OnlyProduct, std::uint16_t blocks) {
    copy_box_to_blocks(shared, map, barrier, column, row, blocks);
}
__device__ inline void copy_box_out(const CUtensorMap& map, const void* shared, int column, int row, OnlyProduct) {
    copy_box_out(map, shared, column, row);
}

/// The maps of A and B, and where their tiles end. TMA fills what lies beyond a matrix with zeros, which can take much
/// longer than copying as much. So a last row of tiles that A does not fill, which begins at `last_row`, has a map of A
/// with boxes of only `last_rows` rows, each a block's part of the tile; and boxes of B that begin beyond its n columns
/// are left out: what is in their place adds to sums beyond C alone.
struct OperandMaps {
    CUtensorMap a, last_a, b;
    int last_row, last_rows, n;

    /// The map of A that the first row of tiles uses.
    __device__ const CUtensorMap& first_a() const { return last_row == 0 ? last_a : a; }
};

/// Maps of tiles that are always loaded in whole boxes.
struct MapPair {
    const CUtensorMap &a, &b;
};
/// The same as one parameter of a kernel.
struct MapPairByValue {
    CUtensorMap a, b;
    __device__ operator MapPair() const { return {a, b}; }
};

/// The stages in shared memory and their barriers.
template <typename T, int tile_m, int tile_n, int stages, int box_n = 128 / sizeof(T)>
struct HopperRing {
    static constexpr int tile_k = 128 / sizeof(T), boxes = (tile_n + box_n - 1) / box_n;
    alignas(1024) T a[stages][tile_m * tile_k];
    alignas(1024) T b[stages][boxes][tile_k * box_n];
    std::uint64_t filled[stages], emptied[stages];
};

/// A cluster whose blocks have neighboring tiles: `rows` below each other, which share B, by `columns` side by side,
/// which share A. Consecutive blocks are below each other.
template <int rows_, int columns_>
struct ClusterOf {
    static constexpr int rows = rows_, columns = columns_, blocks = rows * columns;
    /// How many blocks share an operand with this one, itself included.
    static constexpr int sharers = rows + columns - 1;

    __device__ static int row() { return static_cast<int>(blockIdx.x % rows); }
    __device__ static int column() { return static_cast<int>(blockIdx.x % blocks / rows); }

    /// The blocks with tiles side by side with this one's, or below each other, as bits.
    __device__ static std::uint16_t blocks_of_row() {
        std::uint16_t first = 0;
        for (int i = 0; i < columns; ++i) first |= static_cast<std::uint16_t>(1u << i * rows);
        return static_cast<std::uint16_t>(first << row());
    }
    __device__ static std::uint16_t blocks_of_column() {
        return static_cast<std::uint16_t>(((1u << rows) - 1) << column() * rows);
    }
    /// The rank of sharer i: first those that share B, then the others that share A.
    __device__ static unsigned sharer(unsigned i) {
        const int number = static_cast<int>(i);
        return static_cast<unsigned>(number < rows ? column() * rows + number
                                                   : row() + (column() + 1 + number - rows) % columns * rows);
    }
};
using NoCluster = ClusterOf<1, 1>;

/// One stage holds tile_m x tile_k of A and tile_k x tile_n of B; tile_k elements are 128 bytes. A's rows are 128
/// bytes, swizzled. B lies in boxes of tile_k x box_n side by side: square boxes if swizzled, else fewer and wider
/// ones. The last box may hold more columns than the tile has.
/// Each block of a cluster loads its part of A for all blocks in its row, and its part of B for all in its column.
/// If A is stored transposed, its tile lies in boxes as B's usually does: in square ones side by side, or in one. If B
/// is, its tile lies in swizzled rows, as A's usually does, and a block's part of it is one box.
template <typename T, int tile_m_, int tile_n_, int stages_, int box_n_ = 128 / sizeof(T),
          typename Cluster_ = NoCluster, typename Layouts = PlainLayouts>
struct HopperPipeline {
    using Shared = HopperRing<T, tile_m_, tile_n_, stages_, box_n_>;
    using Cluster = Cluster_;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, stages = stages_, box_n = box_n_;
    static constexpr int tile_k = Shared::tile_k, boxes = Shared::boxes, asking_warps = 1;
    static constexpr unsigned stage_bytes = (tile_m + boxes * box_n) * 128;
    static_assert(tile_m % 8 == 0 && tile_m <= 256, "the limits of a box and of wgmma");
    static_assert(box_n <= 256, "TMA's limit");
    static constexpr int a_box = box_n == tile_k ? tile_k : tile_m;  // columns of a transposed A's box
    static_assert(!Layouts::a_transposed || tile_m % a_box == 0, "A's tile is whole boxes");
    static_assert(!Layouts::b_transposed || (tile_n % box_n == 0 && tile_n <= 256),
                  "a transposed B lies in whole boxes");
    static_assert(!Layouts::a_transposed || Cluster::blocks == 1, "a transposed A is not shared");
    static_assert(!Layouts::b_transposed || tile_n % (8 * Cluster::rows) == 0,
                  "a part of a transposed B is whole groups of swizzled rows");

    /// Among how many blocks each operand is divided, and a block's part of A: own_rows rows, or fewer in the last row
    /// of tiles.
    static constexpr int parts_of_a = Cluster::columns, parts_of_b = Cluster::rows;
    static constexpr int own_rows = tile_m / parts_of_a;
    static_assert(tile_m % (8 * parts_of_a) == 0, "a part of A is whole groups of swizzled rows");
    static_assert(boxes % parts_of_b == 0 || tile_k % parts_of_b == 0);
    /// A block's part of B: own_boxes whole boxes, or box_rows rows of every box.
    static constexpr int box_rows = boxes % parts_of_b == 0 ? tile_k : tile_k / parts_of_b;
    static constexpr int own_boxes = boxes % parts_of_b == 0 ? boxes / parts_of_b : boxes;
    static constexpr int own_columns = tile_n / parts_of_b;  // of a transposed B
    /// For HopperOperands::maps().
    static constexpr unsigned b_box_rows = Layouts::b_transposed ? own_columns : box_rows;

    using Position = RingPosition<stages>;

    /// Called by one thread, before begin(). `consumers`: how many arrivals of a block release a stage.
    __device__ static void init(Shared& shared, unsigned consumers) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(&shared.filled[stage], 1);
            barrier_init(&shared.emptied[stage], consumers * Cluster::sharers);
        }
        fence_barrier_init();
    }

    /// Called by all threads of the cluster: none uses a barrier before it is initialized, nor reads A or B before they
    /// are copied.
    __device__ static void begin() {
        wait_for_previous_kernel();
        if (Cluster::blocks > 1) cluster_barrier();
        else __syncthreads();
    }

    template <typename Maps>
    __device__ static void prefetch(const Maps& maps) {
        prefetch_tensor_map(maps.a);
        prefetch_tensor_map(maps.b);
    }

    /// Called by all threads: init() by thread 0, which also prefetches the maps, then begin().
    __device__ static void begin(Shared& shared, const CUtensorMap& map_a, const CUtensorMap& map_b,
                                 unsigned consumers) {
        if (threadIdx.x == 0) {
            prefetch(MapPair{map_a, map_b});
            init(shared, consumers);
        }
        begin();
    }

    /// Called by one thread. Loads stages [first_stage, end_stage) along k of the tile whose corner is (row, column) of
    /// a product's C. `maps` are OperandMaps, or a MapPair.
    template <typename Maps, typename Product = OnlyProduct>
    __device__ static void produce(Shared& shared, Position& position, const Maps& maps, int row, int column,
                                   int first_stage, int end_stage, Product product = {}) {
        for (int step = first_stage; step < end_stage; ++step, position.advance())
            load_stage(shared, position, maps, row, column, step, product);
    }

    /// Loads one stage of a tile.
    template <typename Product = OnlyProduct>
    __device__ static void load_stage(Shared& shared, const Position& position, const OperandMaps& maps, int row,
                                      int column, int step, Product product = {}) {
        const bool is_last = !Layouts::a_transposed && row >= maps.last_row;
        const int rows = is_last ? maps.last_rows : own_rows;
        const int columns = column < maps.n ? maps.n - column : 0, left = (columns + box_n - 1) / box_n,
                  existing = Layouts::b_transposed || left > boxes ? boxes : left;
        load_boxes(shared, position, is_last ? maps.last_a : maps.a, maps.b, row, column, step, product,
                   static_cast<unsigned>(rows * parts_of_a + existing * box_n) * 128, rows, existing);
    }

    /// The same in whole boxes. `bytes`: how many bytes they have, if they are smaller than the stage has room for.
    template <typename Product = OnlyProduct>
    __device__ static void load_stage(Shared& shared, const Position& position, const MapPair& maps, int row,
                                      int column, int step, Product product = {}, unsigned bytes = stage_bytes) {
        load_boxes(shared, position, maps.a, maps.b, row, column, step, product, bytes, own_rows, boxes);
    }

    /// Tells the producers that one consumer is done with this stage; the consumer's first threads do so. If threads
    /// load operands into registers, release a stage only once those have been multiplied, after the next stage has
    /// arrived: the arrival does not wait for loads in flight, not even for the thread's own, and TMA, which is another
    /// proxy, overtakes them (tests/measure/stage_release.cu shows it).
    /// `refills`: how many more times the producers will refill a stage. No arrivals beyond that: a block that has
    /// finished exits, and its barriers go with it.
    __device__ static void release(Shared& shared, int stage, unsigned thread, int& refills) {
        if constexpr (Cluster::blocks == 1) {
            if (thread == 0) barrier_arrive(&shared.emptied[stage]);
        } else {
            if (refills-- > 0 && thread < Cluster::sharers)
                barrier_arrive_at_block(&shared.emptied[stage], Cluster::sharer(thread));
        }
    }
    __device__ static void release(Shared& shared, int stage, unsigned thread) {
        static_assert(Cluster::blocks == 1);
        int refills = 0;
        release(shared, stage, thread, refills);
    }

    /// The initial value of `refills`, given the number of steps in all: the first steps find empty stages.
    __device__ static int refills(unsigned steps) { return Cluster::blocks > 1 ? static_cast<int>(steps) - stages : 0; }

private:
    /// Waits until the stage is empty, and requests its part of A, of `rows` rows, and the first `existing` boxes of B.
    /// `bytes`: how many bytes arrive.
    template <typename Product>
    __device__ static void load_boxes(Shared& shared, const Position& position, const CUtensorMap& map_a,
                                      const CUtensorMap& map_b, int row, int column, int step, Product product,
                                      unsigned bytes, int rows, int existing) {
        const int stage = position.stage;
        std::uint64_t* filled = &shared.filled[stage];
        barrier_wait(&shared.emptied[stage], position.parity ^ 1);  // returns at once on a fresh barrier
        barrier_arrive_and_expect(filled, bytes);
        if constexpr (Layouts::a_transposed) {
#pragma unroll
            for (int i = 0; i < tile_m; i += a_box)
                copy_box_in(shared.a[stage] + i * tile_k, map_a, filled, row + i, step * tile_k, product);
        } else {
            const int first = parts_of_a > 1 ? Cluster::column() * rows : 0;
            copy_part_in<parts_of_a>(shared.a[stage] + first * tile_k, map_a, filled, step * tile_k, row + first,
                                     Cluster::blocks_of_row(), product);
        }
        if constexpr (Layouts::b_transposed) {
            const int first = parts_of_b > 1 ? Cluster::row() * own_columns : 0;
            copy_part_in<parts_of_b>(shared.b[stage][0] + first * tile_k, map_b, filled, step * tile_k, column + first,
                                     Cluster::blocks_of_column(), product);
            return;
        }
        const int first_box = own_boxes < boxes ? Cluster::row() * own_boxes : 0,
                  first_row = box_rows < tile_k ? Cluster::row() * box_rows : 0;
#pragma unroll
        for (int own = 0; own < own_boxes; ++own) {
            const int box = first_box + own, box_column = column + box * box_n, row_of_b = step * tile_k + first_row;
            if (box >= existing) break;
            copy_part_in<parts_of_b>(shared.b[stage][box] + first_row * box_n, map_b, filled, box_column, row_of_b,
                                     Cluster::blocks_of_column(), product);
        }
    }

    /// Copies a box to the blocks that share it, if there are several.
    template <int parts, typename Product>
    __device__ static void copy_part_in(T* target, const CUtensorMap& map, std::uint64_t* filled, int column, int row,
                                        std::uint16_t blocks, Product product) {
        if constexpr (parts > 1) copy_box_to_blocks(target, map, filled, column, row, product, blocks);
        else copy_box_in(target, map, filled, column, row, product);
    }
};

}  // namespace BACKEND

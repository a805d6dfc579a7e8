// SPDX-License-Identifier: MIT
// A row of the tables of tiles. Only for nvcc.
#pragma once

#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "kernels/matmul/hopper/stream_k_cost.cuh"
#include "tools/matmul/tile_choice.cuh"
#include "tools/matmul/tile_cost.cuh"

namespace BACKEND {

// Tiles of matrices that are stored transposed. (Their cycles are those that the same tiles of plain matrices had
// before these lay in low bands, or lie between their neighbors', or are from one or two batches, not fitted; but for
// clustered_tile().)
using TransposedA = StoredLayouts<true, false>;
using TransposedB = StoredLayouts<false, true>;
using TransposedAB = StoredLayouts<true, true>;
using TransposedC = StoredLayouts<false, false, true>;

template <typename Tile>
LaunchShape launch_tile(const MatmulArguments<void>& arguments, const StreamKCost& cost) {
    return Tile::enqueue(arguments.as<typename Tile::Element>(), cost);
}

// A row of the tables: all but its cycles follows from the tile's type.
template <typename Tile>
constexpr TileChoice tile(double cycles_per_stage, double fixed_cycles, const StreamKCost& cost = no_stream_k,
                          double straightening_cycles = 0) {
    using T = typename Tile::Element;
    StreamKCost sharing = Tile::stream_k ? cost : no_stream_k;
    if (!Tile::can_exchange) sharing.stages_of_exchange = 0;
    sharing.side_by_side = Tile::deals_side_by_side;
    sharing.apart = stages_apart(Tile::tile_m, Tile::tile_n, cycles_per_stage);
    return {{Tile::tile_m, Tile::tile_n, hopper_tile_k<T>},
            sizeof(T),
            Tile::split_k,
            Tile::cluster_rows,
            Tile::cluster_columns,
            Tile::at_once,
            Tile::least_k,
            Tile::least_rows,
            Tile::row_sets,
            Tile::stream_k,
            Tile::needs_aligned_rows,
            Tile::takes_batch,
            Tile::only_batch,
            {Tile::Layouts::a_transposed, Tile::Layouts::b_transposed, Tile::Layouts::c_transposed},
            cycles_per_stage,
            fixed_cycles,
            straightening_cycles,
            {},
            sharing,
            launch_tile<Tile>};
}

}  // namespace BACKEND

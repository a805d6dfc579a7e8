// SPDX-License-Identifier: MIT
// The ranks of a gang as a grid, with a communicator for each row and column.
#pragma once

#include <cstdlib>
#include <exception>
#include <vector>

#include "common/gang/devices.cuh"

namespace BACKEND {

// Ranks are in row-major order.
struct GangGrid {
    size_t rows = 1, columns = 1;

    size_t row(size_t rank) const { return rank / columns; }
    size_t column(size_t rank) const { return rank % columns; }
};

// As square as the number of ranks allows; no more columns than rows.
constexpr GangGrid grid_of(size_t ranks) {
    GangGrid grid{ranks, 1};
    for (size_t columns = 2; columns * columns <= ranks; ++columns)
        if (ranks % columns == 0) grid = {ranks / columns, columns};
    return grid;
}

// A communicator for each row, where a rank's number is its column, and one for each column, where it is its row. Their
// kernels run concurrently with others, so they take few multiprocessors: 8, unless NCCL_MAX_CTAS says otherwise.
class GridCommunicators {
public:
    GridCommunicators(Gang& gang, const GangGrid& grid)
        : nccl_(gang.nccl()), rows_(gang.size()), columns_(gang.size()) {
        if (!nccl_.comm_split)
            fail(Exit::unavailable, "NCCL {} has no ncclCommSplit; install 2.18 or later", nccl_.version());
        gang.on_each([&](size_t) { static_cast<void>(gang.communicators()); });  // not made within a group
        const char* const asked = std::getenv("NCCL_MAX_CTAS");
        NcclConfig config;
        config.most_blocks = asked ? std::atoi(asked) : 8;
        config.cluster_size = 0;  // a cluster of blocks would wait until neighboring multiprocessors are free
#ifndef __SIMCC__
        multiprocessors_ = unsigned(config.most_blocks);
#endif
        const auto split = [&](size_t rank, size_t color, size_t key, ncclComm_t& result) {
            const ncclComm_t all = gang.communicators()[rank];
            nccl_.expect(nccl_.comm_split(all, int(color), int(key), &result, &config), "ncclCommSplit", all);
        };
        nccl_.group(
            [&] { gang.on_each([&](size_t rank) { split(rank, grid.row(rank), grid.column(rank), rows_[rank]); }); });
        nccl_.group([&] {
            gang.on_each([&](size_t rank) { split(rank, grid.column(rank), grid.row(rank), columns_[rank]); });
        });
    }
    // (Destroying may wait for other ranks, which may never come after a failure.)
    ~GridCommunicators() {
        const auto end = std::uncaught_exceptions() > 0 ? nccl_.comm_abort : nccl_.comm_destroy;
        for (const auto& communicators : {rows_, columns_})
            for (const ncclComm_t one : communicators)
                if (one) static_cast<void>(end(one));
    }
    GridCommunicators(const GridCommunicators&) = delete;
    GridCommunicators& operator=(const GridCommunicators&) = delete;

    // How many of each device they take at most: 0 in the simulator, as its NCCL has no kernels.
    unsigned multiprocessors() const { return multiprocessors_; }
    ncclComm_t of_row(size_t rank) const { return rows_[rank]; }
    ncclComm_t of_column(size_t rank) const { return columns_[rank]; }

private:
    const Nccl& nccl_;
    unsigned multiprocessors_ = 0;
    std::vector<ncclComm_t> rows_, columns_;
};

}  // namespace BACKEND

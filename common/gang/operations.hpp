// SPDX-License-Identifier: MIT
// The collective operations: where the elements of each come from, and how its bandwidths are counted.
#pragma once

#include <cstddef>

enum class Collective { all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all, ring };

// Its name in tables.
constexpr const char* name_of(Collective operation) {
    constexpr const char* names[] = {"all-reduce", "reduce-scatter", "all-gather", "broadcast",
                                     "reduce",     "all-to-all",     "ring"};
    return names[static_cast<int>(operation)];
}

// One operation on one size. The larger of a rank's buffers has total() elements. If each rank owns a part of it, that
// part is a share. Shares are equal: n is rounded up to a multiple of the number of ranks.
struct CollectiveShape {
    Collective operation = Collective::all_reduce;
    std::size_t n = 0;
    std::size_t ranks = 1;
    std::size_t root = 0;  // of a broadcast or reduce

    bool has_shares() const {
        return operation == Collective::reduce_scatter || operation == Collective::all_gather ||
               operation == Collective::all_to_all;
    }
    bool has_root() const { return operation == Collective::broadcast || operation == Collective::reduce; }
    bool reduces() const {
        return operation == Collective::all_reduce || operation == Collective::reduce_scatter ||
               operation == Collective::reduce;
    }
    // In place, these two would overwrite elements that they have yet to send.
    bool may_be_in_place() const { return operation != Collective::all_to_all && operation != Collective::ring; }

    std::size_t share() const { return has_shares() ? n / ranks + (n % ranks != 0) : n; }
    std::size_t total() const { return has_shares() ? share() * ranks : n; }
    std::size_t sent() const { return operation == Collective::all_gather ? share() : total(); }
    std::size_t received() const { return operation == Collective::reduce_scatter ? share() : total(); }
    bool receives(std::size_t rank) const { return operation != Collective::reduce || rank == root; }

    // Where a rank's share begins in the larger buffer. In place, the share is the rank's smaller buffer.
    std::size_t own_share(std::size_t rank) const { return has_shares() ? rank * share() : 0; }

    // Where element i of what `rank` receives comes from: element `index` of rank `from`, or of all if it reduces.
    struct Origin {
        std::size_t from, index;
    };
    Origin origin(std::size_t rank, std::size_t i) const {
        switch (operation) {
            case Collective::reduce_scatter: return {0, rank * share() + i};
            case Collective::all_gather: return {i / share(), i % share()};
            case Collective::broadcast: return {root, i};
            case Collective::all_to_all: return {i / share(), rank * share() + i % share()};
            case Collective::ring: return {(rank + ranks - 1) % ranks, i};
            default: return {0, i};
        }
    }

    // Bus bandwidth divided by algorithm bandwidth, which is total() in bytes per time. The bus bandwidth is what each
    // link carries, whatever the number of ranks. (nccl-tests, doc/PERFORMANCE.md; for the ring, src/sendrecv.cu.)
    double bus_factor() const {
        const double others = double(ranks - 1) / double(ranks);
        switch (operation) {
            case Collective::all_reduce: return 2 * others;
            case Collective::reduce_scatter:
            case Collective::all_gather:
            case Collective::all_to_all: return others;
            default: return ranks > 1 ? 1 : 0;
        }
    }
};

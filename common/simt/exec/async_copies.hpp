// SPDX-License-Identifier: MIT
// The copies that the lanes of a block have started and not yet waited for: see include/simt/async_copy.hpp.
#pragma once

#include <deque>
#include <vector>

#include "common/simt/include/simt/async_copy_list.hpp"

namespace simt {

class AsyncCopies {
public:
    void start(unsigned rank, const AsyncCopy& copy);
    void commit(unsigned rank);
    bool take(unsigned rank, unsigned groups, AsyncCopy& copy);
    bool take_of(unsigned rank, const void* barrier, AsyncCopy& copy);

    // Forgets the copies left by the lanes of the last block.
    void clear() { lanes_.clear(); }

private:
    struct Pending {
        AsyncCopy copy;
        size_t group;
    };
    struct Lane {
        std::deque<Pending> copies;  // oldest first
        std::deque<AsyncCopy> of_barriers;
        size_t committed = 0;  // groups
    };

    Lane& lane(unsigned rank);

    std::vector<Lane> lanes_;  // by rank; empty in blocks without copies
};

}  // namespace simt

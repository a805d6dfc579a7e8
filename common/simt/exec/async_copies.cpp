// SPDX-License-Identifier: MIT
#include "common/simt/exec/async_copies.hpp"

#include <algorithm>
#include <cstdint>

#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt {

AsyncCopies::Lane& AsyncCopies::lane(unsigned rank) {
    if (rank >= lanes_.size()) lanes_.resize(rank + 1);
    return lanes_[rank];
}

void AsyncCopies::start(unsigned rank, const AsyncCopy& copy) {
    Lane& own = lane(rank);
    if (copy.barrier) {
        own.of_barriers.push_back(copy);
    } else {
        own.copies.push_back({copy, own.committed});
    }
}

void AsyncCopies::commit(unsigned rank) { ++lane(rank).committed; }

bool AsyncCopies::take(unsigned rank, unsigned groups, AsyncCopy& copy) {
    Lane& own = lane(rank);
    if (own.copies.empty() || own.copies.front().group + groups >= own.committed) return false;
    copy = own.copies.front().copy;
    own.copies.pop_front();
    return true;
}

bool AsyncCopies::take_of(unsigned rank, const void* barrier, AsyncCopy& copy) {
    if (rank >= lanes_.size()) return false;
    auto& copies = lanes_[rank].of_barriers;
    const auto first =
        std::find_if(copies.begin(), copies.end(), [barrier](const AsyncCopy& one) { return one.barrier == barrier; });
    if (first == copies.end()) return false;
    copy = *first;
    copies.erase(first);
    return true;
}

namespace {

// If a copy was taken, the running lane makes it now.
bool finishes(bool taken, const AsyncCopy& copy) {
    BlockObserver* const observer = taken ? ResidentBlock::current()->observer() : nullptr;
    if (observer) observer->copy_finished(reinterpret_cast<uintptr_t>(copy.target), copy.bytes);
    return taken;
}

}  // namespace

void start_copy(unsigned rank, const AsyncCopy& copy) {
    const Uninterrupted section;
    ResidentBlock& block = *ResidentBlock::current();
    block.async_copies.start(rank, copy);
    if (BlockObserver* const observer = block.observer()) {
        observer->copy_started(reinterpret_cast<uintptr_t>(copy.target), copy.bytes, __builtin_return_address(0));
    }
}
void commit_copies(unsigned rank) {
    const Uninterrupted section;
    ResidentBlock::current()->async_copies.commit(rank);
}
bool take_copy(unsigned rank, unsigned groups, AsyncCopy& copy) {
    const Uninterrupted section;
    return finishes(ResidentBlock::current()->async_copies.take(rank, groups, copy), copy);
}
bool take_copy_of(unsigned rank, const void* barrier, AsyncCopy& copy) {
    const Uninterrupted section;
    return finishes(ResidentBlock::current()->async_copies.take_of(rank, barrier, copy), copy);
}

}  // namespace simt

// SPDX-License-Identifier: MIT
// Shared memory of one block: its arrays, and which of their bytes have been written.
#pragma once

#include <cstdint>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/program_image.hpp"
#include "common/simt/check/memory/state_map.hpp"

namespace simt::check {

class SharedState {
public:
    // `window`: the shared memory of the thread that runs the block.
    explicit SharedState(AddressRange window);

    // A block begins: nothing has been written yet.
    void begin_block(size_t dynamic_bytes);
    void initialize(uintptr_t address, size_t bytes);
    StateMap& map() { return current_; }

    // The variable nearest to an address, with its place in this thread: "array tile" or "dynamic shared memory".
    Variable nearest_array(uintptr_t address) const;

private:
    const AddressRange window_;
    const uintptr_t dynamic_begin_;
    size_t dynamic_bytes_ = 0;
    StateMap fresh_;  // the state at the start of every block
    StateMap current_;
    uintptr_t written_begin_ = 0, written_end_ = 0;  // where `current_` may differ from `fresh_`
};

}  // namespace simt::check

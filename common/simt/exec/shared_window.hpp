// SPDX-License-Identifier: MIT
// The shared memory of the block that runs on an OS thread, and copies of it for suspended blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "common/simt/exec/run.hpp"

/// The block's dynamic shared memory, in the program's thread-local storage.
extern "C" __thread char simt_dynamic_shared[simt::max_dynamic_shared_bytes];

namespace simt {

/// __shared__ variables are thread-local variables of the program, so the program's thread-local storage on a worker
/// thread is the shared memory of the block that runs there. It is saved and restored as a whole, except for the unused
/// part of the dynamic window. Where the runtime is part of the program and not a library of its own, its thread-local
/// variables are in it, too: they must be set again after restore().
class SharedWindow {
public:
    /// The window of the calling thread.
    SharedWindow();

    /// The calling thread's window for dynamic shared memory, of max_dynamic_shared_bytes.
    static char* dynamic_begin();

    const char* begin() const { return begin_; }
    size_t bytes() const { return static_cast<size_t>(end_ - begin_); }

    /// Copies the window into `image`, with this many bytes of dynamic shared memory.
    void save(std::vector<char>& image, size_t dynamic_bytes) const;
    void restore(const std::vector<char>& image, size_t dynamic_bytes) const;

private:
    struct Piece {
        char* begin;
        size_t bytes;
    };
    // The pieces before the dynamic window, in it, and after it.
    void pieces(size_t dynamic_bytes, Piece (&result)[3]) const;

    char* begin_ = nullptr;
    char* end_ = nullptr;
};

}  // namespace simt

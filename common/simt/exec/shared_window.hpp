// SPDX-License-Identifier: MIT
// The shared memory of the block that runs on an OS thread, and copies of it for suspended blocks.
#pragma once

#include <cstddef>
#include <vector>

#include "common/simt/exec/executable.hpp"
#include "common/simt/exec/run.hpp"

/// The block's dynamic shared memory, in the thread-local storage of the program or of one of its libraries.
extern "C" __thread char simt_dynamic_shared[simt::max_dynamic_shared_bytes];

namespace simt {

/// __shared__ variables are thread-local variables, so the thread-local storage of the modules with kernels on a worker
/// thread is the shared memory of the block that runs there. It is saved and restored as a whole, except for the unused
/// part of the dynamic window. Where the runtime is part of a module and not a library of its own, its thread-local
/// variables are in it, too: they must be set again after restore(). (So must what is in a window: it has no pointers
/// that it owns.)
class SharedWindow {
public:
    /// The window of the calling thread.
    SharedWindow();

    /// Whether no module has come since.
    bool is_current() const { return modules_ == module_count(); }

    /// The calling thread's window for dynamic shared memory, of max_dynamic_shared_bytes.
    static char* dynamic_begin();

    bool contains(const void* address) const;

    /// From the first byte of any part to the last. Between the parts are other modules' variables.
    const char* begin() const { return begin_; }
    size_t bytes() const { return static_cast<size_t>(end_ - begin_); }

    /// Copies the window into `image`, with this many bytes of dynamic shared memory.
    void save(std::vector<char>& image, size_t dynamic_bytes) const;
    /// (An older image lacks the modules that have come since.)
    void restore(const std::vector<char>& image, size_t dynamic_bytes) const;

private:
    static constexpr size_t most_parts = 32;
    struct Part {
        char* begin;
        size_t bytes;
    };
    void add(char* begin, size_t bytes);
    // Visits the parts with the dynamic window at its present size.
    template <typename Visit>
    void visit(size_t dynamic_bytes, Visit visit_part) const;

    Part parts_[most_parts] = {};  // that with the dynamic window comes first
    size_t count_ = 0, modules_ = 0;
    char* begin_ = nullptr;
    char* end_ = nullptr;
};

}  // namespace simt

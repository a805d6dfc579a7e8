// SPDX-License-Identifier: MIT
#include "common/simt/runtime/properties.hpp"

#include <algorithm>

#include "common/simt/exec/run.hpp"

namespace simt {

int multiprocessor_count() { return static_cast<int>(worker_count()); }

int pci_bus(int device) { return device + 1; }

int resident_blocks(int block_size, size_t shared_bytes) {
    if (block_size <= 0 || block_size > static_cast<int>(max_threads_per_block)) return 0;
    const int threads = (block_size + warp_size - 1) / warp_size * warp_size;
    int blocks = std::min(max_blocks_per_multiprocessor, max_threads_per_multiprocessor / threads);
    blocks = std::min(blocks, registers_per_multiprocessor / (registers_per_thread * threads));
    if (shared_bytes > shared_bytes_per_block_optin) return 0;
    const size_t used = shared_bytes + reserved_shared_bytes_per_block;
    const size_t footprint = (used + shared_granularity - 1) / shared_granularity * shared_granularity;
    return std::min(blocks, static_cast<int>(shared_bytes_per_multiprocessor / footprint));
}

}  // namespace simt

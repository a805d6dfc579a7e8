// SPDX-License-Identifier: MIT
// A simulated device. Its hardware has the limits of compute capability 9.0, as the CUDA programming guide lists them,
// and as many multiprocessors as there are worker threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {

constexpr int warp_size = 32;
constexpr unsigned max_threads_per_block = 1024;
constexpr Extent max_block = {1024, 1024, 64};
constexpr Extent max_grid = {2147483647, 65535, 65535};
constexpr int max_threads_per_multiprocessor = 2048;
constexpr int max_blocks_per_multiprocessor = 32;
constexpr int registers_per_multiprocessor = 65536;
constexpr size_t shared_bytes_per_block = 48 << 10;  // without cudaFuncSetAttribute
constexpr size_t shared_bytes_per_block_optin = 227 << 10;
constexpr size_t shared_bytes_per_multiprocessor = 228 << 10;
constexpr size_t reserved_shared_bytes_per_block = 1 << 10;
constexpr size_t shared_granularity = 128;     // a block's shared memory is a multiple of this many bytes
constexpr int registers_per_thread = 32;       // assumed for every kernel: g++ does not allocate GPU registers
constexpr unsigned most_nested_launches = 24;  // a launch by the host has depth 0
constexpr size_t default_pending_launches = 2048;
constexpr int greatest_stream_priority = -5, least_stream_priority = 0;

/// For textures in linear memory, the address and the distance between two rows are multiples of these bytes.
constexpr size_t texture_alignment = 512;
constexpr size_t texture_pitch_alignment = 32;
constexpr size_t max_texture_1d = 131072, max_texture_1d_linear = 268435456;  // texels
constexpr size_t max_texture_2d[] = {131072, 65536};
constexpr size_t max_texture_2d_linear[] = {131072, 65000, 2097120};  // the last in bytes
constexpr size_t max_texture_3d = 16384;                              // of each extent

int multiprocessor_count();
int pci_bus(int device);

/// How many blocks of this size fit on one multiprocessor at a time; 0 if a single one is too large.
int resident_blocks(int block_size, size_t shared_bytes);

/// One device: its streams, its settings, and the error that broke it, if any.
class Device {
public:
    explicit Device(int index);

    int index() const { return index_; }

    /// Puts work into a stream, in CUDA's order: the legacy default stream waits for all earlier work in blocking
    /// streams, and they wait for it.
    Ticket enqueue(Stream& stream, Work work, std::vector<Ticket> after = {}, Start start = Start::on_thread);

    /// Waits for all work submitted so far, in every stream.
    void synchronize();

    std::shared_ptr<Stream> create_stream(Stream::Kind kind, unsigned flags, int priority);
    void forget_stream(const std::shared_ptr<Stream>& stream);
    std::shared_ptr<Stream> legacy_stream();

    /// After a failed kernel every call returns its error until a reset.
    int broken() const { return broken_.load(std::memory_order_acquire); }
    void fail(int error);
    /// True once per failure, since later calls that return the error report nothing new.
    bool tells_failure_first() { return !failure_told_.exchange(true); }
    void reset();
    void discard_work();

    std::atomic<size_t> pending_launches{0};  ///< grids that kernels have launched and that are not complete
    std::atomic<size_t> events_of_grids{0};   ///< created and not destroyed by kernels, in grids that are not complete

    std::mutex order;  ///< submissions to all streams of the device, one at a time

    /// Settings that programs may read back.
    std::optional<size_t>* limit(int which);
    unsigned flags = 0;
    int cache_preference = 0;
    std::set<int> peers;

private:
    std::vector<std::shared_ptr<Stream>> streams() const;

    const int index_;
    std::atomic<int> broken_{0};
    std::atomic<bool> failure_told_{false};
    mutable std::mutex streams_mutex_;
    std::shared_ptr<Stream> legacy_;
    std::vector<std::shared_ptr<Stream>> streams_;  // all but the legacy one
    std::array<std::optional<size_t>, 7> limits_;
};

}  // namespace simt

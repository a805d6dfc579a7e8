// SPDX-License-Identifier: MIT
// One simulated device: its streams, its settings, and the error that broke it, if any.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "common/simt/runtime/stream.hpp"

namespace simt {

class Device {
public:
    explicit Device(int index);

    int index() const { return index_; }

    // Puts work into a stream, in CUDA's order: the legacy default stream waits for all earlier work in blocking
    // streams, and they wait for it.
    Ticket enqueue(Stream& stream, Work work, std::vector<Ticket> after = {}, Start start = Start::on_thread);

    // Waits for all work submitted so far, in every stream.
    void synchronize();

    std::shared_ptr<Stream> create_stream(Stream::Kind kind, unsigned flags, int priority);
    void forget_stream(const std::shared_ptr<Stream>& stream);
    std::shared_ptr<Stream> legacy_stream();

    // After a failed kernel every call returns its error until a reset.
    int broken() const { return broken_.load(std::memory_order_acquire); }
    void fail(int error);
    // True once per failure, since later calls that return the error report nothing new.
    bool tells_failure_first() { return !failure_told_.exchange(true); }
    void reset();
    void discard_work();

    std::atomic<size_t> pending_launches{0};  // grids that kernels have launched and that are not complete
    std::atomic<size_t> events_of_grids{0};   // created and not destroyed by kernels, in grids that are not complete

    std::mutex order;  // submissions to all streams of the device, one at a time

    // Settings that programs may read back.
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

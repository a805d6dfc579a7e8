// SPDX-License-Identifier: MIT
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/events.hpp"

#include <algorithm>

#include "common/simt/exec/run.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

Device::Device(int index) : index_(index) {}

std::shared_ptr<Stream> Device::legacy_stream() {
    const std::lock_guard lock(streams_mutex_);
    if (!legacy_) legacy_ = std::make_shared<Stream>(*this, Stream::Kind::legacy_default, 0, 0);
    return legacy_;
}

std::shared_ptr<Stream> Device::create_stream(Stream::Kind kind, unsigned flags, int priority) {
    auto stream = std::make_shared<Stream>(*this, kind, flags, priority);
    const std::lock_guard lock(streams_mutex_);
    streams_.push_back(stream);
    return stream;
}

void Device::forget_stream(const std::shared_ptr<Stream>& stream) {
    stream->close();
    const std::lock_guard lock(streams_mutex_);
    // A stream that still has work remains, so that the default stream and cudaDeviceSynchronize wait for it.
    std::erase_if(streams_, [&](const auto& other) {
        return other.use_count() == 1 || (other == stream && stream->done(stream->last_sequence()));
    });
}

std::vector<std::shared_ptr<Stream>> Device::streams() const {
    const std::lock_guard lock(streams_mutex_);
    auto all = streams_;
    if (legacy_) all.push_back(legacy_);
    return all;
}

namespace {

// A lane that waited for a stream of the host would wait for itself.
void refuse_in_kernels() {
    if (in_kernel()) fail_lane("a stream of the host was used or waited for in a kernel");
}

}  // namespace

Ticket Device::enqueue(Stream& stream, Work work, std::vector<Ticket> after, Start start) {
    refuse_in_kernels();
    std::vector<ClientNote> ordered_after;
    for (const Ticket& ticket : after) ordered_after.push_back(ticket.note);
    std::erase_if(after, [](const Ticket& ticket) { return ticket.done(); });
    const std::lock_guard lock(order);
    const auto wait_for_last_of = [&](Stream& other) {
        Ticket last = other.last_ticket();
        ordered_after.push_back(last.note);
        if (!last.done()) after.push_back(std::move(last));
    };
    if (stream.kind() == Stream::Kind::legacy_default) {
        const std::lock_guard streams_lock(streams_mutex_);
        for (const auto& other : streams_) {
            if (other->blocking()) wait_for_last_of(*other);
        }
    } else if (stream.blocking()) {
        const std::lock_guard streams_lock(streams_mutex_);
        if (legacy_) wait_for_last_of(*legacy_);
    }
    return stream.submit(std::move(work), std::move(after), start, ordered_after);
}

void Device::synchronize() {
    refuse_in_kernels();
    for (const auto& stream : streams()) stream->last_ticket().host_waits();
}

void Device::fail(int error) {
    int none = 0;
    broken_.compare_exchange_strong(none, error, std::memory_order_acq_rel);  // the first failure is the one reported
}

void Device::reset() {
    synchronize();
    for (const auto& stream : streams()) stream->close();
    const std::lock_guard lock(streams_mutex_);
    streams_.clear();
    legacy_.reset();
    limits_ = {};
    flags = 0;
    cache_preference = 0;
    peers.clear();
    failure_told_ = false;
    broken_.store(0, std::memory_order_release);
}

void Device::discard_work() {
    for (const auto& stream : streams()) stream->discard();
}

std::optional<size_t>* Device::limit(int which) {
    return which >= 0 && which < static_cast<int>(limits_.size()) ? &limits_[which] : nullptr;
}

// ---- the hardware

int multiprocessor_count() {
    const int of_model = events().multiprocessors;
    return of_model > 0 ? of_model : static_cast<int>(worker_count());
}

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

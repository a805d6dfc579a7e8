// SPDX-License-Identifier: MIT
// What is copied: the ends of all copies of one size, on the host, on the device and on its peer, and the comparison of
// every byte of a result.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/host_memory.cuh"
#include "common/cuda/peer_access.cuh"
#include "common/measure/statistics.hpp"
#include "common/measure/timing.cuh"
#include "tools/transfer/pattern.hpp"

namespace BACKEND {

// The ends of a copy on the host, in memory of one kind.
struct HostEnds {
    HostEnds(const MemoryKind& kind_, size_t n) : kind(kind_), from(kind_, n), to(kind_, n) {}

    const MemoryKind& kind;
    HostVector<unsigned char> from, to;
    double allocate_ns = 0;  // of one end, including its release
};

// The ends on a device.
struct DeviceEnds {
    explicit DeviceEnds(size_t n) : from(n), to(n) {}
    DeviceBuffer<unsigned char> from, to;
};

class TransferData {
public:
    // Every end begins `offset` bytes past an aligned address.
    TransferData(const Session& session, size_t n, size_t offset)
        : n_(n),
          offset_(offset),
          ordinal_(session.device.ordinal),
          of_host_{session.options.seed, 0},
          of_device_{session.options.seed, ~std::uint64_t{0}},
          device_(n + offset) {
        fill_device(d_from());
    }

    size_t size() const { return n_; }
    int ordinal() const { return ordinal_; }
    unsigned char* d_from() const { return device_.from.data() + offset_; }
    unsigned char* d_to() const { return device_.to.data() + offset_; }

    // Allocated when the first variant asks for them.
    HostEnds& host(const std::string& kind) {
        auto& ends = hosts_[kind];
        if (ends) return *ends;
        ends = std::make_unique<HostEnds>(memory_kind_named(kind), n_ + offset_);
        of_host_.write(ends->from.data() + offset_, n_);
        std::vector<double> times;
        for (int i = 0; i < 3; ++i)
            times.push_back(host_time([&] { HostVector<unsigned char>(ends->kind, n_ + offset_); }));
        ends->allocate_ns = summarize(times).median;
        return *ends;
    }
    unsigned char* h_from(const std::string& kind) { return host(kind).from.data() + offset_; }
    unsigned char* h_to(const std::string& kind) { return host(kind).to.data() + offset_; }

    // The ends on the peer, the next device.
    void use_peer(int ordinal) {
        if (peer_) return;
        peer_ordinal_ = ordinal;
        const OnDevice there(ordinal);
        peer_ = std::make_unique<DeviceEnds>(n_ + offset_);
        fill_device(peer_->from.data() + offset_);
        CHECK(cudaDeviceSynchronize());
    }
    int peer() const { return peer_ordinal_; }
    unsigned char* peer_from() const { return peer_->from.data() + offset_; }
    unsigned char* peer_to() const { return peer_->to.data() + offset_; }

    // Compare what arrived on a device, or on the host, with what was at the other end.
    Verdict compare_on_device(const unsigned char* d_to, bool from_host) const {
        const std::unique_ptr<unsigned char[]> copy(new unsigned char[n_ + 1]);
        CHECK(cudaMemcpy(copy.get(), d_to, n_, cudaMemcpyDeviceToHost));
        return (from_host ? of_host_ : of_device_).compare(copy.get(), n_);
    }
    Verdict compare_on_host(const std::string& kind) {
        // The processor reads write-combined memory a hundred times slower than the copy engine does.
        const bool slow = kind == "write-combined" && n_ > 0;
        if (!slow) return of_device_.compare(h_to(kind), n_);
        DeviceBuffer<unsigned char> d_copy(n_);
        CHECK(cudaMemcpy(d_copy.data(), h_to(kind), n_, cudaMemcpyHostToDevice));
        return compare_on_device(d_copy.data(), false);
    }

private:
    void fill_device(unsigned char* d_from) const {
        const std::unique_ptr<unsigned char[]> bytes(new unsigned char[n_ + 1]);
        of_device_.write(bytes.get(), n_);
        CHECK(cudaMemcpy(d_from, bytes.get(), n_, cudaMemcpyHostToDevice));
    }

    size_t n_, offset_;
    int ordinal_, peer_ordinal_ = 0;
    Pattern of_host_, of_device_;
    // Allocated before the host's arrays, so that the message for too large a size names the device's free memory.
    DeviceEnds device_;
    std::unique_ptr<DeviceEnds> peer_;
    std::map<std::string, std::unique_ptr<HostEnds>> hosts_;
};

}  // namespace BACKEND

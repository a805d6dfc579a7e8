// SPDX-License-Identifier: MIT
// The ways as cases: what each enqueues, how it is timed, and which end is compared.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "common/cuda/staged_copy.cuh"
#include "common/measure/bench.cuh"
#include "kernels/transfer.cuh"
#include "tools/transfer/break_even.hpp"
#include "tools/transfer/data.cuh"
#include "tools/transfer/table.cuh"

namespace BACKEND {

// Between devices without peer access the driver copies through the host, and a call may wait for that.
inline bool goes_through_host(const TransferVariant& variant, const TransferData& data) {
    if (variant.touches_host() || !variant.needs_peer()) return variant.touches_host();
    int can = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, data.ordinal(), data.peer()));
    return !can;
}

inline Problem problem_of(const TransferVariant& variant, size_t n) {
    const bool twice = variant.is_both() || variant.direction == Direction::on_device;
    return {std::nullopt, n, double(n) * (twice ? 2 : 1), 0, 0, "bytes"};
}

// A way with the data of one size. What a copy costs is added to `costs`.
class Way : public HostClockCase {
public:
    Way(const Session& session, const TransferVariant& way, TransferData& data, CopyCosts& costs)
        : HostClockCase(way, problem_of(way, data.size()), goes_through_host(way, data)),
          variant_(way),
          data_(data),
          costs_(costs),
          offset_(session.own<TransferOptions>().offset),
          block_size_(session.options.block),
          multiprocessors_(unsigned(session.device.multiprocessors)) {
        if (way.touches_host()) {
            h_from_ = data.h_from(way.memory);
            h_to_ = data.h_to(way.memory);
        }
    }

    // Fills the destination with other bytes than the copy will bring.
    void poison(cudaStream_t stream) final {
        if (size() == 0) return;
        const Direction direction = variant_.direction;
        if (direction == Direction::to_host || direction == Direction::both) std::memset(h_to_, 0xa5, size());
        if (direction == Direction::both_peers) {
            const OnDevice there(data_.peer());
            CHECK(cudaMemset(data_.peer_to(), 0xa5, size()));
            CHECK(cudaDeviceSynchronize());
        }
        if (direction != Direction::to_host) CHECK(cudaMemsetAsync(data_.d_to(), 0xa5, size(), stream));
    }

    // The pages of managed memory go back to where they came from.
    void prepare(cudaStream_t stream) final {
        if (variant_.by != By::paging || size() == 0) return;
        if (variant_.direction == Direction::to_host) {
            copy(h_to_, data_.d_from(), stream);
            return;
        }
        prefetch(h_from_, cudaCpuDeviceId, stream);
        CHECK(cudaStreamSynchronize(stream));
        for (size_t i = 0; i < size(); i += page_bytes) *const_cast<volatile unsigned char*>(h_from_ + i) = h_from_[i];
    }

    // Enqueues the copy, or performs it.
    LaunchShape launch(cudaStream_t stream) override {
        return variant_.is_both() ? at_once(stream) : move(variant_.direction, stream);
    }

    Verdict check() final {
        const Direction direction = variant_.direction;
        const bool of_host = direction == Direction::to_device || direction == Direction::both;
        Verdict verdict;
        if (direction != Direction::to_host) verdict = data_.compare_on_device(data_.d_to(), of_host);
        if (verdict.right && (direction == Direction::to_host || direction == Direction::both))
            verdict = data_.compare_on_host(variant_.memory);
        if (verdict.right && direction == Direction::both_peers)
            verdict = data_.compare_on_device(data_.peer_to(), false);
        return verdict;
    }

    std::vector<Cell> own_cells(double median_ns) final {
        const TransferCells values = cells();
        costs_[variant_.name][size()] = {median_ns, values.allocate_ns};
        return cells_of(transfer_columns, values);
    }

protected:
    // The values of its own columns.
    virtual TransferCells cells() const {
        const double allocate_ns = variant_.touches_host() ? data_.host(variant_.memory).allocate_ns : 0;
        return {variant_, offset_, 0, 0, allocate_ns};
    }
    size_t size() const { return data_.size(); }

    static constexpr size_t page_bytes = 4096;

    // (Two kernels run at the same time only if neither fills the device.)
    LaunchShape copy(unsigned char* to, const unsigned char* from, cudaStream_t stream) const {
        const unsigned multiprocessors = variant_.is_both() ? std::max(multiprocessors_ / 2, 1U) : multiprocessors_;
        return launch_transfer_copy({to, from, size(), block_size_, multiprocessors, stream});
    }

    void prefetch(const void* pointer, int where, cudaStream_t stream) const {
#if CUDART_VERSION >= 13000
        cudaMemLocation location{};
        location.type = where == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
        location.id = where == cudaCpuDeviceId ? 0 : where;
        CHECK(cudaMemPrefetchAsync(pointer, size(), location, 0, stream));
#else
        CHECK(cudaMemPrefetchAsync(pointer, size(), where, stream));
#endif
    }

    LaunchShape move(Direction direction, cudaStream_t stream) const {
        const size_t n = size();
        if (variant_.by == By::paging) return move_pages(stream);
        if (variant_.by == By::kernel) {
            if (direction == Direction::to_host) return copy(h_to_, data_.d_from(), stream);
            const unsigned char* from = direction == Direction::to_device   ? h_from_
                                        : direction == Direction::on_device ? data_.d_from()
                                                                            : data_.peer_from();
            return copy(data_.d_to(), from, stream);
        }
        if (variant_.is_cuda_memcpy()) {
            const bool sends = direction == Direction::to_device;
            CHECK(sends ? cudaMemcpy(data_.d_to(), h_from_, n, cudaMemcpyHostToDevice)
                        : cudaMemcpy(h_to_, data_.d_from(), n, cudaMemcpyDeviceToHost));
            CHECK(cudaStreamSynchronize(nullptr));  // the last of its own pinned buffers may still be in flight
            return {};
        }
        switch (direction) {
            case Direction::to_device:
                CHECK(cudaMemcpyAsync(data_.d_to(), h_from_, n, cudaMemcpyHostToDevice, stream));
                break;
            case Direction::to_host:
                CHECK(cudaMemcpyAsync(h_to_, data_.d_from(), n, cudaMemcpyDeviceToHost, stream));
                break;
            case Direction::on_device:
                CHECK(cudaMemcpyAsync(data_.d_to(), data_.d_from(), n, cudaMemcpyDeviceToDevice, stream));
                break;
            default:
                CHECK(cudaMemcpyPeerAsync(data_.d_to(), data_.ordinal(), data_.peer_from(), data_.peer(), n, stream));
        }
        return {};
    }

    // One direction in this stream, the other in the second, which it waits for.
    LaunchShape at_once(cudaStream_t stream) const {
        begin_.record(stream);
        CHECK(cudaStreamWaitEvent(second_, begin_, 0));
        LaunchShape shape;
        if (variant_.direction == Direction::both) {
            shape = move(Direction::to_device, stream);
            move(Direction::to_host, second_);
        } else {
            move(Direction::from_peer, stream);
            CHECK(cudaMemcpyPeerAsync(data_.peer_to(), data_.peer(), data_.d_from(), data_.ordinal(), size(), second_));
        }
        end_.record(second_);
        CHECK(cudaStreamWaitEvent(stream, end_, 0));
        return shape;
    }

    // Moves pages to the device, until a kernel has read them all, or to the host, until the host has.
    LaunchShape move_pages(cudaStream_t stream) const {
        if (size() == 0) return {};
        if (variant_.direction == Direction::to_device) {
            if (variant_.prefetch) prefetch(h_from_, data_.ordinal(), stream);
            return copy(data_.d_to(), h_from_, stream);
        }
        if (variant_.prefetch) prefetch(h_to_, cudaCpuDeviceId, stream);
        CHECK(cudaStreamSynchronize(stream));
        for (size_t i = 0; i < size(); i += page_bytes)
            static_cast<void>(*const_cast<volatile unsigned char*>(h_to_ + i));
        return {};
    }

    const TransferVariant& variant_;
    TransferData& data_;
    CopyCosts& costs_;
    const size_t offset_;
    const unsigned block_size_, multiprocessors_;
    unsigned char *h_from_ = nullptr, *h_to_ = nullptr;
    Stream second_;
    Event begin_{cudaEventDisableTiming}, end_{cudaEventDisableTiming};
};

// A way through a StagedCopier, which creates its slots and threads here.
class StagedWay final : public Way {
public:
    StagedWay(const Session& session, const TransferVariant& way, TransferData& data, CopyCosts& costs, size_t threads,
              size_t slot_bytes)
        : Way(session, way, data, costs), slot_bytes_(slot_bytes), copier_({unsigned(threads), slot_bytes, 0}) {
        prepare_ns_ = host_time([&] {
            if (!copier_.prepare())
                session.notice(text("{}: pinned memory or threads are not available: cudaMemcpy copies", way.name));
        });
    }

    LaunchShape launch(cudaStream_t) override {
        if (variant_.direction == Direction::to_device) copier_.to_device(data_.d_to(), h_from_, size());
        else copier_.to_host(h_to_, data_.d_from(), size());
        return {};
    }

private:
    TransferCells cells() const override {
        const size_t threads = copier_.threads_used();
        return {variant_, offset_, threads, threads > 0 ? slot_bytes_ : 0, prepare_ns_};
    }

    const size_t slot_bytes_;
    StagedCopier copier_;
    double prepare_ns_ = 0;
};

}  // namespace BACKEND

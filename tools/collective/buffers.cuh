// What the devices send and receive, all of one size, and how a result is compared.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/peer_access.cuh"
#include "common/measure/timing.cuh"
#include "kernels/collective/snapshot.cuh"
#include "tools/collective/options.hpp"
#include "tools/collective/reference.hpp"

namespace BACKEND {

template <typename T>
struct OnHost {
    using Element = T;
};
template <>
struct OnHost<__half> {
    using Element = Half;
};
template <>
struct OnHost<__nv_bfloat16> {
    using Element = BFloat16;
};

// Three buffers on each device, of n elements rounded up to a multiple of the ranks: one keeps the input, one takes the
// result, and the input, too, where operations are in place, and one keeps the result for the verification, as a kernel
// that follows in the device's stream has seen it.
template <typename T>
class GangBuffers {
public:
    using Element = typename OnHost<T>::Element;

    GangBuffers(const Session& session, const GangStopwatch& watch, const Reference<Element>& reference, size_t n)
        : watch_(watch), reference_(reference), in_place_(session.own<CollectiveOptions>().in_place) {
        const size_t ranks = watch.ranks(), most = divide_up(n, ranks) * ranks;
        for (size_t rank = 0; rank < ranks; ++rank) {
            ordinals_.push_back(session.gang[rank].ordinal);
            const OnDevice there(ordinals_.back());
            inputs_.emplace_back(most);
            outputs_.emplace_back(most);
            snapshots_.emplace_back(most);
            multiprocessors_ = unsigned(session.gang[rank].multiprocessors);
            in_chunks(most, [&](std::vector<Element>& chunk, size_t first, size_t count) {
                fill(chunk.data(), count, [&](size_t i) { return reference.input(rank, first + i); });
                CHECK(
                    cudaMemcpy(inputs_[rank].data() + first, chunk.data(), count * sizeof(T), cudaMemcpyHostToDevice));
            });
        }
    }

    int ordinal(size_t rank) const { return ordinals_[rank]; }
    const T* input(const CollectiveShape& shape, size_t rank) const {
        if (!in_place_) return inputs_[rank].data();
        return outputs_[rank].data() + (shape.operation == Collective::all_gather ? shape.own_share(rank) : 0);
    }
    T* output(const CollectiveShape& shape, size_t rank) const {
        const bool within = in_place_ && shape.operation == Collective::reduce_scatter;
        return outputs_[rank].data() + (within ? shape.own_share(rank) : 0);
    }

    // Overwrites all outputs, and waits for it.
    void poison() const {
        for (size_t rank = 0; rank < ordinals_.size() && outputs_[rank].size() > 0; ++rank) {
            const OnDevice there(ordinals_[rank]);
            for (const auto* buffer : {&outputs_[rank], &snapshots_[rank]})
                CHECK(cudaMemsetAsync(buffer->data(), 0xa5, buffer->bytes(), watch_.stream(rank)));
        }
        watch_.synchronize();
    }

    // In place, puts a rank's input back to where the last result took its place.
    void prepare(const CollectiveShape& shape, size_t rank, cudaStream_t stream) const {
        if (!in_place_ || shape.sent() == 0) return;
        CHECK(cudaMemcpyAsync(const_cast<T*>(input(shape, rank)), inputs_[rank].data(), shape.sent() * sizeof(T),
                              cudaMemcpyDeviceToDevice, stream));
    }

    // Keeps what `rank` has received so far.
    void take_snapshot(const CollectiveShape& shape, size_t rank, cudaStream_t stream) const {
        if (!shape.receives(rank) || shape.received() == 0) return;
        const OnDevice there(ordinals_[rank]);
        launch_snapshot(output(shape, rank), snapshots_[rank].data(), shape.received(), multiprocessors_, stream);
        CHECK(cudaGetLastError());
    }

    // Every element that any rank has received, by the snapshots.
    Verdict check(const CollectiveShape& shape) const {
        Verdict verdict;
        for (size_t rank = 0; rank < ordinals_.size() && verdict.right; ++rank) {
            if (!shape.receives(rank)) continue;
            const OnDevice there(ordinals_[rank]);
            in_chunks(shape.received(), [&](std::vector<Element>& chunk, size_t first, size_t count) {
                if (!verdict.right) return;
                CHECK(cudaMemcpy(chunk.data(), snapshots_[rank].data() + first, count * sizeof(T),
                                 cudaMemcpyDeviceToHost));
                verdict = reference_.compare(shape, rank, chunk.data(), first, count);
            });
            if (!verdict.right) verdict.detail = text("rank {}, {}", rank, verdict.detail);
        }
        return verdict;
    }

private:
    // Calls action(room, first, count) for one piece of the elements after the other.
    template <typename Action>
    static void in_chunks(size_t n, Action action) {
        constexpr size_t most = size_t{16} << 20;
        std::vector<Element> chunk(std::min(n, most));
        for (size_t first = 0; first < n; first += most) action(chunk, first, std::min(n - first, most));
    }

    const GangStopwatch& watch_;
    const Reference<Element>& reference_;
    const bool in_place_;
    std::vector<int> ordinals_;
    std::vector<DeviceBuffer<T>> inputs_, outputs_, snapshots_;
    unsigned multiprocessors_ = 1;
};

}  // namespace BACKEND

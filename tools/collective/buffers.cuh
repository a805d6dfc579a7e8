// SPDX-License-Identifier: MIT
// The buffers that devices send from and receive into, all of one size, and the comparison of a result.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/gang/devices.cuh"
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

// Three buffers on each device of this process, of n elements rounded up to a multiple of the ranks: the input; the
// output, which also holds the input of operations in place; and a snapshot of the output for verification, as a later
// kernel in the device's stream sees it.
template <typename T>
class GangBuffers {
public:
    using Element = typename OnHost<T>::Element;

    GangBuffers(const Session& session, Gang& gang, const Reference<Element>& reference, size_t n)
        : gang_(gang),
          reference_(reference),
          in_place_(session.own<CollectiveOptions>().in_place),
          inputs_(gang.size()),
          outputs_(gang.size()),
          snapshots_(gang.size()) {
        const size_t most = divide_up(n, gang.size()) * gang.size();
        gang.on_each([&](size_t rank) {
            inputs_[rank] = DeviceBuffer<T>(most);
            outputs_[rank] = DeviceBuffer<T>(most);
            snapshots_[rank] = DeviceBuffer<T>(most);
            in_chunks(most, [&](std::vector<Element>& chunk, size_t first, size_t count) {
                fill(chunk.data(), count, [&](size_t i) { return reference.input(rank, first + i); });
                copy_to_device(inputs_[rank].data() + first, chunk.data(), count * sizeof(T));
            });
        });
    }

    const T* input(const CollectiveShape& shape, size_t rank) const {
        if (!in_place_) return inputs_[rank].data();
        return outputs_[rank].data() + (shape.operation == Collective::all_gather ? shape.own_share(rank) : 0);
    }
    T* output(const CollectiveShape& shape, size_t rank) const {
        const bool within = in_place_ && shape.operation == Collective::reduce_scatter;
        return outputs_[rank].data() + (within ? shape.own_share(rank) : 0);
    }

    // Overwrites all outputs, and waits until that is done.
    void poison() const {
        gang_.on_each([&](size_t rank) {
            if (outputs_[rank].size() == 0) return;
            for (const auto* buffer : {&outputs_[rank], &snapshots_[rank]})
                CHECK(cudaMemsetAsync(buffer->data(), 0xa5, buffer->bytes(), gang_.stream(rank)));
        });
        gang_.watch().synchronize();
    }

    // For operations in place, restores a rank's input where the last result has overwritten it.
    void prepare(const CollectiveShape& shape, size_t rank, cudaStream_t stream) const {
        if (!in_place_ || shape.sent() == 0) return;
        CHECK(cudaMemcpyAsync(const_cast<T*>(input(shape, rank)), inputs_[rank].data(), shape.sent() * sizeof(T),
                              cudaMemcpyDeviceToDevice, stream));
    }

    // Takes a snapshot of what `rank`, whose device must be the current one, has received so far.
    void take_snapshot(const CollectiveShape& shape, size_t rank, cudaStream_t stream) const {
        if (!shape.receives(rank) || shape.received() == 0) return;
        launch_snapshot(output(shape, rank), snapshots_[rank].data(), shape.received(),
                        unsigned(gang_.device(rank).multiprocessors), stream);
        CHECK(cudaGetLastError());
    }

    // Checks every element that the ranks of this process have received, as the snapshots show them.
    Verdict check(const CollectiveShape& shape) const {
        Verdict verdict;
        gang_.on_each([&](size_t rank) {
            if (!verdict.right || !shape.receives(rank)) return;
            in_chunks(shape.received(), [&](std::vector<Element>& chunk, size_t first, size_t count) {
                if (!verdict.right) return;
                CHECK(cudaMemcpy(chunk.data(), snapshots_[rank].data() + first, count * sizeof(T),
                                 cudaMemcpyDeviceToHost));
                verdict = reference_.compare(shape, rank, chunk.data(), first, count);
            });
            if (!verdict.right) verdict.detail = text("rank {}, {}", rank, verdict.detail);
        });
        return verdict;
    }

private:
    // Calls action(room, first, count) for one chunk of the n elements after another.
    template <typename Action>
    static void in_chunks(size_t n, Action action) {
        constexpr size_t most = size_t{16} << 20;
        std::vector<Element> chunk(std::min(n, most));
        for (size_t first = 0; first < n; first += most) action(chunk, first, std::min(n - first, most));
    }

    Gang& gang_;
    const Reference<Element>& reference_;
    const bool in_place_;
    std::vector<DeviceBuffer<T>> inputs_, outputs_, snapshots_;  // by rank
};

}  // namespace BACKEND

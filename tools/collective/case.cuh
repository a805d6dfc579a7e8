// SPDX-License-Identifier: MIT
// An operation on the devices of a gang: how every method is verified, and how it is timed.
#pragma once

#include <vector>

#include "common/gang/devices.cuh"
#include "tools/collective/buffers.cuh"
#include "tools/collective/table.cuh"

namespace BACKEND {

// What is verified is a snapshot of the output, which is not timed.
template <typename T>
class CollectiveCase : public Case {
public:
    CollectiveCase(const Session& session, Gang& gang_, const CollectiveVariant& variant_,
                   const CollectiveShape& shape_, const GangBuffers<T>& buffers_)
        : Case(variant_, {session.dtype(), shape_.n, double(shape_.total()) * sizeof(T),
                          shape_.reduces() ? double(shape_.total()) * double(shape_.ranks - 1) : 0}),
          options_(session.own<CollectiveOptions>()),
          gang(gang_),
          shape(shape_),
          buffers(buffers_) {}

    // (Verified launches, too, run in the gang's own streams, so the given stream is unused.)
    void poison(cudaStream_t) final { buffers.poison(); }
    void prepare(cudaStream_t) final {
        gang.on_each([&](size_t rank) { buffers.prepare(shape, rank, gang.stream(rank)); });
        gang.watch().synchronize();
    }
    LaunchShape launch(cudaStream_t) final {
        return gang.together([&] {
            const LaunchShape launched = exchange_all();
            gang.on_each([&](size_t rank) { buffers.take_snapshot(shape, rank, gang.stream(rank)); });
            gang.watch().synchronize();
            return launched;
        });
    }
    double time(Stopwatch&) final {
        const auto prepare = [&](size_t rank, cudaStream_t stream) { buffers.prepare(shape, rank, stream); };
        return gang.together([&] { return gang.watch().time(prepare, [&] { exchange_all(); }); });
    }
    ClockReading elapsed(const Stopwatch&) const final { return gang.watch().elapsed(); }
    bool is_throttled(const ClockMonitor&) const final { return gang.is_throttled(); }
    Verdict check() final { return buffers.check(shape); }
    std::vector<Cell> own_cells(double median_ns) final {
        return cells_of(collective_columns,
                        CollectiveCells{shape, options_, method(), problem.bytes, median_ns, gang.size()});
    }

private:
    // Enqueues the operation on all devices.
    virtual LaunchShape exchange_all() = 0;
    virtual const char* method() const = 0;

    const CollectiveOptions& options_;

protected:
    Gang& gang;
    const CollectiveShape shape;
    const GangBuffers<T>& buffers;
};

}  // namespace BACKEND

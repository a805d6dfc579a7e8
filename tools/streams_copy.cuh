// Copy in, compute, copy out: n elements in chunks that go through three stages, and the orders in which their
// operations can be issued.
#pragma once

#include <memory>

#include "common/random.hpp"
#include "kernels/streams.cuh"
#include "tools/streams_run.cuh"
#include "tools/streams_team.cuh"

namespace BACKEND {

struct ChunkRange {
    size_t begin, count;
};
using Chunks = std::vector<ChunkRange>;

// `count` chunks whose sizes differ by one element at most; fewer if there are fewer elements.
inline Chunks equal_chunks(size_t n, size_t count) {
    count = std::min(count, n);
    Chunks chunks;
    for (size_t i = 0; i < count; ++i)
        chunks.push_back({n / count * i + std::min(i, n % count), n / count + (i < n % count)});
    return chunks;
}

// Chunks that double from a sixteenth of the common size at the beginning and halve to it at the end. The first copy and
// the last have nothing to overlap with: so they should be short.
inline Chunks tapered_chunks(size_t n, size_t count) {
    constexpr size_t smallest_part = 16;
    const size_t full = n / std::max<size_t>(count, 1);
    if (count < 4 || full < smallest_part) return equal_chunks(n, count);
    Chunks chunks;
    size_t begin = 0, left = n;
    const auto append = [&](size_t elements) {
        chunks.push_back({begin, elements});
        begin += elements;
        left -= elements;
    };
    std::vector<size_t> taper;
    for (size_t part = smallest_part; part > 1; part /= 2) taper.push_back(full / part);
    size_t tail = 0;
    for (size_t elements : taper) {
        append(elements);
        tail += elements;
    }
    while (left > tail + full) append(full);
    if (left > tail) append(left - tail);
    for (size_t i = taper.size(); i-- > 0;) append(taper[i]);
    return chunks;
}

// The elements on the host and on the device. Everything that went wrong in a copy or a kernel shows in h_out.
class CopyData {
public:
    CopyData(const Session& session, size_t n, bool pinned)
        : n_(n), pinned_(pinned), block_size_(session.options.block), steps_(steps_per_element(session)),
          shortcut_(streams_shortcut(steps_)), d_in_(n), d_out_(n) {
        if (pinned) {
            pinned_in_ = PinnedBuffer<int>(n);
            pinned_out_ = PinnedBuffer<int>(n);
        } else {
            pageable_in_.reset(new int[n + 1]);
            pageable_out_.reset(new int[n + 1]);
        }
        fill(h_in(), n, [seed = session.options.seed](size_t i) { return uniform<int>(seed, i); });
        std::fill_n(h_out(), n, -77);
    }

    size_t size() const { return n_; }
    unsigned steps() const { return steps_; }
    const char* memory() const { return pinned_ ? "pinned" : "pageable"; }
    int* h_in() const { return pinned_ ? pinned_in_.data() : pageable_in_.get(); }
    int* h_out() const { return pinned_ ? pinned_out_.data() : pageable_out_.get(); }

    void to_device(ChunkRange chunk, cudaStream_t stream) const {
        if (chunk.count == 0) return;
        CHECK(cudaMemcpyAsync(d_in_.data() + chunk.begin, h_in() + chunk.begin, chunk.count * sizeof(int),
                              cudaMemcpyHostToDevice, stream));
    }
    void compute(ChunkRange chunk, cudaStream_t stream) const {
        compute(d_in_.data() + chunk.begin, d_out_.data() + chunk.begin, chunk.count, stream);
    }
    void compute(const int* d_in, int* d_out, size_t count, cudaStream_t stream) const {
        launch_streams_stage({d_in, d_out, count, steps_, block_size_, stream});
        CHECK(cudaGetLastError());
    }
    void to_host(ChunkRange chunk, cudaStream_t stream) const {
        if (chunk.count == 0) return;
        CHECK(cudaMemcpyAsync(h_out() + chunk.begin, d_out_.data() + chunk.begin, chunk.count * sizeof(int),
                              cudaMemcpyDeviceToHost, stream));
    }

    // All that the next run has to write gets another value: a copy or kernel that does nothing cannot pass.
    void poison() const {
        if (n_ == 0) return;
        CHECK(cudaMemset(d_in_.data(), 0xa5, d_in_.bytes()));
        CHECK(cudaMemset(d_out_.data(), 0xa5, d_out_.bytes()));
        int* const out = h_out();
        fill(out, n_, [](size_t) { return -77; });
    }
    // The host's own run of all chains.
    void compute_on_host() const {
        const int* in = h_in();
        const unsigned steps = steps_;
        volatile unsigned factor = streams_step.factor;  // as on the device: steps are not to be multiplied into one
        const AffineStep step{factor, streams_step.summand};
        fill(h_out(), n_, [=](size_t i) {
            unsigned x = unsigned(in[i]);
            for (unsigned k = 0; k < steps; ++k) x = step(x);
            return int(x);
        });
    }
    Verdict check() const {
        const int* in = h_in();
        const AffineStep shortcut = shortcut_;
        return compare_elements(
            h_out(), n_, [=](size_t i) { return static_cast<long double>(int(shortcut(unsigned(in[i])))); },
            [](long double) { return 0.0L; });
    }

private:
    size_t n_;
    bool pinned_;
    unsigned block_size_, steps_;
    AffineStep shortcut_;
    DeviceBuffer<int> d_in_, d_out_;
    PinnedBuffer<int> pinned_in_, pinned_out_;
    std::unique_ptr<int[]> pageable_in_, pageable_out_;
};

// One chunk's stage in a member of the team.
inline void issue_stage(const CopyData& data, const StreamTeam& team, Tracer& tracer, Activity stage, size_t i,
                        ChunkRange chunk, size_t lane) {
    const cudaStream_t stream = team[lane];
    tracer.around(stage, i, lane, stream, [&] {
        if (stage == Activity::to_device) data.to_device(chunk, stream);
        else if (stage == Activity::kernel) data.compute(chunk, stream);
        else data.to_host(chunk, stream);
    });
}

constexpr Activity stages[] = {Activity::to_device, Activity::kernel, Activity::to_host};

// A chunk's three stages, then the next chunk's, in the next stream.
inline void issue_depth_first(const CopyData& data, const Chunks& chunks, const StreamTeam& team, Tracer& tracer) {
    for (size_t i = 0; i < chunks.size(); ++i)
        for (Activity stage : stages) issue_stage(data, team, tracer, stage, i, chunks[i], i % team.size());
}

// A chunk for every stream: the first stage of all of them, the second, the third; then the next chunks.
inline void issue_breadth_first(const CopyData& data, const Chunks& chunks, const StreamTeam& team, Tracer& tracer) {
    for (size_t round = 0; round < chunks.size(); round += team.size())
        for (Activity stage : stages)
            for (size_t lane = 0; lane < team.size() && round + lane < chunks.size(); ++lane)
                issue_stage(data, team, tracer, stage, round + lane, chunks[round + lane], lane);
}

// A stream per stage, so that no stage waits for more than it must: an event per chunk tells the next stage to go on.
inline void issue_by_stage(const CopyData& data, const Chunks& chunks, const StreamTeam& team, Tracer& tracer) {
    for (size_t i = 0; i < chunks.size(); ++i)
        for (size_t lane = 0; lane < 3; ++lane) {
            if (lane > 0) {
                const Event ready(cudaEventDisableTiming);
                ready.record(team[lane - 1]);
                CHECK(cudaStreamWaitEvent(team[lane], ready, 0));
            }
            issue_stage(data, team, tracer, stages[lane], i, chunks[i], lane);
        }
}

}  // namespace BACKEND

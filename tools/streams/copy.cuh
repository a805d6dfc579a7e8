// SPDX-License-Identifier: MIT
// Copy in, compute, copy out: n elements in chunks that go through three stages, and the orders in which their
// operations can be issued.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "common/measure/random.hpp"
#include "kernels/streams.cuh"
#include "tools/streams/run.cuh"
#include "tools/streams/team.cuh"

namespace BACKEND {

struct ChunkRange {
    size_t begin, count;
};
using Chunks = std::vector<ChunkRange>;

// `count` chunks whose sizes differ by one element at most; fewer if there are fewer elements.
inline Chunks equal_chunks(size_t n, size_t count) {
    count = std::min(count, n);
    Chunks chunks;
    for (size_t i = 0; i < count; ++i) {
        const size_t begin = share_begin(n, count, i);
        chunks.push_back({begin, share_begin(n, count, i + 1) - begin});
    }
    return chunks;
}

// The elements on the host and on the device. Everything that went wrong in a copy or a kernel shows in h_out.
class CopyData {
public:
    CopyData(const Session& session, size_t n, bool pinned)
        : n_(n),
          pinned_(pinned),
          block_size_(session.options.block),
          steps_(steps_per_element(session)),
          shortcut_(streams_shortcut(steps_)),
          d_in_(n),
          d_out_(n) {
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
    Problem problem() const {
        const double n = double(n_);
        return {DType::i32, n_, 2 * n * sizeof(int), 2 * n * steps_};
    }
    const char* memory() const { return pinned_ ? "pinned" : "pageable"; }
    int* h_in() const { return pinned_ ? pinned_in_.data() : pageable_in_.get(); }
    int* h_out() const { return pinned_ ? pinned_out_.data() : pageable_out_.get(); }

    void to_device(ChunkRange chunk, cudaStream_t stream) const {
        if (chunk.count == 0) return;
        CHECK(cudaMemcpyAsync(d_in_.data() + chunk.begin, h_in() + chunk.begin, chunk.count * sizeof(int),
                              cudaMemcpyHostToDevice, stream));
    }
    void compute(ChunkRange chunk, cudaStream_t stream) const {
        compute_between(d_in_.data() + chunk.begin, d_out_.data() + chunk.begin, chunk.count, stream);
    }
    // Without copies: the kernel itself reads and writes pinned host memory over the bus.
    void compute_on_mapped(ChunkRange chunk, cudaStream_t stream) const {
        compute_between(h_in() + chunk.begin, h_out() + chunk.begin, chunk.count, stream);
    }
    void compute_between(const int* in, int* out, size_t count, cudaStream_t stream) const {
        launch_streams_stage({in, out, count, steps_, block_size_, stream});
        CHECK(cudaGetLastError());
    }
    void to_host(ChunkRange chunk, cudaStream_t stream) const {
        if (chunk.count == 0) return;
        CHECK(cudaMemcpyAsync(h_out() + chunk.begin, d_out_.data() + chunk.begin, chunk.count * sizeof(int),
                              cudaMemcpyDeviceToHost, stream));
    }

    // Everything that the next run must write gets another value: a copy or kernel that does nothing cannot pass.
    void poison() const {
        if (n_ == 0) return;
        CHECK(cudaMemset(d_in_.data(), 0xa5, d_in_.bytes()));
        CHECK(cudaMemset(d_out_.data(), 0xa5, d_out_.bytes()));
        int* const out = h_out();
        fill(out, n_, [](size_t) { return -77; });
    }
    // The host computes all chains, on all cores: several side by side, since each step waits for the one before.
    void compute_on_host() const {
        constexpr size_t side_by_side = 8;
        const int* const in = h_in();
        int* const out = h_out();
        const unsigned steps = steps_;
        // Read at run time, as on the device, so that steps are not folded into one.
        const volatile unsigned factor = streams_step.factor;
        const AffineStep step{factor, streams_step.summand};
        parallel_for(n_, [=](size_t begin, size_t end) {
            for (size_t i = begin; i < end; i += side_by_side) {
                const size_t count = std::min(side_by_side, end - i);
                unsigned x[side_by_side] = {};
                std::copy_n(in + i, count, x);
                for (unsigned k = 0; k < steps; ++k)
                    for (unsigned& value : x) value = step(value);
                std::copy_n(x, count, out + i);
            }
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

// What an issue order works with. `ready` holds two events per chunk.
struct CopyIssue {
    const CopyData& data;
    const Chunks& chunks;
    const StreamTeam& team;
    const std::vector<Event>& ready;
    Tracer& tracer;

    // One stage of chunk i in a member of the team.
    void stage(Activity activity, size_t i, size_t lane, void (CopyData::*work)(ChunkRange, cudaStream_t) const) const {
        tracer.around(activity, i, lane, team[lane], [&] { (data.*work)(chunks[i], team[lane]); });
    }
    void to_device(size_t i, size_t lane) const { stage(Activity::to_device, i, lane, &CopyData::to_device); }
    void compute(size_t i, size_t lane) const { stage(Activity::kernel, i, lane, &CopyData::compute); }
    void to_host(size_t i, size_t lane) const { stage(Activity::to_host, i, lane, &CopyData::to_host); }

    // Member `to` waits until member `from` has done the work it was given so far.
    void hand_over(size_t event, size_t from, size_t to) const {
        ready[event].record(team[from]);
        CHECK(cudaStreamWaitEvent(team[to], ready[event], 0));
    }
};

// A chunk's three stages, then the next chunk's, in the next stream.
inline void issue_depth_first(const CopyIssue& with) {
    for (size_t i = 0; i < with.chunks.size(); ++i) {
        const size_t lane = i % with.team.size();
        with.to_device(i, lane);
        with.compute(i, lane);
        with.to_host(i, lane);
    }
}

// A chunk for every stream: the first stage of all of them, the second, the third; then the next chunks.
inline void issue_breadth_first(const CopyIssue& with) {
    for (size_t first = 0; first < with.chunks.size(); first += with.team.size()) {
        const size_t lanes = std::min(with.team.size(), with.chunks.size() - first);
        for (size_t lane = 0; lane < lanes; ++lane) with.to_device(first + lane, lane);
        for (size_t lane = 0; lane < lanes; ++lane) with.compute(first + lane, lane);
        for (size_t lane = 0; lane < lanes; ++lane) with.to_host(first + lane, lane);
    }
}

// Streams for each stage, so that no stage waits for more than it must: an event per chunk releases the next one.
inline void issue_by_stage(const CopyIssue& with) {
    const size_t lanes = with.team.size() / 3;
    for (size_t i = 0; i < with.chunks.size(); ++i) {
        const size_t in = i % lanes, middle = lanes + in, out = 2 * lanes + in;
        with.to_device(i, in);
        with.hand_over(2 * i, in, middle);
        with.compute(i, middle);
        with.hand_over(2 * i + 1, middle, out);
        with.to_host(i, out);
    }
}

// The kernel reads and writes the host's memory: one launch; loads, steps and stores of different warps overlap.
inline void issue_mapped(const CopyIssue& with) {
    for (size_t i = 0; i < with.chunks.size(); ++i) with.stage(Activity::kernel, i, 0, &CopyData::compute_on_mapped);
}

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// Streams that begin together and end together, and the graph that the same work makes when it is captured.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/measure/statistics.hpp"

namespace BACKEND {

// Member streams, and one more to which their beginning and end are tied, so that two events in it enclose all they do.
// A member may also be a default stream, cudaStreamLegacy or cudaStreamPerThread, which is the calling thread's.
class StreamTeam {
public:
    explicit StreamTeam(std::vector<cudaStream_t> members) : members_(std::move(members)), left_(members_.size()) {}
    explicit StreamTeam(std::vector<Stream> streams) : owned_(std::move(streams)), left_(owned_.size()) {
        for (const Stream& stream : owned_) members_.push_back(stream);
    }

    size_t size() const { return members_.size(); }
    cudaStream_t operator[](size_t i) const { return members_[i]; }
    cudaStream_t origin() const { return origin_; }
    const Event& begin() const { return begin_; }

    // fork() and join() enclose the work of one run. Where several threads issue it, each brings in its own member by
    // enter() and leave() between fork(false) and join(false).
    void fork(bool every_member = true) const {
        fork_.record(origin_);
        for (size_t i = 0; every_member && i < size(); ++i) enter(i);
    }
    void enter(size_t i) const { CHECK(cudaStreamWaitEvent(members_[i], fork_, 0)); }
    void leave(size_t i) const { left_[i].record(members_[i]); }
    void join(bool every_member = true) const {
        for (size_t i = 0; every_member && i < size(); ++i) leave(i);
        for (const Event& left : left_) CHECK(cudaStreamWaitEvent(origin_, left, 0));
    }

    // Nanoseconds between events around what `issue` makes the origin do or wait for; it has completed.
    template <typename Issue>
    double time(Issue issue) const {
        begin_.record(origin_);
        issue();
        end_.record(origin_);
        end_.synchronize();
        return elapsed_ns(begin_, end_);
    }

private:
    Stream origin_;
    std::vector<Stream> owned_;
    std::vector<cudaStream_t> members_;
    Event fork_{cudaEventDisableTiming}, begin_, end_;
    std::vector<Event> left_;
};

inline std::vector<Stream> new_streams(size_t count, unsigned flags = cudaStreamNonBlocking) {
    std::vector<Stream> streams;
    for (size_t i = 0; i < count; ++i) streams.emplace_back(flags);
    return streams;
}

// Streams with priorities from the highest that the device knows down to the lowest.
inline std::vector<Stream> prioritized_streams(size_t count) {
    int lowest = 0, highest = 0;
    CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    std::vector<Stream> streams;
    for (size_t i = 0; i < count; ++i) streams.emplace_back(cudaStreamNonBlocking, std::min(lowest, highest + int(i)));
    return streams;
}

// What was issued into a team, as a graph: one launch instead of one per operation.
class CapturedGraph {
public:
    template <typename Issue>
    CapturedGraph(cudaStream_t origin, Issue issue) {
        CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal));
        issue();
        cudaGraph_t graph = nullptr;
        CHECK(cudaStreamEndCapture(origin, &graph));
        const cudaError_t instantiated = cudaGraphInstantiateWithFlags(&executable_, graph, 0);
        static_cast<void>(cudaGraphDestroy(graph));
        CHECK(instantiated);
        CHECK(cudaGraphUpload(executable_, origin));
        CHECK(cudaStreamSynchronize(origin));
    }
    ~CapturedGraph() {
        if (executable_) static_cast<void>(cudaGraphExecDestroy(executable_));
    }
    CapturedGraph(const CapturedGraph&) = delete;
    CapturedGraph& operator=(const CapturedGraph&) = delete;

    void launch(cudaStream_t stream) const { CHECK(cudaGraphLaunch(executable_, stream)); }

private:
    cudaGraphExec_t executable_ = nullptr;
};

// The median of several runs of a function that returns nanoseconds, after a warm-up run.
template <typename Run>
double median_of(int runs, Run run) {
    run();
    std::vector<double> samples;
    for (int i = 0; i < runs; ++i) samples.push_back(run());
    return summarize(std::move(samples)).median;
}

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// When each operation of a run began and ended, from events around it.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/io/text.hpp"
#include "common/measure/profile_range.cuh"
#include "common/measure/timeline.hpp"

// ---- what the streams of one run did, as a timeline

namespace BACKEND {

enum class Activity { to_device, kernel, to_host };

inline const char* activity_name(Activity activity) {
    return activity == Activity::to_device ? "h2d" : activity == Activity::kernel ? "kernel" : "d2h";
}

// "1 chunk", "2 chunks".
inline std::string counted(size_t count, const char* what) {
    return text("{} {}{}", count, what, count == 1 ? "" : "s");
}

struct Span {
    Activity activity;
    size_t number;  // among those of its kind, from 0
    size_t lane;    // the stream, from 0
    double begin_ns, end_ns;
};

// A bar's character: > and < for the copies; a kernel's number where there are few kernels and no copies, else #.
inline char symbol_of(const Span& span, bool numbered) {
    if (span.activity == Activity::to_device) return '>';
    if (span.activity == Activity::to_host) return '<';
    return numbered ? static_cast<char>('0' + span.number) : '#';
}

inline Timeline timeline_of(const std::string& name, const char* clock, size_t streams,
                            const std::vector<Span>& spans) {
    const bool copies =
        std::any_of(spans.begin(), spans.end(), [](const Span& span) { return span.activity != Activity::kernel; });
    const bool numbered = !copies && spans.size() <= 10;
    Timeline timeline{name, clock, copies ? "> h2d, # kernel, < d2h" : numbered ? "digits are kernels" : ""};
    for (size_t stream = 0; stream < streams; ++stream) timeline.lanes.push_back(text("stream {}", stream));
    for (const Span& span : spans)
        timeline.spans.push_back({text("{} {}", activity_name(span.activity), span.number),
                                  activity_name(span.activity), symbol_of(span, numbered), span.lane, span.begin_ns,
                                  span.end_ns});
    return timeline;
}

// Operations go through around(): as they are, in an NVTX range of their name, or between two events.
class Tracer {
public:
    enum class Mode { off, ranges, events };

    // With Mode::events there is room for this many operations: making an event during a run may wait for the device.
    explicit Tracer(Mode mode = Mode::off, size_t operations = 0) : mode_(mode) {
        for (size_t i = 0; mode == Mode::events && i < operations; ++i) marks_.emplace_back();
    }

    // Operation `number` of its kind, in member `lane` of the team. Threads may call it at the same time.
    template <typename Work>
    void around(Activity activity, size_t number, size_t lane, cudaStream_t stream, Work work) {
        if (mode_ == Mode::off) return work();
        if (mode_ == Mode::ranges) {
            const ProfileRange range((activity_name(activity) + (" " + std::to_string(number))).c_str());
            return work();
        }
        Mark& mark = marks_.at(used_++);
        mark.activity = activity;
        mark.number = number;
        mark.lane = lane;
        record(mark.begin, stream);
        work();
        record(mark.end, stream);
    }

    bool records() const { return mode_ == Mode::events; }

    // While a graph is being captured, the events become nodes of it.
    void set_capturing(bool capturing) { capturing_ = capturing; }

    // The spans of a run that has completed, in nanoseconds after `origin`. An event ahead of a copy shows when its
    // stream was ready for it; the copy begins when the engine of its direction is free as well, which takes one after
    // another.
    std::vector<Span> spans(const Event& origin) const {
        std::vector<Span> spans;
        for (size_t i = 0; i < used_; ++i) {
            const Mark& mark = marks_[i];
            spans.push_back(
                {mark.activity, mark.number, mark.lane, elapsed_ns(origin, mark.begin), elapsed_ns(origin, mark.end)});
        }
        std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.end_ns < b.end_ns; });
        double to_device_free = 0, to_host_free = 0;
        for (Span& span : spans) {
            if (span.activity == Activity::kernel) continue;
            double& engine_free = span.activity == Activity::to_device ? to_device_free : to_host_free;
            span.begin_ns = std::min(std::max(span.begin_ns, engine_free), span.end_ns);
            engine_free = span.end_ns;
        }
        return spans;
    }

private:
    struct Mark {
        Activity activity = Activity::kernel;
        size_t number = 0, lane = 0;
        Event begin, end;
    };

    void record(const Event& event, cudaStream_t stream) const {
        CHECK(cudaEventRecordWithFlags(event, stream, capturing_ ? cudaEventRecordExternal : cudaEventRecordDefault));
    }

    Mode mode_;
    bool capturing_ = false;
    std::vector<Mark> marks_;
    std::atomic<size_t> used_{0};
};

}  // namespace BACKEND

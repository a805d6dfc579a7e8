// SPDX-License-Identifier: MIT
// What the streams of one run did, as a timeline.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "common/measure/timeline.hpp"

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

}  // namespace BACKEND

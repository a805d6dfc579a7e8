// What the streams of one run did, as bars for the terminal and as a trace for Perfetto and chrome://tracing.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/io/output.hpp"
#include "common/io/text.hpp"

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

struct Timeline {
    std::string name;   // of the variant, with what distinguishes this run of it
    std::string clock;  // whose time it is
    size_t lanes = 0;
    std::vector<Span> spans = {};

    double end_ns() const {
        double end = 0;
        for (const Span& span : spans) end = std::max(end, span.end_ns);
        return end;
    }
};

inline std::string short_time(double ns) {
    return ns < 1e4 ? text("{:.0f} ns", ns) : ns < 1e7 ? text("{:.1f} us", ns * 1e-3) : text("{:.1f} ms", ns * 1e-6);
}

// A bar's character: > and < for the copies; a kernel's number where there are few kernels and no copies, else #.
inline char symbol_of(const Span& span, bool numbered) {
    if (span.activity == Activity::to_device) return '>';
    if (span.activity == Activity::to_host) return '<';
    return numbered ? static_cast<char>('0' + span.number) : '#';
}

// A line per stream, time from left to right. A cell shows the operation that fills most of it; one shorter than a cell
// is shown where there is room.
inline std::string draw_timeline(const Timeline& timeline) {
    constexpr size_t width = 72;
    const double end = timeline.end_ns(), cell = end / width;
    const bool copies = std::any_of(timeline.spans.begin(), timeline.spans.end(),
                                    [](const Span& span) { return span.activity != Activity::kernel; });
    const bool numbered = !copies && timeline.spans.size() <= 10;
    std::string picture = text("{}: {}, {}{}\n", timeline.name, short_time(end), timeline.clock,
                               copies     ? "; > h2d, # kernel, < d2h"
                               : numbered ? "; digits are kernels"
                                          : "");
    for (size_t lane = 0; lane < timeline.lanes; ++lane) {
        std::string bar(width, ' ');
        std::vector<double> filled(width, 0);
        for (const Span& span : timeline.spans) {
            if (span.lane != lane || cell <= 0) continue;
            const size_t last = std::min(width - 1, static_cast<size_t>(span.end_ns / cell));
            for (size_t i = std::min(last, static_cast<size_t>(span.begin_ns / cell)); i <= last; ++i) {
                const double cell_begin = double(i) * cell;
                const double share = std::min(span.end_ns, cell_begin + cell) - std::max(span.begin_ns, cell_begin);
                if (share <= filled[i]) continue;
                filled[i] = share;
                bar[i] = symbol_of(span, numbered);
            }
        }
        picture += text("  stream {:<3} |{}|\n", lane, bar);
    }
    const std::string middle = short_time(end / 2), right = short_time(end);
    std::string axis(width + 2, ' ');
    axis.replace(0, 1, "0");
    axis.replace(width / 2, middle.size(), middle);
    axis.replace(width + 1 - right.size(), right.size(), right);
    return picture + "              " + axis.substr(0, width + 1) + "\n\n";
}

// Trace Event Format: a process per run, a thread per stream, a complete event ("X") per operation; microseconds.
inline void write_trace(Output& file, const std::vector<Timeline>& timelines) {
    file.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    const char* separator = "";
    const auto event = [&](const std::string& fields) {
        file.write(text("{}{{{}}}", separator, fields));
        separator = ",\n";
    };
    for (size_t process = 0; process < timelines.size(); ++process) {
        const Timeline& timeline = timelines[process];
        event(text("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"args\":{{\"name\":\"{} ({})\"}}",
                   process + 1, timeline.name, timeline.clock));
        for (size_t lane = 0; lane < timeline.lanes; ++lane)
            event(
                text("\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"stream {}\"}}",
                     process + 1, lane + 1, lane));
        for (const Span& span : timeline.spans)
            event(text(
                "\"ph\":\"X\",\"name\":\"{} {}\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}",
                activity_name(span.activity), span.number, activity_name(span.activity), process + 1, span.lane + 1,
                span.begin_ns * 1e-3, (span.end_ns - span.begin_ns) * 1e-3));
    }
    file.write("\n]}\n");
    file.commit();
}

}  // namespace BACKEND

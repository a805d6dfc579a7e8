// SPDX-License-Identifier: MIT
#include "common/measure/timeline.hpp"

#include <algorithm>

#include "common/io/output.hpp"
#include "common/io/text.hpp"

double Timeline::end_ns() const {
    double end = 0;
    for (const TimelineSpan& span : spans) end = std::max(end, span.end_ns);
    return end;
}

std::string short_time(double ns) {
    return ns < 1e4 ? text("{:.0f} ns", ns) : ns < 1e7 ? text("{:.1f} us", ns * 1e-3) : text("{:.1f} ms", ns * 1e-6);
}

std::string draw_timeline(const Timeline& timeline) {
    constexpr std::size_t width = 72;
    const double end = timeline.end_ns(), cell = end / width;
    std::size_t label_width = 10;
    std::vector<std::string> bars;
    for (const std::string& lane : timeline.lanes) {
        label_width = std::max(label_width, lane.size());
        bars.emplace_back(width, ' ');
    }
    std::vector<std::vector<double>> filled(bars.size(), std::vector<double>(width, 0));
    for (const TimelineSpan& span : timeline.spans) {
        if (cell <= 0) break;
        const std::size_t last = std::min(width - 1, static_cast<std::size_t>(span.end_ns / cell));
        for (std::size_t i = std::min(last, static_cast<std::size_t>(span.begin_ns / cell)); i <= last; ++i) {
            const double cell_begin = static_cast<double>(i) * cell;
            const double share = std::min(span.end_ns, cell_begin + cell) - std::max(span.begin_ns, cell_begin);
            if (share <= filled[span.lane][i]) continue;
            filled[span.lane][i] = share;
            bars[span.lane][i] = span.symbol;
        }
    }
    std::string picture = text("{}: {}, {}{}\n", timeline.name, short_time(end), timeline.clock,
                               timeline.legend.empty() ? "" : "; " + timeline.legend);
    for (std::size_t lane = 0; lane < bars.size(); ++lane) {
        const std::string& label = timeline.lanes[lane];
        picture += "  " + label + std::string(label_width - label.size(), ' ') + " |" + bars[lane] + "|\n";
    }
    const std::string middle = short_time(end / 2), right = short_time(end);
    std::string axis(width + 2, ' ');
    axis.replace(0, 1, "0");
    axis.replace(width / 2, middle.size(), middle);
    axis.replace(width + 1 - right.size(), right.size(), right);
    return picture + std::string(label_width + 4, ' ') + axis.substr(0, width + 1) + "\n\n";
}

void write_trace(Output& file, const std::vector<Timeline>& timelines) {
    file.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    const char* separator = "";
    const auto event = [&](const std::string& fields) {
        file.write(text("{}{{{}}}", separator, fields));
        separator = ",\n";
    };
    for (std::size_t process = 0; process < timelines.size(); ++process) {
        const Timeline& timeline = timelines[process];
        event(text("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"args\":{{\"name\":\"{} ({})\"}}",
                   process + 1, timeline.name, timeline.clock));
        for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane)
            event(text("\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}",
                       process + 1, lane + 1, timeline.lanes[lane]));
        for (const TimelineSpan& span : timeline.spans)
            event(text("\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}",
                       span.name, span.category, process + 1, span.lane + 1, span.begin_ns * 1e-3,
                       (span.end_ns - span.begin_ns) * 1e-3));
    }
    file.write("\n]}\n");
    file.commit();
}

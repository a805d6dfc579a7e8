// SPDX-License-Identifier: MIT
// What happened when: bars for the terminal, a line per lane, and a trace for Perfetto and chrome://tracing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

class Output;

struct TimelineSpan {
    std::string name;      // "kernel 3"
    std::string category;  // "kernel"
    char symbol;           // in the drawing
    std::size_t lane;
    double begin_ns, end_ns;
};

struct Timeline {
    std::string name;                     // what was run
    std::string clock;                    // which clock the times are from
    std::string legend;                   // what the symbols mean
    std::vector<std::string> lanes = {};  // "stream 0"
    std::vector<TimelineSpan> spans = {};

    double end_ns() const;
};

// "318.6 us", with as many digits as are useful.
std::string short_time(double ns);

// A line per lane, time from left to right. A cell shows the span that fills most of it, even one shorter than a cell.
std::string draw_timeline(const Timeline& timeline);

// Trace Event Format: a process per timeline, a thread per lane, a complete event ("X") per span; microseconds.
void write_trace(Output& file, const std::vector<Timeline>& timelines);

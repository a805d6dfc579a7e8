// SPDX-License-Identifier: MIT
// What lectures and books call a variant, in which order they climb to it, and the figures that they publish for it.
//
// A program's lectures are a table in tools/NAME/lectures.cpp. -k @LADDER selects a ladder's variants in the lecture's
// order, -k accepts the lecture's names, --published shows the figures beside ours.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/table.hpp"

struct PublishedFigure {
    const char* metric;  // with its unit: "ms", "gbyte_per_s", "cycles", "load_efficiency_percent"
    const char* value;   // as it is printed

    Fixed fixed() const;  // with as many digits
};

// A row of a published table or, without figures, a kernel that is only shown.
struct LectureRow {
    const char* ladder;      // "tutorial", "book": which lecture, and -k @tutorial
    const char* name;        // the lecture's own: "AtomicGlobal", or several: "AtomicGlobal or reduceAtomicGlobal"
    const char* variant;     // ours
    const char* where = "";  // "block=16x16", "p_width=2 p_texel=f32|uchar4": the cells that our row needs
    const char* gpu = "";    // "TITAN V", as the lecture names it; "" if it does not say
    double n = 0;            // elements; 0 if the lecture does not say
    std::vector<PublishedFigure> figures = {};
    const char* option = "";  // "--stride=2": what the lecture's kernel needs, if it is not the default
};

using Lectures = std::vector<LectureRow>;

// The program's own, in its tools/NAME/lectures.cpp, if it has any.
extern const Lectures lectures;

// The ladders of a program's lectures, each once.
std::vector<std::string> ladders_of(const Lectures& lectures);

// The variants of a ladder in the lecture's order, each once.
std::vector<std::string> steps_of(const Lectures& lectures, std::string_view ladder);

// The variants that lectures call by this name, each once. Case does not count, nor does what is neither letter nor
// digit: "kernel-1" is "Kernel 1".
std::vector<std::string> variants_called(const Lectures& lectures, std::string_view name);

// The options that such words of --kernel, names or "@LADDER", need: their names, and the values of all that are meant,
// separated by commas.
std::vector<std::pair<std::string, std::string>> options_for(const Lectures& lectures,
                                                             const std::vector<std::string>& words);

// What lectures call a variant: "tutorial: AtomicGlobal; book: reduceGmem"; "" for one that they do not have.
std::string lecture_names_of(const Lectures& lectures, std::string_view variant);

// What --published= accepts: the lectures and the GPUs of published figures, each once.
std::vector<std::string> published_sources(const Lectures& lectures);

// Whether a row is of this source: a lecture, or part of the name of a GPU; "" is any.
bool is_of_source(const LectureRow& row, std::string_view source);

// The metrics of published figures, each once.
std::vector<std::string> published_metrics(const Lectures& lectures);

// A row of ours that is looked up.
struct PublishedQuery {
    std::string_view variant;
    std::string_view source;  // see is_of_source(); figures of a variant on the host may be of any processor
    bool on_host = false;
    std::function<std::optional<std::string>(std::string_view column)> cell;
};

// The published rows for a row of ours: those of the first lecture and GPU that have any.
std::vector<const LectureRow*> published_rows(const Lectures& lectures, const PublishedQuery& query);

// The value of a metric in the first of the rows that has it; null if none has.
const PublishedFigure* published_figure(const std::vector<const LectureRow*>& rows, std::string_view metric);

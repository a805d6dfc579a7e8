// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/simt/check/counters/results.hpp"

namespace simt::check {

namespace {

constexpr std::string_view csv_prefix = "csv:";

std::string padded(const std::string& text, size_t width, bool to_the_right = false) {
    const std::string room(width > text.size() ? width - text.size() : 0, ' ');
    return to_the_right ? room + text : text + room;
}

std::string heading(const KernelCounters& kernel) {
    const auto counted = [](uint64_t count, const char* noun) {
        return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
    };
    return kernel.kernel + ": " + counted(kernel.launches, kernel.launches == 1 ? "launch" : "launche") + ", " +
           counted(kernel.blocks, "block") + ", " + counted(kernel.threads, "thread") + "\n";
}

std::string describe(const ContendedAddress& contended) {
    char text[64];
    std::snprintf(text, sizeof text, contended.is_shared ? "shared memory + 0x%llx" : "0x%llx",
                  static_cast<unsigned long long>(contended.address));
    return text;
}

// Columns as wide as their longest cell; the first `left` of them are words, the others figures.
std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t left) {
    std::vector<size_t> widths(rows.front().size());
    for (const auto& row : rows) {
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) line += (i ? "  " : "") + padded(row[i], widths[i], i >= left);
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::vector<const Counters*> counters_of(const KernelCounters& kernel) {
    std::vector<const Counters*> all;
    for (const LineCounters& line : kernel.lines) all.push_back(&line.counters);
    return all;
}

std::string with_digits(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

// What the costs beside the lines are parts of.
std::string remark_on_costs(const KernelCounters& kernel) {
    if (!kernel.predicted) return "";
    double launch = 0;
    for (const LineCounters& line : kernel.lines) launch += line.is_launch() ? kernel.cost_percent(line) : 0;
    const KernelTime& time = *kernel.predicted;
    return "  cost: percent of the " + with_digits(time.ns / 1e3, 1) + " us predicted for " + time.gpu +
           ", limited by " + time.limiter + "; launch and starts of blocks: " + with_digits(launch, 1) + " %\n";
}

// Commas and quotes in a name would need quoting, which not every reader of CSV knows.
std::string csv_word(std::string word) {
    std::replace(word.begin(), word.end(), ',', ';');
    std::replace(word.begin(), word.end(), '"', '\'');
    return word;
}

}  // namespace

std::string counters_as_text(const std::vector<KernelCounters>& kernels) {
    std::string text;
    for (const KernelCounters& kernel : kernels) {
        text += heading(kernel);
        std::vector<std::vector<std::string>> rows;
        for (const CounterColumn& column : used_columns({&kernel.total})) {
            rows.push_back({"  " + column.name, padded(text_of(column, kernel.total), 14, true), column.description});
        }
        if (kernel.total.most_contended.operations > 0) {
            rows.push_back({"  most_contended_address", describe(kernel.total.most_contended), ""});
        }
        if (!rows.empty()) text += aligned(rows, 3);
    }
    return text;
}

std::string counters_by_line(const std::vector<KernelCounters>& kernels) {
    std::string text;
    for (const KernelCounters& kernel : kernels) {
        text += heading(kernel) + remark_on_costs(kernel);
        const std::vector<CounterColumn> columns = used_columns(counters_of(kernel));
        std::vector<std::vector<std::string>> rows(1);
        rows[0] = {"  line"};
        if (kernel.predicted) rows[0].push_back("cost_percent");
        for (const CounterColumn& column : columns) rows[0].push_back(column.name);
        for (const LineCounters& line : kernel.lines) {
            rows.push_back({"  " + line.file + (line.is_launch() ? "" : ":" + std::to_string(line.line))});
            if (kernel.predicted) rows.back().push_back(with_digits(kernel.cost_percent(line), 2));
            for (const CounterColumn& column : columns) rows.back().push_back(text_of(column, line.counters));
        }
        text += aligned(rows, 1);
    }
    return text;
}

std::string counters_as_csv(const std::vector<KernelCounters>& kernels) {
    std::string text = "kernel,launches,blocks,threads,file,line,function";
    for (const CounterColumn& column : counter_columns()) text += "," + column.name;
    const bool predicts =
        std::any_of(kernels.begin(), kernels.end(), [](const KernelCounters& kernel) { return kernel.predicted; });
    if (predicts) text += ",predicted_ns";
    text += "\n";
    for (const KernelCounters& kernel : kernels) {
        const std::string start = csv_word(kernel.kernel) + "," + std::to_string(kernel.launches) + "," +
                                  std::to_string(kernel.blocks) + "," + std::to_string(kernel.threads) + ",";
        const auto row = [&](const std::string& place, const Counters& counters, double predicted_ns) {
            text += start + place;
            for (const CounterColumn& column : counter_columns()) text += "," + text_of(column, counters);
            if (predicts) text += "," + (kernel.predicted ? with_digits(predicted_ns, 1) : "");
            text += "\n";
        };
        row(",,", kernel.total, kernel.predicted ? kernel.predicted->ns : 0);
        for (const LineCounters& line : kernel.lines) {
            row(csv_word(line.file) + "," + std::to_string(line.line) + "," + csv_word(line.function), line.counters,
                line.predicted_ns);
        }
    }
    return text;
}

std::string check_counter_format(std::string_view format) {
    for (const std::string_view known : {"1", "lines", "annotate"}) {
        if (format == known) return "";
    }
    if (format.size() > csv_prefix.size() && format.substr(0, csv_prefix.size()) == csv_prefix) return "";
    return "unknown format '" + std::string(format) + "'; choose 1, lines, annotate or csv:FILE";
}

std::string write_counters(std::string_view format, const std::vector<KernelCounters>& costs) {
    std::vector<KernelCounters> kernels = take_counters();
    add_costs(kernels, costs);
    if (format != "1") {
        for (const KernelCounters& kernel : kernels) {
            const std::string note = note_on_lines(kernel);
            if (!note.empty()) std::fprintf(stderr, "simcc: SIMCC_COUNTERS: %s\n", note.c_str());
        }
    }
    const std::string text = format == "1"          ? counters_as_text(kernels)
                             : format == "lines"    ? counters_by_line(kernels)
                             : format == "annotate" ? annotated_source(kernels)
                                                    : counters_as_csv(kernels);
    if (format.substr(0, csv_prefix.size()) != csv_prefix) {
        std::fputs(text.c_str(), stderr);
        return "";
    }
    const std::string path(format.substr(csv_prefix.size()));
    std::ofstream file(path);
    file << text;
    file.close();
    return file ? "" : "cannot write " + path;
}

// ---- the source with its counters beside it

namespace {

// The figures beside a line: the traffic of all kinds together. Blank where there is none.
constexpr const char* margin_heading =
    "  requests  lanes/req  sectors/req  efficiency  wavefr./req  branch eff.  lanes | source";
constexpr const char* blank_margin = "                                                                               |";

std::string cell(bool applies, int width, const char* format, double value) {
    char text[32] = "";
    if (applies) std::snprintf(text, sizeof text, format, value);
    char padded[40];
    std::snprintf(padded, sizeof padded, "%*s", width, text);
    return padded;
}

std::string margin_of(const Counters& counters) {
    GlobalTraffic global;
    for (const GlobalTraffic* part : {&counters.global_loads, &counters.global_stores, &counters.global_atomics}) {
        global.requests += part->requests;
        global.lanes += part->lanes;
        global.sectors += part->sectors;
        global.distinct_bytes += part->distinct_bytes;
    }
    SharedTraffic shared;
    for (const SharedTraffic* part : {&counters.shared_loads, &counters.shared_stores, &counters.shared_atomics}) {
        shared.requests += part->requests;
        shared.lanes += part->lanes;
        shared.wavefronts += part->wavefronts;
    }
    const Traffic &fetches = counters.texture_fetches, &constants = counters.constant_loads;
    const uint64_t local_requests = counters.local_loads.requests + counters.local_stores.requests;
    const uint64_t local_lanes = counters.local_loads.lanes + counters.local_stores.lanes;
    const uint64_t waits = counters.block_barriers + counters.warp_barriers + counters.exchanges;
    const uint64_t requests =
        global.requests + shared.requests + fetches.requests + constants.requests + local_requests;
    const uint64_t lanes = global.lanes + shared.lanes + fetches.lanes + constants.lanes + local_lanes;
    const Branching& branching = counters.branching;
    return cell(requests + waits > 0, 10, "%.0f", static_cast<double>(requests + waits)) +
           cell(requests > 0, 11, "%.4g", ratio(lanes, requests)) +
           cell(global.requests > 0, 13, "%.4g", global.sectors_per_request()) +
           cell(global.requests > 0, 12, "%.4g", global.distinct_efficiency()) +
           cell(shared.requests > 0, 13, "%.4g", shared.wavefronts_per_request()) +
           cell(branching.branches > 0, 13, "%.4g", branching.efficiency()) +
           cell(branching.blocks > 0, 7, "%.4g", branching.active_lanes()) + " |";
}

// A file from a few lines above the first line with counters to a few below the last.
std::string annotated_file(const KernelCounters& kernel, const std::string& path,
                           const std::map<unsigned, const LineCounters*>& lines) {
    const auto cost_of = [&](const LineCounters* line) {
        if (!kernel.predicted) return std::string();
        const double percent = line ? kernel.cost_percent(*line) : 0;
        return cell(percent >= 0.05, 8, "%.1f", percent);
    };
    constexpr unsigned context = 3;
    std::ifstream file(path);
    const unsigned first = lines.begin()->first, last = lines.rbegin()->first;
    std::string text, source;
    for (unsigned number = 1; std::getline(file, source); ++number) {
        if (number + context < first || number > last + context) continue;
        const auto counted = lines.find(number);
        char prefix[16];
        std::snprintf(prefix, sizeof prefix, "%5u  ", number);
        const LineCounters* const line = counted == lines.end() ? nullptr : counted->second;
        text += cost_of(line) + (line ? margin_of(line->counters) : blank_margin) + (prefix + source) + "\n";
    }
    const std::string heading = kernel.predicted ? "  cost %" : "";
    return text.empty() ? "" : path + "\n" + heading + margin_heading + "\n" + text;
}

}  // namespace

std::string annotated_source(const std::vector<KernelCounters>& kernels) {
    std::string text;
    for (const KernelCounters& kernel : kernels) {
        std::map<std::string, std::map<unsigned, const LineCounters*>> files;
        for (const LineCounters& line : kernel.lines) {
            if (line.line > 0) files[line.path][line.line] = &line;
        }
        std::string annotated;
        for (const auto& [path, lines] : files) annotated += annotated_file(kernel, path, lines);
        if (!annotated.empty()) text += kernel.kernel + "\n" + remark_on_costs(kernel) + annotated;
    }
    return text;
}

}  // namespace simt::check

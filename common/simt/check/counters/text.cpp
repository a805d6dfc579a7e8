// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>

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
        text += heading(kernel);
        const std::vector<CounterColumn> columns = used_columns(counters_of(kernel));
        std::vector<std::vector<std::string>> rows(1);
        rows[0] = {"  line"};
        for (const CounterColumn& column : columns) rows[0].push_back(column.name);
        for (const LineCounters& line : kernel.lines) {
            rows.push_back({"  " + line.file + ":" + std::to_string(line.line)});
            for (const CounterColumn& column : columns) rows.back().push_back(text_of(column, line.counters));
        }
        text += aligned(rows, 1);
    }
    return text;
}

std::string counters_as_csv(const std::vector<KernelCounters>& kernels) {
    std::string text = "kernel,launches,blocks,threads,file,line,function";
    for (const CounterColumn& column : counter_columns()) text += "," + column.name;
    text += "\n";
    for (const KernelCounters& kernel : kernels) {
        const std::string start = csv_word(kernel.kernel) + "," + std::to_string(kernel.launches) + "," +
                                  std::to_string(kernel.blocks) + "," + std::to_string(kernel.threads) + ",";
        const auto row = [&](const std::string& place, const Counters& counters) {
            text += start + place;
            for (const CounterColumn& column : counter_columns()) text += "," + text_of(column, counters);
            text += "\n";
        };
        row(",,", kernel.total);
        for (const LineCounters& line : kernel.lines) {
            row(csv_word(line.file) + "," + std::to_string(line.line) + "," + csv_word(line.function), line.counters);
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

std::string write_counters(std::string_view format) {
    const std::vector<KernelCounters> kernels = take_counters();
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

}  // namespace simt::check

// SPDX-License-Identifier: MIT
// The options of streams.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/io/text.hpp"

struct StreamsOptions {
    std::vector<std::size_t> streams = {4};
    PerBackend<std::vector<std::size_t>> chunks = {{64}, {8}};
    std::vector<std::size_t> chunk;         // elements; instead of chunks, if there are any
    std::vector<bool> pinned = {true};      // the kinds of host memory
    PerBackend<unsigned> work = {256, 16};  // steps per element: on an H200 a fifth of the time of a copy
    bool tune = false, timeline = false;
    std::string trace;

    void add_options(OptionTable& table) {
        const auto counts = [&](const char* flags, const char* help, auto& field) {
            const auto shown = [](const std::vector<std::size_t>& list) {
                return list.empty() ? "" : std::to_string(list[0]);
            };
            table.read(flags, "LIST", help, default_text(field, shown), field,
                       [flags](const std::string& list) { return parse_counts(list, flags); });
        };
        counts("--streams", "streams of the copy variants", streams);
        counts("--chunks", "chunks of the copy variants", chunks);
        counts("--chunk", "elements per chunk at most, instead of --chunks", chunk);
        table.read("--memory", "LIST", "pinned, pageable or all: host memory of the copy variants",
                   pinned.front() ? "pinned" : "pageable", pinned, parse_memory);
        table.whole("--work", "STEPS", "steps per element of a copy variant's kernel", work, 0, 1u << 20);
        table.flag("--tune", "find the best streams and chunks for each copy variant", tune);
        table.flag("--timeline", "draw a run of each variant, below the human table, else on standard error", timeline);
        table.output_file("--trace", "FILE",
                          "write one run of each variant as a trace for Perfetto and chrome://tracing", trace);
    }

private:
    static std::vector<std::size_t> parse_counts(const std::string& list, const char* option) {
        std::vector<std::size_t> counts;
        for (const std::string& word : split(list, ',')) {
            counts.push_back(parse_count(word, option));
            if (counts.back() == 0) fail(Exit::usage, "{} '{}': at least 1 is needed", option, word);
        }
        return counts;
    }

    static std::vector<bool> parse_memory(const std::string& list) {
        std::vector<bool> kinds;
        for (const std::string& name : split(list, ',')) {
            if (name != "pinned" && name != "pageable" && name != "all")
                fail(Exit::usage, "unknown memory kind '{}'; choose among pinned, pageable, all", name);
            if (name != "pageable") kinds.push_back(true);
            if (name != "pinned") kinds.push_back(false);
        }
        return kinds;
    }
};

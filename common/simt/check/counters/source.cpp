// SPDX-License-Identifier: MIT
// The source with its counters beside it.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/simt/check/counters/results.hpp"

namespace simt::check {

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
    const uint64_t waits = counters.block_barriers + counters.warp_barriers + counters.exchanges;
    const uint64_t requests = global.requests + shared.requests + fetches.requests + constants.requests;
    const uint64_t lanes = global.lanes + shared.lanes + fetches.lanes + constants.lanes;
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
std::string annotated_file(const std::string& path, const std::map<unsigned, const Counters*>& lines) {
    constexpr unsigned context = 3;
    std::ifstream file(path);
    const unsigned first = lines.begin()->first, last = lines.rbegin()->first;
    std::string text, source;
    for (unsigned number = 1; std::getline(file, source); ++number) {
        if (number + context < first || number > last + context) continue;
        const auto counted = lines.find(number);
        char prefix[16];
        std::snprintf(prefix, sizeof prefix, "%5u  ", number);
        text += (counted == lines.end() ? blank_margin : margin_of(*counted->second)) + (prefix + source) + "\n";
    }
    return text.empty() ? "" : path + "\n" + margin_heading + "\n" + text;
}

}  // namespace

std::string annotated_source(const std::vector<KernelCounters>& kernels) {
    std::string text;
    for (const KernelCounters& kernel : kernels) {
        std::map<std::string, std::map<unsigned, const Counters*>> files;
        for (const LineCounters& line : kernel.lines) {
            if (line.line > 0) files[line.path][line.line] = &line.counters;
        }
        std::string annotated;
        for (const auto& [path, lines] : files) annotated += annotated_file(path, lines);
        if (!annotated.empty()) text += kernel.kernel + "\n" + annotated;
    }
    return text;
}

}  // namespace simt::check

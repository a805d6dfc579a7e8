// SPDX-License-Identifier: MIT
// The counters of checked launches, for the host side of programs: plain numbers, no device language.
//
// The counters count each load, store and atomic operation that g++ -O2 leaves in the kernel, for each warp that
// executes it. The lanes of a warp that reach an operation together make one request. A profiler counts what nvcc makes
// of the same source; gridutils-simulator(7) says where the two differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simt::check {

/// part / whole, or 0 if whole is 0.
constexpr double ratio(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct Traffic {
    uint64_t requests = 0;  ///< of warps
    uint64_t lanes = 0;     ///< that took part in them
    uint64_t bytes = 0;     ///< asked for, by all lanes together

    double lanes_per_request() const { return ratio(lanes, requests); }
};

/// Requests to global memory, which is moved in sectors of 32 aligned bytes.
struct GlobalTraffic : Traffic {
    static constexpr uint64_t sector_bytes = 32;

    uint64_t distinct_bytes = 0;  ///< requested; bytes requested by several lanes count once
    uint64_t sectors = 0;         ///< moved

    uint64_t moved_bytes() const { return sectors * sector_bytes; }
    double sectors_per_request() const { return ratio(sectors, requests); }
    /// The two usual definitions of load and store efficiency. A broadcast makes the first exceed 1.
    double asked_efficiency() const { return ratio(bytes, moved_bytes()); }
    double distinct_efficiency() const { return ratio(distinct_bytes, moved_bytes()); }
};

/// Requests to shared memory: 32 banks of 4 bytes. A wavefront serves one word of each bank, to any number of lanes.
struct SharedTraffic : Traffic {
    uint64_t wavefronts = 0;        ///< passes through the banks
    uint64_t ideal_wavefronts = 0;  ///< what the same words would need if spread evenly over the banks

    uint64_t conflicts() const { return wavefronts - ideal_wavefronts; }
    double wavefronts_per_request() const { return ratio(wavefronts, requests); }
};

/// Fetches through textures, a request for each texel of a lane. Fetches from linear memory move sectors; where an
/// array's texels lie is not known.
struct TextureTraffic : Traffic {
    uint64_t linear_requests = 0;
    uint64_t sectors = 0;

    double sectors_per_request() const { return ratio(sectors, linear_requests); }
};

/// Requests to __constant__ variables. A pass serves one address, to any number of lanes.
struct ConstantTraffic : Traffic {
    uint64_t passes = 0;

    double passes_per_request() const { return ratio(passes, requests); }
};

/// Requests to local memory, by accesses to a thread's own arrays: the same word of 32 lanes is a line of 128 bytes.
struct LocalTraffic : Traffic {
    uint64_t sectors = 0;  ///< of 32 bytes: the same word of 8 lanes

    double sectors_per_request() const { return ratio(sectors, requests); }
};

/// Control flow of the warps through the basic blocks that g++ made of the kernel.
struct Branching {
    uint64_t blocks = 0;            ///< basic blocks executed by warps
    uint64_t block_lanes = 0;       ///< lanes that took part in them
    uint64_t branches = 0;          ///< conditional and computed jumps, executed by warps
    uint64_t uniform_branches = 0;  ///< those where all active lanes went the same way

    uint64_t divergent_branches() const { return branches - uniform_branches; }
    double efficiency() const { return branches == 0 ? 1.0 : ratio(uniform_branches, branches); }
    double active_lanes() const { return ratio(block_lanes, blocks); }  // on average per executed basic block
};

/// The address with the most atomic operations.
struct ContendedAddress {
    bool is_shared = false;
    uint64_t address = 0;     ///< in shared memory: the offset, over all blocks
    uint64_t operations = 0;  ///< of lanes
};

struct Counters {
    GlobalTraffic global_loads, global_stores, global_atomics;
    SharedTraffic shared_loads, shared_stores, shared_atomics;
    TextureTraffic texture_fetches;
    ConstantTraffic constant_loads;
    LocalTraffic local_loads, local_stores;
    ContendedAddress most_contended;
    Branching branching;
    uint64_t block_barriers = 0;  ///< __syncthreads and its relatives: warps that came to one
    uint64_t warp_barriers = 0;   ///< __syncwarp
    uint64_t child_launches = 0;  ///< of grids, by kernels; of lines they are not known
    uint64_t exchanges = 0;       ///< shuffles, votes, matches and warp reductions: requests of warps
};

/// Adds the counters; keeps the more contended address.
Counters& operator+=(Counters& sum, const Counters& more);

/// A line of the source.
struct LineCounters {
    std::string file;  ///< without its folder; "" where the place is unknown
    std::string path;  ///< with it
    unsigned line = 0;
    std::string function;  ///< as the compiler names it, with its parameters
    Counters counters;
    double predicted_ns = 0;  ///< its part of the kernel's predicted time

    /// Not a line: what a predicted time has that no line costs.
    bool is_launch() const { return file == "launch" && line == 0; }
};

/// A kernel's predicted time, of which its lines have parts.
struct KernelTime {
    std::string gpu;      ///< "NVIDIA H200"
    std::string limiter;  ///< what limits it
    double ns = 0;
};

struct KernelCounters {
    std::string kernel;  ///< as written at its launch
    uint64_t launches = 0, blocks = 0, threads = 0;
    Counters total;
    std::vector<LineCounters> lines;  ///< ordered by file and line
    std::string lacks_lines_of;       ///< the file of the program without debug information, if that is so
    std::optional<KernelTime> predicted;

    /// A line's part of the predicted time in percent.
    double cost_percent(const LineCounters& line) const { return 100 * line.predicted_ns / predicted->ns; }
};

/// Adds predicted times to counters: kernels and lines that only `costs` has come last, without counts.
void add_costs(std::vector<KernelCounters>& kernels, const std::vector<KernelCounters>& costs);

/// What is missing in a report by line of this kernel, and the remedy; empty if nothing is, or if it has been said.
std::string note_on_lines(const KernelCounters& kernel);

/// The counters of the launches that have ended since the last call (or the beginning), by kernel, in the order of the
/// first launch of each. The caller synchronizes with the device first. Empty unless Settings::counters is set.
std::vector<KernelCounters> take_counters();

/// How a human-readable table shows a figure.
struct CounterHeading {
    const char* text = "";  ///< the head of its column; "" keeps it out
    double scale = 1;
    int digits = 0;
};

/// One figure of the reports: a column of a table.
struct CounterColumn {
    std::string name;         ///< snake_case
    std::string description;  ///< a phrase, with the unit
    bool is_count;            ///< an integer; else a quotient
    double (*value)(const Counters&);
    bool (*applies)(const Counters&);  ///< whether there is anything to show
    CounterHeading heading = {};
};

/// Every column, in the order of the reports.
const std::vector<CounterColumn>& counter_columns();

/// The columns that apply to any of these rows.
std::vector<CounterColumn> used_columns(const std::vector<const Counters*>& rows);

/// "42", "0.9375", "" where the column does not apply: as the reports write a figure.
std::string text_of(const CounterColumn& column, const Counters& counters);

/// The source files of these kernels with the counters of each line beside it; files that cannot be read are left out.
std::string annotated_source(const std::vector<KernelCounters>& kernels);

}  // namespace simt::check

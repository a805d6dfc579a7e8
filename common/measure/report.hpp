// SPDX-License-Identifier: MIT
// From measurements to rows: the schema that every program shares, and the speed-ups of --ladder and --versus.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/io/table.hpp"
#include "common/measure/predicted_times.hpp"
#include "common/measure/run.hpp"
#include "common/measure/statistics.hpp"
#include "common/measure/variant.hpp"
#include "common/measure/verdict.hpp"
#include "common/simt/check/counters/results.hpp"

// The work that a variant was given: the numerators of its rates.
struct Problem {
    std::optional<DType> dtype = DType::f32;  // none: words of any meaning
    std::size_t n = 0;
    double bytes = 0;  // compulsory traffic of the operation: each input read once, each output written once
    double flop = 0;
    double elements = 0;            // --counters: loads are per result, or per input if results are few; 0: per n
    const char* unit = "elements";  // of n, in the human table's title; "" for a table without a single n
    std::size_t gang = 1;           // devices that work on it together

    const char* dtype_name() const { return dtype ? name_of(*dtype) : "none"; }
};

// What a predicted row has in addition.
struct Prediction {
    double exchange_ns;    // part of its time
    double error_percent;  // by how much it exceeds the measured time; nan: none was measured
};

struct Measurement {
    std::optional<PredictedTime> predicted;  // in the simulator
    const Variant* variant = nullptr;
    Problem problem;
    std::string grid = "none", block = "none";  // "4096", "64x64"
    std::size_t shared_bytes = 0;
    std::string timer = "none";  // event, host or sim
    std::string cache = "none";  // cold or warm; none on the host and in the simulator
    int warmup = 0;
    std::vector<double> samples_ns;
    std::vector<double> peer_ratios;  // --versus: peer's time over this variant's, sample by sample
    int sm_clock_mhz = 0;
    bool throttled = false;
    std::string verify = "skipped";                    // pass, or skipped by --no-verify
    std::optional<Prediction> prediction;              // then its only sample is the predicted time
    std::vector<Cell> own;                             // the program's own columns
    std::vector<simt::check::KernelCounters> kernels;  // --counters: for each kernel that it launched
};

constexpr long long table_schema = 3;  // the first column of every row

// The medians that --ladder compares with; 0 if there is none yet.
struct LadderTimes {
    double cpu_ns = 0, first_ns = 0, previous_ns = 0;
};

class LineReport;
struct Measured;

class Report {
public:
    explicit Report(Run& run);
    ~Report();

    // Begins the block of one size; its rows follow as they are measured. The human table shows the title and leaves
    // room for the longest name of a variant.
    void begin_block(const Problem& problem, std::size_t longest_name, const char* remark = "",
                     std::size_t predicted_n = 0);
    void add(const Measurement& measurement);
    // Ends the block: the ladder's comparisons start over. The human table adds a verdict, if the rows are `rivals`.
    void end_block(bool rivals = true);

private:
    Run& run_;
    std::vector<ColumnOf<Measured, std::function<Cell(const Measured&)>>> columns_;
    Table table_;
    std::unique_ptr<LineReport> lines_;  // instead of the table, with --by-line and --annotate
    std::string title_;
    std::vector<Timed> timed_;                    // of the block so far
    std::map<std::string, LadderTimes> ladders_;  // of the block so far
    std::string ladder_;                          // of the last row
    std::vector<std::string> published_;          // where the block's published figures are from
    double cpu_ns_ = 0;
    std::map<std::string, double> alone_ns_;  // --gang: the variants' medians on one device
};

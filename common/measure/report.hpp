// From measurements to rows: the schema that every program shares, and the speed-ups of --ladder and --versus.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/io/table.hpp"
#include "common/measure/run.hpp"
#include "common/measure/statistics.hpp"
#include "common/measure/variant.hpp"
#include "common/measure/verdict.hpp"
#include "common/simt/check/counters/results.hpp"

// What a variant was given to do: the numerators of its rates.
struct Problem {
    std::optional<DType> dtype = DType::f32;  // none: of words, whatever they mean
    std::size_t n = 0;
    double bytes = 0;  // compulsory traffic of the operation: each input read once, each output written once
    double flop = 0;
    double elements = 0;            // --counters shows loads per result, or per input where results are few; 0 for n
    const char* unit = "elements";  // of n, in the human table's title; "" for a table without one n
    std::size_t gang = 1;           // devices that work on it together

    const char* dtype_name() const { return dtype ? name_of(*dtype) : "none"; }
};

// What a row has that was not measured.
struct Prediction {
    double exchange_ns;    // of its time
    double error_percent;  // more than what was measured; nan: nothing was
};

struct Measurement {
    const Variant* variant = nullptr;
    Problem problem;
    std::string grid = "none", block = "none";  // "4096", "64x64"
    std::size_t shared_bytes = 0;
    std::string timer = "none";  // event, host or sim
    std::string cache = "none";  // cold or warm
    int warmup = 0;
    std::vector<double> samples_ns;
    std::vector<double> peer_ratios;  // --versus: peer's time over this variant's, sample by sample
    int sm_clock_mhz = 0;
    bool throttled = false;
    std::string verify = "skipped";                    // pass, or skipped by --no-verify
    std::optional<Prediction> prediction;              // then its sample is the time that is predicted
    std::vector<Cell> own;                             // the program's own columns
    std::vector<simt::check::KernelCounters> kernels;  // --counters: of the kernels that it launched
};

constexpr long long table_schema = 2;  // the first column of every row

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

    // Begins the block of one size, whose rows follow as they are known: the human table's title, with room for the
    // longest name of a variant.
    void begin_block(const Problem& problem, std::size_t longest_name, const char* remark = "");
    void add(const Measurement& measurement);
    // Ends it: the ladder's comparisons start afresh. For a person it ends with a sentence, unless its rows are no rivals.
    void end_block(bool rivals = true);

private:
    Run& run_;
    std::vector<ColumnOf<Measured, std::function<Cell(const Measured&)>>> columns_;
    Table table_;
    std::unique_ptr<LineReport> lines_;  // instead of the table, with --by-line and --annotate
    std::string title_;
    std::vector<Timed> timed_;                    // of the block so far
    std::map<std::string, LadderTimes> ladders_;  // as far as they go
    std::string ladder_;                          // of the last row
    double cpu_ns_ = 0;
    std::map<std::string, double> alone_ns_;  // --gang: the variants' medians on one device
};

// The counters as text, for programs that have no tables of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/simt/check/counters/results.hpp"

namespace simt::check {

// One paragraph per kernel, one figure per line.
std::string counters_as_text(const std::vector<KernelCounters>& kernels);
// The lines of each kernel as a table.
std::string counters_by_line(const std::vector<KernelCounters>& kernels);
// Per kernel one row with its sum (file and line empty), and one row per line.
std::string counters_as_csv(const std::vector<KernelCounters>& kernels);

// "1", "lines", "annotate" and "csv:FILE", the values of SIMCC_COUNTERS. Returns what is wrong with the word, or "".
std::string check_counter_format(std::string_view format);
// Takes the counters and writes them so, to standard error if not to a file. Returns what went wrong, or "".
std::string write_counters(std::string_view format);

}  // namespace simt::check

// SPDX-License-Identifier: MIT
// The counters as text, for programs that have no tables of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/simt/check/counters/results.hpp"

namespace simt::check {

/// One paragraph per kernel, one figure per line.
std::string counters_as_text(const std::vector<KernelCounters>& kernels);
/// The lines of each kernel as a table.
std::string counters_by_line(const std::vector<KernelCounters>& kernels);
/// One row per kernel with its sum (file and line empty), then one row per line.
std::string counters_as_csv(const std::vector<KernelCounters>& kernels);

/// "1", "lines", "annotate" and "csv:FILE", the values of SIMCC_COUNTERS. Returns an error text, or "".
std::string check_counter_format(std::string_view format);
/// Takes the counters and writes them in this format, with these costs of lines (add_costs()), to standard error or the
/// file. Returns an error text, or "".
std::string write_counters(std::string_view format, const std::vector<KernelCounters>& costs);

}  // namespace simt::check

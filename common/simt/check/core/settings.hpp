// SPDX-License-Identifier: MIT
// The settings of the checked simulator: chosen once, before the first runtime API call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/simt/exec/schedule.hpp"

namespace simt::check {

struct Settings {
    bool memcheck = false, racecheck = false, initcheck = false, synccheck = false;
    bool leakcheck = false;    ///< memcheck also reports what was not freed
    bool unusedcheck = false;  ///< initcheck also reports memory that was never used
    bool counters = false;
    /// What counted loads from global memory move: sectors of 32 bytes, or lines of 128, as caches did before Volta.
    unsigned line_bytes = 32;
    bool predict = false;                       ///< the times of kernels on the GPU of set_predicted_gpu(),
    bool predict_lines = false;                 ///< and what each line adds to them
    bool trace = false;                         ///< what the lanes do, for take_traces()
    bool sample_only = false;                   ///< only the blocks that predictions need run: results are wrong
    Schedule schedule = Schedule::independent;  ///< counters require this one: they regroup the lanes themselves
    uint64_t seed = 0;
    unsigned print_limit = 100;  ///< at most this many findings are printed; all are counted

    bool any_check() const { return memcheck || racecheck || initcheck || synccheck; }
    /// Whether the checked simulator has anything to do.
    bool any() const { return any_check() || counters || predict || trace || schedule != Schedule::independent; }
};

/// Reads "memcheck,racecheck" ("" and "all": the four tools) and "random:42" into settings. Returns an error text, or
/// "".
std::string parse_checks(std::string_view words, Settings& settings);
std::string parse_schedule(std::string_view words, Settings& settings);

/// Begins checking. Call it before any memory is allocated; a second call changes nothing.
void start(const Settings& settings);

/// Ends checking: reports what only the end can show (leaks), prints the summary to standard error and returns the
/// number of findings.
uint64_t finish();

/// The exit status of a program that ends with findings.
constexpr int exit_status_of_findings = 86;

/// With Settings::sample_only, inputs of more bytes than this stay zero, and are neither copied nor filled.
constexpr size_t most_bytes_of_sample = size_t{16} << 20;

/// The settings in force; all off before start(). Cheap to read anywhere.
extern Settings current_settings;
inline const Settings& settings() { return current_settings; }
inline bool is_checking() { return current_settings.any(); }

}  // namespace simt::check

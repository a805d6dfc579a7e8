// SPDX-License-Identifier: MIT
// One run of a program on one device: what measuring needs of a Session.
//
// The room measures. In come a run, with its settings (settings.hpp), and cases: a variant (variant.hpp) on a problem,
// with inputs that any part of can be generated alone (random.hpp). A bench (bench.cuh) verifies each case (verify.hpp)
// and times it (timing.cuh). Out go rows (columns.hpp, report.hpp), which say by which build and where they were measured
// (origin.hpp), and a sentence that says which variant is the fastest (verdict.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/io/output.hpp"
#include "common/io/quantities.hpp"
#include "common/io/table.hpp"
#include "common/measure/lectures.hpp"
#include "common/measure/settings.hpp"
#include "common/measure/variant.hpp"

class Run {
public:
    const char* const program_name;
    const std::vector<Column>& own_columns;           // the program's, after the common ones
    const bool counts_in_simulator;                   // the human table shows its own columns beside the counters,
    const std::vector<ShownCounter>& shown_counters;  // but only these counters if --counters was not typed
    const Lectures* const lectures;                   // the published names and figures; null: none
    const MeasureSettings& settings;
    const DeviceInfo& device;
    std::vector<DeviceInfo> gang;  // the devices that work together, one per rank; without a gang, `device` alone
    Output& output;

    // Counted by Bench: blocks of the table, and variants that could run in any of them.
    std::size_t blocks = 0, variants_that_ran = 0;

    virtual Format format() const = 0;
    virtual int warmup() const = 0;  // the simulator's default is smaller than a GPU's
    virtual int samples() const = 0;

    // "reduce: MESSAGE" on standard error: complain() always, notice() unless --quiet.
    virtual void complain(const std::string& message) const = 0;
    virtual void notice(const std::string& message) const = 0;

    // Shows what is running, such as "timing single-pass", once it has taken a second. The caller counts the progress
    // in the result. The next step or end_step() ends it.
    virtual StepCount& begin_step(const std::string& what, StepUnit unit = StepUnit::parts) = 0;
    virtual void end_step() = 0;

    virtual void found_wrong_result() = 0;

protected:
    Run(const char* program_name_, const std::vector<Column>& own_columns_, bool counts_in_simulator_,
        const std::vector<ShownCounter>& shown_counters_, const Lectures* lectures_, const MeasureSettings& settings_,
        const DeviceInfo& device_, Output& output_)
        : program_name(program_name_),
          own_columns(own_columns_),
          counts_in_simulator(counts_in_simulator_),
          shown_counters(shown_counters_),
          lectures(lectures_),
          settings(settings_),
          device(device_),
          gang{device_},
          output(output_) {}
    ~Run() = default;
};

// SPDX-License-Identifier: MIT
// Linked into programs built by simcc --check or --schedule lockstep: checking begins before main() and ends after it.
//   SIMCC_CHECK     the checks: a list, or none; unset: the four tools, or none if counters are on or nothing was built
//                   with --check
//   SIMCC_COUNTERS  1: the counters of each kernel, to standard error at the end; lines: by source line;
//                   annotate: beside the source; csv:FILE: sums and lines, into a file; 0: none
//   SIMCC_PREDICT   a GPU model: the predicted time of each kernel, to standard error at the end; MODEL:csv:FILE: into
//                   a file
//   SIMCC_SCHEDULE  the schedule
// make: alone (only what simcc --check has linked starts the checkers by itself)
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/counters/text.hpp"
#include "common/simt/check/predict/predictions.hpp"
#include "common/simt/exec/machine.hpp"

// Instrumented objects refer to the first symbol, which pulls this file into the program, and define what they want
// (include/simt/launch.hpp): --check the checks, --schedule the schedule. libcudart.so has this file in any case.
extern "C" __attribute__((weak)) int simt_wants_checks, simt_wants_lockstep;
extern "C" int simt_check_autostart;
int simt_check_autostart = 1;

namespace simt::check {
namespace {

void complain(const char* variable, const std::string& wrong) {
    if (wrong.empty()) return;
    std::fprintf(stderr, "simcc: %s: %s\n", variable, wrong.c_str());
    _exit(2);
}

// The value of SIMCC_COUNTERS.
const char* wanted_counters() {
    const char* const wanted = std::getenv("SIMCC_COUNTERS");
    return wanted && *wanted && std::strcmp(wanted, "0") != 0 ? wanted : nullptr;
}

// The value of SIMCC_PREDICT.
const char* wanted_prediction() {
    const char* const wanted = std::getenv("SIMCC_PREDICT");
    return wanted && *wanted && std::strcmp(wanted, "0") != 0 ? wanted : nullptr;
}

void write_predictions(const PredictionRequest& request, const std::vector<KernelPrediction>& kernels) {
    if (request.path.empty()) {
        std::fputs(predictions_as_text(kernels, *predicted_gpu()).c_str(), stderr);
        return;
    }
    std::FILE* const file = std::fopen(request.path.c_str(), "w");
    const std::string text = predictions_as_csv(kernels, *predicted_gpu());
    const bool written = file && std::fputs(text.c_str(), file) >= 0;
    if ((file && std::fclose(file) != 0) || !written)
        complain("SIMCC_PREDICT", request.path + " cannot be written: " + std::strerror(errno));
}

void end_of_program() {
    std::fflush(nullptr);
    const std::vector<KernelPrediction> predictions = take_predictions();
    if (const char* const wanted = wanted_prediction()) write_predictions(prediction_request(wanted), predictions);
    if (const char* const wanted = wanted_counters())
        complain("SIMCC_COUNTERS", write_counters(wanted, costs_by_line(predictions)));
    if (finish() > 0) _exit(exit_status_of_findings);
}

// Runs before the program's own constructors, which may launch kernels: 101 is the first priority open to programs.
__attribute__((constructor(101))) void begin_of_program() {
    if (!&simt_wants_checks && !&simt_wants_lockstep) return;
    Settings settings;
    const char* const checks = std::getenv("SIMCC_CHECK");
    const char* const schedule = std::getenv("SIMCC_SCHEDULE");
    settings.counters = wanted_counters() != nullptr;
    if (settings.counters) complain("SIMCC_COUNTERS", check_counter_format(wanted_counters()));
    if (const char* const wanted = wanted_prediction()) {
        GpuModel model;
        complain("SIMCC_PREDICT", load_gpu_model(prediction_request(wanted).model, model));
        set_predicted_gpu(model);
        settings.predict = true;
        settings.predict_lines = settings.counters && std::strcmp(wanted_counters(), "1") != 0;
    }
    const bool only_counts = settings.counters || settings.predict;
    const bool checks_by_default = &simt_wants_checks != nullptr && !only_counts;
    if (&simt_wants_lockstep != nullptr) settings.schedule = Schedule::lockstep;
    complain("SIMCC_CHECK", parse_checks(checks ? checks : checks_by_default ? "all" : "none", settings));
    if (schedule) complain("SIMCC_SCHEDULE", parse_schedule(schedule, settings));
    unless_short([&] { start(settings); });
    std::atexit(end_of_program);
}

}  // namespace
}  // namespace simt::check

// SPDX-License-Identifier: MIT
// The predicted times of a program's kernels, and as text for programs that have no tables of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/check/counters/results.hpp"
#include "common/simt/check/predict/launch_costs.hpp"

namespace simt::check {

/// A kernel: its launches together.
struct KernelPrediction {
    std::string kernel;  ///< as written at its launch
    uint64_t launches = 0;
    bool is_known = true;           ///< false: a launch could not be followed
    LaunchPrediction sum;           ///< times and amounts added up; the shape of the largest launch
    double largest_ns = 0;          ///< that launch's time
    std::vector<PlaceTime> places;  ///< of all launches; empty unless Settings::predict_lines is set
};

struct LaunchCheck;

/// The launch has ended, with this cudaError_t: take_predictions() will include it.
void keep_prediction(const LaunchCheck& launch, int error);

/// The kernels whose launches have ended since the last call, in the order of their first launch. Empty unless
/// Settings::predict is set.
std::vector<KernelPrediction> take_predictions();

/// The costs of the lines of those whose times are known: their counters are 0. Line 0 of "launch" has what no line
/// costs: launches and the starts of blocks.
std::vector<KernelCounters> costs_by_line(const std::vector<KernelPrediction>& kernels);

/// The GPU that the settings name; null if there is none.
const GpuModel* predicted_gpu();
void set_predicted_gpu(const GpuModel& model);

/// A row per kernel.
std::string predictions_as_text(const std::vector<KernelPrediction>& kernels, const GpuModel& model);
std::string predictions_as_csv(const std::vector<KernelPrediction>& kernels, const GpuModel& model);

/// "h200", "csv:FILE", "h200:csv:FILE", the values of SIMCC_PREDICT: the model and where the rows go ("": standard
/// error).
struct PredictionRequest {
    std::string model, path;
};
PredictionRequest prediction_request(std::string_view value);

}  // namespace simt::check

// SPDX-License-Identifier: MIT
// Predicted times for a run in the simulator. They come from a forecast: another process of the same program, with the
// same command line, in which the simulated device has the figures of a GPU, sizes are a GPU's, and of each launch only
// a sample of blocks runs. Its results are wrong and its times meaningless; what it says of its kernels' costs counts.
#pragma once

#include <string>

#include "common/cli/options.hpp"
#include "common/cli/program.hpp"
#include "common/measure/predicted_times.hpp"

// Whether this process is a forecast.
bool is_forecast();

// Makes the options those of a forecast, before the simulator starts.
void become_forecast(Options& options);

// Whether a run with these options on this device shows predicted times.
bool wants_forecast(const Program& program, const Options& options, const DeviceInfo& device);

// Runs the forecast of this command line and reads its rows. `problem`: why there are none, or not all.
PredictedTimes forecast(const Options& options, char** argv, std::string& problem);

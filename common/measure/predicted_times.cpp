// SPDX-License-Identifier: MIT
#include "common/measure/predicted_times.hpp"

#include "common/io/text.hpp"
#include "common/simt/check/predict/predictions.hpp"

static simt::check::GpuModel model_of(const std::string& gpu) {
    simt::check::GpuModel model;
    const std::string wrong = load_gpu_model(gpu.empty() ? simt::check::shipped_gpu_models().front() : gpu, model);
    if (!wrong.empty()) fail(Exit::usage, "--predict: {}", wrong);
    return model;
}

void predict_for(const std::string& gpu) { simt::check::set_predicted_gpu(model_of(gpu)); }

std::string name_of_gpu(const std::string& gpu) { return model_of(gpu).title(); }

// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/predictions.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <utility>

#include "common/simt/check/core/checker.hpp"

namespace simt::check {

namespace {

class KeptPredictions {
public:
    static KeptPredictions& instance() {
        static auto& predictions = *new KeptPredictions;  // outlives the program's own exit handlers
        return predictions;
    }

    void add(const LaunchCheck& launch, int error) {
        const LaunchPrediction one = launch.costs->predict();
        const std::lock_guard lock(mutex_);
        KernelPrediction& kernel = of(launch.kernel);
        ++kernel.launches;
        if (error != 0 || !launch.costs->is_known()) kernel.is_known = false;
        LaunchPrediction& sum = kernel.sum;
        if (one.ns > kernel.largest_ns) {
            kernel.largest_ns = one.ns;
            sum.blocks = one.blocks, sum.threads_per_block = one.threads_per_block;
            sum.shared_bytes = one.shared_bytes, sum.resident_blocks = one.resident_blocks;
            sum.limiter = one.limiter;
        }
        sum.instructions += one.instructions, sum.special += one.special, sum.wavefronts += one.wavefronts;
        sum.asked_bytes += one.asked_bytes, sum.l2_bytes += one.l2_bytes, sum.dram_bytes += one.dram_bytes;
        sum.hot_operations += one.hot_operations;
        for (size_t i = 0; i < std::size(sum.parts_ns); ++i) sum.parts_ns[i] += one.parts_ns[i];
        sum.ns += one.ns, sum.low_ns += one.low_ns, sum.high_ns += one.high_ns;
    }

    std::vector<KernelPrediction> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(kernels_, {});
    }

private:
    KernelPrediction& of(const std::string& kernel) {
        for (KernelPrediction& kept : kernels_)
            if (kept.kernel == kernel) return kept;
        kernels_.emplace_back().kernel = kernel;
        return kernels_.back();
    }

    std::mutex mutex_;
    std::vector<KernelPrediction> kernels_;
};

GpuModel* predicted = nullptr;

std::string format(const char* pattern, ...) {
    char text[512];
    va_list values;
    va_start(values, pattern);
    std::vsnprintf(text, sizeof text, pattern, values);
    va_end(values);
    return text;
}

std::string in_csv(const std::string& word) {
    if (word.find_first_of(",\"\n") == word.npos) return word;
    std::string quoted = "\"";
    for (const char c : word) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

void keep_prediction(const LaunchCheck& launch, int error) { KeptPredictions::instance().add(launch, error); }
std::vector<KernelPrediction> take_predictions() { return KeptPredictions::instance().take(); }

const GpuModel* predicted_gpu() { return predicted; }
void set_predicted_gpu(const GpuModel& model) { predicted = new GpuModel(model); }  // for the life of the process

PredictionRequest prediction_request(std::string_view value) {
    constexpr std::string_view csv = "csv:";
    const size_t at = value.find(csv);
    if (at == value.npos || (at > 0 && value[at - 1] != ':')) return {std::string(value), ""};
    const std::string_view model = at == 0 ? std::string_view() : value.substr(0, at - 1);
    return {model.empty() ? shipped_gpu_models().front() : std::string(model),
            std::string(value.substr(at + csv.size()))};
}

std::string predictions_as_text(const std::vector<KernelPrediction>& kernels, const GpuModel& model) {
    size_t widest = 6;
    for (const KernelPrediction& kernel : kernels) widest = std::max(widest, kernel.kernel.size());
    widest = std::min<size_t>(widest, 60);
    std::string text = "========= Predicted times on " + model.title() + ", not measured\n";
    text +=
        format("========= %-*s %8s %12s %25s  %s\n", int(widest), "kernel", "launches", "us", "80 % interval", "limit");
    for (const KernelPrediction& kernel : kernels) {
        const std::string name = kernel.kernel.substr(0, widest);
        if (!kernel.is_known) {
            text += format("========= %-*s %8llu %12s %25s  %s\n", int(widest), name.c_str(),
                           static_cast<unsigned long long>(kernel.launches), "-", "-",
                           "unknown: it polls, launches kernels, or failed");
            continue;
        }
        text += format("========= %-*s %8llu %12.2f %12.2f %12.2f  %s\n", int(widest), name.c_str(),
                       static_cast<unsigned long long>(kernel.launches), kernel.sum.ns / 1e3, kernel.sum.low_ns / 1e3,
                       kernel.sum.high_ns / 1e3, name_of(kernel.sum.limiter));
    }
    return text;
}

std::string predictions_as_csv(const std::vector<KernelPrediction>& kernels, const GpuModel& model) {
    std::string text =
        "kernel,gpu,launches,blocks,threads_per_block,resident_blocks,predicted_ns,predicted_low_ns,predicted_high_ns,"
        "limiter,instructions,special,wavefronts,asked_bytes,l2_bytes,dram_bytes,hot_operations";
    for (int i = 0; i <= static_cast<int>(Limiter::launch); ++i)
        text += std::string(",") + name_of(static_cast<Limiter>(i)) + "_ns";
    text += '\n';
    for (const KernelPrediction& kernel : kernels) {
        const LaunchPrediction& sum = kernel.sum;
        text += in_csv(kernel.kernel) + "," + in_csv(model.title());
        text += format(",%llu,%.0f,%.0f,%.0f,", static_cast<unsigned long long>(kernel.launches), sum.blocks,
                       sum.threads_per_block, sum.resident_blocks);
        text += kernel.is_known ? format("%.1f,%.1f,%.1f", sum.ns, sum.low_ns, sum.high_ns) : std::string(",,");
        text += format(",%s,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f", name_of(sum.limiter), sum.instructions, sum.special,
                       sum.wavefronts, sum.asked_bytes, sum.l2_bytes, sum.dram_bytes, sum.hot_operations);
        for (const double part : sum.parts_ns) text += format(",%.1f", part);
        text += '\n';
    }
    return text;
}

}  // namespace simt::check

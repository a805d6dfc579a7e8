// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/predictions.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "common/simt/check/core/checker.hpp"

namespace simt::check {

namespace {

// The figures of a launch, as the table names them: those of the largest launch, and those that add up.
struct Figure {
    const char* name;
    double LaunchPrediction::*value;
};
using Of = LaunchPrediction;
constexpr Figure shape[] = {
    {"blocks", &Of::blocks}, {"threads_per_block", &Of::threads_per_block}, {"resident_blocks", &Of::resident_blocks}};
constexpr Figure times[] = {
    {"predicted_ns", &Of::ns}, {"predicted_low_ns", &Of::low_ns}, {"predicted_high_ns", &Of::high_ns}};
constexpr Figure amounts[] = {
    {"instructions", &Of::instructions},    {"special", &Of::special},   {"wavefronts", &Of::wavefronts},
    {"asked_bytes", &Of::asked_bytes},      {"l2_bytes", &Of::l2_bytes}, {"dram_bytes", &Of::dram_bytes},
    {"hot_operations", &Of::hot_operations}};

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
        if (one.ns > kernel.largest_ns) {
            kernel.largest_ns = one.ns;
            for (const Figure& figure : shape) kernel.sum.*figure.value = one.*figure.value;
            kernel.sum.achieved_occupancy_percent = one.achieved_occupancy_percent;
            kernel.sum.limiter = one.limiter;
        }
        for (const std::span<const Figure> figures : {std::span<const Figure>(times), std::span<const Figure>(amounts)})
            for (const Figure& figure : figures) kernel.sum.*figure.value += one.*figure.value;
        for (size_t i = 0; i < std::size(one.parts_ns); ++i) kernel.sum.parts_ns[i] += one.parts_ns[i];
        for (const PlaceTime& more : one.places) {
            const auto known = std::find_if(kernel.places.begin(), kernel.places.end(),
                                            [&](const PlaceTime& of) { return of.place == more.place; });
            if (known == kernel.places.end()) kernel.places.push_back(more);
            else known->ns += more.ns;
        }
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

std::vector<KernelCounters> costs_by_line(const std::vector<KernelPrediction>& kernels) {
    std::vector<KernelCounters> costs;
    for (const KernelPrediction& kernel : kernels) {
        if (!kernel.is_known) continue;
        KernelCounters& of = costs.emplace_back();
        of.kernel = kernel.kernel;
        of.predicted = {predicted->title(), name_of(kernel.sum.limiter), kernel.sum.ns};
        std::map<std::pair<std::string, unsigned>, LineCounters> lines;
        double left_ns = kernel.sum.ns;
        for (const PlaceTime& place : kernel.places) {
            const LineCounters at = line_of(place.place, place.file);
            if (at.line == 0) continue;
            lines.try_emplace({at.path, at.line}, at).first->second.predicted_ns += place.ns;
            left_ns -= place.ns;
        }
        for (const auto& [key, line] : lines) of.lines.push_back(line);
        LineCounters& launch = of.lines.emplace_back();
        launch.file = "launch";
        launch.predicted_ns = left_ns;
    }
    return costs;
}

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
    std::string text = "kernel,gpu,launches";
    const auto add_names = [&](std::span<const Figure> figures) {
        for (const Figure& figure : figures) text += std::string(",") + figure.name;
    };
    add_names(shape);
    text += ",achieved_occupancy_percent";
    add_names(times);
    text += ",limiter";
    add_names(amounts);
    for (int i = 0; i <= static_cast<int>(Limiter::launch); ++i)
        text += std::string(",") + name_of(static_cast<Limiter>(i)) + "_ns";
    text += '\n';
    for (const KernelPrediction& kernel : kernels) {
        const LaunchPrediction& sum = kernel.sum;
        text += in_csv(kernel.kernel) + "," + in_csv(model.title());
        text += format(",%llu", static_cast<unsigned long long>(kernel.launches));
        for (const Figure& figure : shape) text += format(",%.0f", sum.*figure.value);
        text += kernel.is_known ? format(",%.2f", sum.achieved_occupancy_percent) : ",";
        for (const Figure& figure : times) text += kernel.is_known ? format(",%.1f", sum.*figure.value) : ",";
        text += std::string(",") + name_of(sum.limiter);
        for (const Figure& figure : amounts) text += format(",%.0f", sum.*figure.value);
        for (const double part : sum.parts_ns) text += format(",%.1f", part);
        text += '\n';
    }
    return text;
}

}  // namespace simt::check

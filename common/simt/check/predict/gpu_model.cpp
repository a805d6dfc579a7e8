// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/gpu_model.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace simt::check {

const std::vector<GpuFigure>& gpu_figures() {
    static const std::vector<GpuFigure> figures = {
        {"multiprocessors", "", &GpuModel::multiprocessors},
        {"clock", "MHz", &GpuModel::clock_mhz},
        {"threads", "per multiprocessor", &GpuModel::threads_per_multiprocessor},
        {"blocks", "per multiprocessor", &GpuModel::blocks_per_multiprocessor},
        {"registers", "per multiprocessor", &GpuModel::registers_per_multiprocessor},
        {"shared", "KiB per multiprocessor", &GpuModel::shared_kib_per_multiprocessor},
        {"l1", "KiB per multiprocessor", &GpuModel::l1_kib_per_multiprocessor},
        {"l1_keeps_loads", "1 or 0", &GpuModel::l1_keeps_loads},
        {"l2", "MiB", &GpuModel::l2_mib},
        {"dram_bandwidth", "GB/s", &GpuModel::dram_gbyte_per_s},
        {"l2_bandwidth", "GB/s", &GpuModel::l2_gbyte_per_s},
        {"wavefronts", "per cycle and multiprocessor", &GpuModel::wavefronts_per_cycle},
        {"l1_requests", "per cycle and multiprocessor", &GpuModel::l1_requests_per_cycle},
        {"partial_stores", "per cycle and multiprocessor", &GpuModel::partial_stores_per_cycle},
        {"l1_lines", "per cycle and multiprocessor", &GpuModel::l1_lines_per_cycle},
        {"texels", "per cycle and multiprocessor", &GpuModel::texels_per_cycle},
        {"texture_sectors", "per cycle and multiprocessor", &GpuModel::texture_sectors_per_cycle},
        {"issue", "per cycle and multiprocessor", &GpuModel::issue_per_cycle},
        {"single", "per cycle and multiprocessor", &GpuModel::single_per_cycle},
        {"double", "per cycle and multiprocessor", &GpuModel::double_per_cycle},
        {"special", "per cycle and multiprocessor", &GpuModel::special_per_cycle},
        {"l1_latency", "cycles", &GpuModel::l1_latency},
        {"shared_latency", "cycles", &GpuModel::shared_latency},
        {"l2_latency", "cycles", &GpuModel::l2_latency},
        {"dram_latency", "cycles", &GpuModel::dram_latency},
        {"shared_update_latency", "cycles", &GpuModel::shared_update_latency},
        {"arithmetic_latency", "cycles", &GpuModel::arithmetic_latency},
        {"exchange_latency", "cycles", &GpuModel::exchange_latency},
        {"barrier_latency", "cycles", &GpuModel::barrier_latency},
        {"atomic", "ns", &GpuModel::atomic_ns},
        {"integer_atomic", "ns", &GpuModel::integer_atomic_ns},
        {"launch", "ns", &GpuModel::launch_ns},
        {"next_launch", "ns", &GpuModel::next_launch_ns},
        {"block", "ns", &GpuModel::block_ns},
    };
    return figures;
}

namespace {

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
    return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// Takes one line without its comment.
std::string read_line(std::string_view line, GpuModel& model) {
    const size_t sign = line.find('=');
    if (sign == line.npos) return in_quotes(line) + " is not of the form name = value";
    const std::string_view name = trimmed(line.substr(0, sign)), value = trimmed(line.substr(sign + 1));
    if (name == "name" || name == "source") {
        (name == "name" ? model.name : model.source) = value;
        return "";
    }
    if (name == "like") {
        const bool is_first = model.name.empty() && std::isnan(model.multiprocessors);
        if (!is_first) return "like comes first: it replaces what is above it";
        const auto text = shipped_gpu_model(value);
        return text ? read_gpu_model(*text, model) : "there is no shipped model " + in_quotes(value);
    }
    for (const GpuFigure& figure : gpu_figures()) {
        if (figure.name != name) continue;
        double number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool can_be_zero = figure.value == &GpuModel::l1_keeps_loads;
        if (error != std::errc() || end != value.data() + value.size() || !(number > 0 || (number == 0 && can_be_zero)))
            return in_quotes(value) + " is not a number above 0";
        model.*figure.value = number;
        return "";
    }
    return "unknown figure " + in_quotes(name);
}

}  // namespace

std::string read_gpu_model(std::string_view text, GpuModel& model) {
    model = {};
    for (const GpuFigure& figure : gpu_figures()) model.*figure.value = NAN;
    for (unsigned number = 1; !text.empty(); ++number) {
        const size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == text.npos ? std::string_view() : text.substr(end + 1);
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        if (const std::string wrong = read_line(line, model); !wrong.empty())
            return "line " + std::to_string(number) + ": " + wrong;
    }
    for (const GpuFigure& figure : gpu_figures())
        if (std::isnan(model.*figure.value))
            return std::string("the figure ") + figure.name +
                   (*figure.unit ? std::string(" (") + figure.unit + ")" : "") + " is missing";
    if (model.name.empty()) return "the name is missing";
    return "";
}

std::string load_gpu_model(const std::string& name_or_path, GpuModel& model) {
    if (const auto text = shipped_gpu_model(name_or_path)) return read_gpu_model(*text, model);
    std::ifstream file(name_or_path);
    if (!file) {
        std::string known;
        for (const std::string& name : shipped_gpu_models()) known += (known.empty() ? "" : ", ") + name;
        return "there is no GPU model " + in_quotes(name_or_path) + "; choose " + known + " or a file";
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string wrong = read_gpu_model(text, model);
    return wrong.empty() ? "" : name_or_path + ": " + wrong;
}

}  // namespace simt::check

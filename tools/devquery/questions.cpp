// SPDX-License-Identifier: MIT
#include "tools/devquery/questions.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/io/failure.hpp"
#include "common/io/parse_text.hpp"
#include "common/io/text.hpp"

double Question::number(const std::string& name, double otherwise) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? otherwise : found->second.back();
}

static Question parse_question(const std::string& option, const std::string& list, std::vector<std::string> names) {
    names.insert(names.begin(), "gpu");
    Question question;
    if (list.empty()) return question;
    for (const std::string& word : split(list, ',')) {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            const std::string nearest = nearest_name(name, names);
            fail(Exit::usage, "{} '{}' is not one of {}, each with = and a value{}", option, name,
                 list_text(names, "or"), nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
        }
        if (name == "gpu") {
            question.gpu = value;
            continue;
        }
        const auto number = parse_number(value);
        if (!number || !(*number > 0) || *number > 1e15)
            fail(Exit::usage, "{} {} '{}' is not a number above 0, up to 10^15", option, name, value);
        question.numbers[name].push_back(*number);
    }
    return question;
}

Question parse_little(const std::string& list) {
    return parse_question(
        "--little", list,
        {"latency", "lanes", "memory_latency", "gbyte_per_s", "clock_mhz", "multiprocessors", "threads"});
}

Question parse_roofline(const std::string& list) {
    const Question question =
        parse_question("--roofline", list, {"bytes_per_flop", "gbyte_per_s", "gflop_per_s", "bus_bits", "memory_mhz"});
    if (question.has("bus_bits") != question.has("memory_mhz"))
        fail(Exit::usage, "--roofline: bus_bits and memory_mhz make a bandwidth together; give both or none");
    if (question.has("bus_bits") && question.has("gbyte_per_s"))
        fail(Exit::usage, "--roofline: bus_bits and memory_mhz say what gbyte_per_s says; leave one out");
    return question;
}

// What the question says of the device itself, if anything.
static HidingFigures figures_asked_for(const char* option, const Question& question, const DeviceInfo& device) {
    return question.gpu.empty() ? hiding_figures_of(device) : hiding_figures_of_model(question.gpu, option);
}

HidingFigures figures_for_little(const Question& question, const DeviceInfo& device) {
    HidingFigures figures = figures_asked_for("--little", question, device);
    const std::pair<const char*, double HidingFigures::*> all[] = {{"latency", &HidingFigures::arithmetic_latency},
                                                                   {"lanes", &HidingFigures::lanes},
                                                                   {"memory_latency", &HidingFigures::memory_latency},
                                                                   {"gbyte_per_s", &HidingFigures::gbyte_per_s},
                                                                   {"clock_mhz", &HidingFigures::clock_mhz},
                                                                   {"multiprocessors", &HidingFigures::multiprocessors},
                                                                   {"threads", &HidingFigures::threads}};
    std::vector<std::string> missing;
    for (const auto& [name, figure] : all) {
        figures.*figure = question.number(name, figures.*figure);
        if (!(figures.*figure > 0)) missing.push_back(std::string(name) + "=");
    }
    if (!missing.empty())
        fail(Exit::unavailable, "--little: not all figures of {} are known; measure with latency, and give {}",
             figures.gpu, list_text(missing, "and"));
    if (!question.numbers.empty()) figures.gpu = "own figures and " + figures.gpu;
    return figures;
}

std::vector<RooflinePoint> roofline(const Question& question, const DeviceInfo& device) {
    const double of_bus = question.number("bus_bits", 0) / 8 * question.number("memory_mhz", 0) * 1e-3;
    RooflinePoint point;
    point.gbyte_per_s = question.number("gbyte_per_s", of_bus);
    point.gflop_per_s = question.number("gflop_per_s", 0);
    point.gpu = "own figures";
    if (point.gbyte_per_s == 0 || point.gflop_per_s == 0) {
        const HidingFigures figures = figures_asked_for("--roofline", question, device);
        point.gpu = (point.gbyte_per_s + point.gflop_per_s > 0 ? "own figures and " : "") + figures.gpu;
        if (point.gbyte_per_s == 0) point.gbyte_per_s = figures.gbyte_per_s;
        if (point.gflop_per_s == 0) point.gflop_per_s = figures.gflop_per_s();
        if (!(point.gbyte_per_s > 0 && point.gflop_per_s > 0))
            fail(Exit::unavailable,
                 "--roofline: a peak of {} is not known; give gbyte_per_s= and gflop_per_s=", figures.gpu);
    } else if (!question.gpu.empty()) {
        fail(Exit::usage, "--roofline: gbyte_per_s and gflop_per_s say all of a GPU; leave gpu out");
    }
    const auto given = question.numbers.find("bytes_per_flop");
    const std::vector<double> usual = {0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16};
    std::vector<RooflinePoint> points;
    for (const double bytes : given == question.numbers.end() ? usual : given->second) {
        points.push_back(point);
        points.back().bytes_per_flop = bytes;
    }
    return points;
}

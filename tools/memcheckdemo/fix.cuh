// SPDX-License-Identifier: MIT
// --grade-fix: builds a corrected copy of a plant, and judges it with inputs of its own choice and with the checkers.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "common/cuda/device.cuh"
#include "tools/memcheckdemo/grade.cuh"
#include "tools/memcheckdemo/process.hpp"

namespace BACKEND {

constexpr int build_seconds = 300, run_seconds = 60;

// The compiler that builds the copy, and the tool that looks for defects in it.
struct Builder {
    std::string compiler;   // a path; "" if there is none
    std::string sanitizer;  // compute-sanitizer; "" where the simulator checks
    std::string missing;    // what to do if there is none
};

// nvcc and compute-sanitizer for a defect that one of its tools reports on this GPU, else simcc.
inline Builder builder_for(const Session& session, const Plant& plant) {
    const bool legal = plant.code.faulty == faulty::increment::run && !simulated &&
                       attribute(cudaDevAttrPageableMemoryAccess, session.device.ordinal) != 0;
    if (!simulated) {
        const std::string nvcc = path_of_program("nvcc"), sanitizer = path_of_program("compute-sanitizer");
        if (plant.is_reported() && !legal && !nvcc.empty() && !sanitizer.empty()) return {nvcc, sanitizer, ""};
        session.notice(text("simcc judges it, because {}", nvcc.empty()        ? "nvcc is not in PATH"
                                                           : sanitizer.empty() ? "compute-sanitizer is not in PATH"
                                                                               : "no tool reports this defect here"));
    }
    const char* const cxx = std::getenv("CXX");
    const std::vector<std::string> words = split(cxx == nullptr || *cxx == '\0' ? "g++" : cxx, ' ');
    if (path_of_program(words.front()).empty() && access(words.front().c_str(), X_OK) != 0)
        return {"", "", text("{} is missing: install g++, or set CXX to a compiler", words.front())};
    return {path_of_program("simcc"), "",
            "simcc is missing: it belongs beside " + called("memcheckdemo") + ", or into PATH"};
}

inline std::string read_copy(const std::string& path) {
    std::ifstream file;
    if (path != "-") file.open(path, std::ios::binary);
    std::istream& in = path == "-" ? std::cin : file;
    std::ostringstream all;
    if (!in || (all << in.rdbuf(), in.bad()) || all.str().empty())
        fail(Exit::bad_input, "cannot read the copy '{}'; name a file that --export wrote, or - for standard input",
             path);
    return all.str();
}

// The copy and the program that grades it, in a folder of their own.
class Workshop {
public:
    Workshop(const Session& session, const Subject& subject, const Builder& builder, const std::string& path)
        : device_(session.device), builder_(builder), path_(path == "-" ? "copy.cu" : path) {
        std::random_device random;
        word_ = text("{}-{}", random(), random());
        for (std::string& seed : seeds_) seed = std::to_string(random() % 1'000'000);
        folder_.write("grading.cu", grading_program(subject.plant->code.file));
    }

    // Builds our part. If that fails, nothing can be said of the copy.
    Ended build_grading() const {
        return run_program({builder_.compiler, "-c", folder_.file("grading.cu"), "-w", "-o", object()}, {},
                           build_seconds, folder_);
    }

    // Builds `source` as `name`, under the name of the copy, which reports show.
    Ended build(const std::string& source, const std::string& name, bool checked) const {
        const std::string copy = std::filesystem::path(path_).filename();
        const bool plain = copy.find_first_of("\"\\\n") == std::string::npos;
        std::filesystem::create_directory(folder_.file(name + ".d"));
        const std::string shown = name + ".d/" + (plain ? copy : "copy.cu");
        folder_.write(shown, source);
        const std::string wrapper =
            folder_.write(name + ".cu", text("#define main main_of_copy\n#include \"{}\"\n", shown));
        const std::string beside = std::filesystem::absolute(path_).parent_path();
        std::vector<std::string> command = {builder_.compiler, wrapper, object(), "-w", "-I", beside, "-o",
                                            folder_.file(name)};
        if (!builder_.sanitizer.empty()) command.insert(command.end(), {"-lineinfo", "-arch=native"});
        else if (checked) command.push_back("-G");
        return run_program(command, {}, build_seconds, folder_);
    }

    // Runs it with the first or the second half of the seeds.
    Ended run(const std::string& name, bool first_half, const std::vector<std::string>& prefix,
              Environment environment) const {
        if (!device_.simulated && !device_.uuid.empty()) environment.push_back({"CUDA_VISIBLE_DEVICES", device_.uuid});
        std::vector<std::string> command = prefix;
        command.insert(command.end(), {folder_.file(name), word_});
        const std::size_t half = std::size(seeds_) / 2, begin = first_half ? 0 : half;
        command.insert(command.end(), seeds_ + begin, seeds_ + begin + half);
        return run_program(command, environment, run_seconds, folder_);
    }

    // "right", or what is wrong with the first seed for which it is not.
    std::string verdict(const Ended& ended, bool first_half) const {
        const std::size_t half = std::size(seeds_) / 2, begin = first_half ? 0 : half;
        for (std::size_t i = begin; i < begin + half; ++i) {
            const std::string line = text("\n{} {} ", word_, seeds_[i]);
            const std::size_t at = ended.output.find(line);
            if (at == std::string::npos)
                return text(
                    "none with seed {} ({})", seeds_[i],
                    ended.status == 124 ? text("ended after {} s", run_seconds) : text("exit status {}", ended.status));
            const std::size_t from = at + line.size();
            const std::string found = ended.output.substr(from, ended.output.find('\n', from) - from);
            if (found != "right") return text("{} with seed {}", found, seeds_[i]);
        }
        return "right";
    }

    // A compiler's messages, without the folder in the copy's name.
    std::string without_folder(std::string messages) const {
        const std::string folder = folder_.file("copy.d/");
        for (std::size_t at = 0; (at = messages.find(folder, at)) != std::string::npos;)
            messages.erase(at, folder.size());
        return messages;
    }

    // Writes the report of a run to a file, for Report to read.
    std::string keep_report(const Ended& ended) const { return folder_.write("report", ended.output); }

private:
    std::string object() const { return folder_.file("grading.o"); }

    const DeviceInfo& device_;
    const Builder& builder_;
    std::string path_, word_, seeds_[6];
    HeldSignals signals_;  // until the folder is gone
    TemporaryFolder folder_{"memcheckdemo"};
};

// The checks that the plant needs, as environment variables of a program built by simcc.
inline Environment checks_of(const Plant& plant) {
    Environment variables = {{"SIMCC_CHECK", "all,leakcheck"}, {"SIMCC_TIMEOUT", "5"}};
    const std::vector<std::string> words = split(plant.simulator_flags, ' ');
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string check = "--check=";
        if (words[i].compare(0, check.size(), check) == 0) variables[0].second = words[i].substr(check.size());
        if (words[i] == "--schedule") variables.push_back({"SIMCC_SCHEDULE", words[i + 1]});
    }
    return variables;
}

// The commands that look for defects: every tool, and the plant's own with the flags that it needs.
inline std::vector<std::vector<std::string>> prefixes(const Plant& plant, const Builder& builder) {
    if (builder.sanitizer.empty()) return {{}};
    std::vector<std::vector<std::string>> all;
    const std::vector<std::string> own = split(plant.flags, ' ');
    for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
        all.push_back({builder.sanitizer, "--tool", tool});
        if (own[1] == tool) all.back().insert(all.back().end(), own.begin() + 2, own.end());
    }
    return all;
}

// Shows the report, to help with the next correction.
inline void show_report(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        if (line.compare(0, 9, "=========") == 0) std::fprintf(stderr, "%s\n", line.c_str());
}

inline void judge_findings(Grade& result, const Plant& plant, const Builder& builder, const Workshop& workshop) {
    std::string found;
    bool judged = true;
    for (const std::vector<std::string>& prefix : prefixes(plant, builder)) {
        const Ended ended = workshop.run("copy", true, prefix, checks_of(plant));
        const Report report(workshop.keep_report(ended));
        judged = judged && (report.is_complete() || !report.findings().empty());
        if (report.is_clean() || !found.empty()) continue;
        found = report.findings().empty() ? "no complete report" : report.findings().front();
        show_report(ended.output);
    }
    result.add("findings", "none", found.empty() ? "none" : found, judged, found.empty());
}

inline void judge_copy(Session& session, Grade& result, const Subject& subject, const std::string& source,
                       const Builder& builder, const Workshop& workshop) {
    const Plant& plant = *subject.plant;
    const std::string compiler = std::filesystem::path(builder.compiler).filename();
    if (const Ended ready = workshop.build_grading(); ready.status != 0) {
        std::fprintf(stderr, "%s", ready.output.c_str());
        session.complain(text("{} does not work, so nothing can be said of the copy", builder.compiler));
        return result.add("build", "builds", "not tried", false, false);
    }
    const Ended built = workshop.build(source, "copy", true);
    result.add("build", "builds", text("{} with {}", built.status == 0 ? "builds" : "does not build", compiler), true,
               built.status == 0);
    if (built.status != 0) {
        std::fprintf(stderr, "%s", workshop.without_folder(built.output).c_str());
        if (built.output.find("undefined") != std::string::npos)
            session.notice(
                "the copy needs run() as --export wrote it: cudaError_t run(const std::vector<int>& in, "
                "std::vector<int>& out)");
        return;
    }
    const Environment no_checks = {{"SIMCC_CHECK", "none"}, {"SIMCC_TIMEOUT", "5"}};
    const std::string verdict = workshop.verdict(workshop.run("copy", true, {}, no_checks), true);
    result.add("result", "right", verdict, true, verdict == "right");

    // A result that is right without the kernels was not computed by them.
    int kernels = 0;
    const std::string empty = with_empty_kernels(source, kernels);
    const Ended emptied = kernels == 0 ? Ended{0, ""} : workshop.build(empty, "empty", false);
    const bool judged = emptied.status == 0;
    const bool works =
        kernels > 0 && judged && workshop.verdict(workshop.run("empty", false, {}, no_checks), false) != "right";
    result.add("kernels", "compute the result",
               kernels == 0 ? "there are none"
               : !judged    ? "cannot be left out"
               : works      ? "compute the result"
                            : "the result is right without them",
               judged, works);
    judge_findings(result, plant, builder, workshop);
}

inline void grade_fix(Session& session, const Subject& subject) {
    const std::string& path = session.own<MemcheckdemoOptions>().copy;
    const std::string source = read_copy(path), file = subject.plant->code.file;
    const Builder builder = builder_for(session, *subject.plant);
    Grade result(session);
    const bool same = to_be_corrected(source) == to_be_corrected(exported_program(file, false, subject.arguments));
    result.add("copy", "changed", same ? "the plant" : "changed", true, !same);
    if (builder.compiler.empty()) {
        session.complain(builder.missing);
        result.add("build", "builds", "not tried", false, false);
    } else {
        judge_copy(session, result, subject, source, builder, Workshop(session, subject, builder, path));
    }
    result.finish();
}

}  // namespace BACKEND

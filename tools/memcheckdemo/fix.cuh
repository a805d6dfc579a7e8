// SPDX-License-Identifier: MIT
// --grade-fix: judges corrected copies of plants with inputs of its own choice and with the checkers. A copy runs in a
// sandbox, and only delivers results: whether they are right is decided here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "common/cuda/device.cuh"
#include "tools/memcheckdemo/grade.cuh"
#include "tools/memcheckdemo/workshop.hpp"

namespace BACKEND {

// nvcc and compute-sanitizer for a defect that one of its tools reports on this GPU, else simcc.
inline Builder builder_for(const Session& session, const Plant& plant) {
    const bool legal = plant.code.faulty == faulty::increment::run && !simulated &&
                       attribute(cudaDevAttrPageableMemoryAccess, session.device.ordinal) != 0;
    if (!simulated) {
        const std::string nvcc = path_of_program("nvcc"), sanitizer = path_of_program("compute-sanitizer");
        if (plant.is_reported() && !legal && !nvcc.empty() && !sanitizer.empty())
            return {nvcc, sanitizer, "", session.device.uuid};
        session.notice(text("simcc judges it, because {}", nvcc.empty()        ? "nvcc is not in PATH"
                                                           : sanitizer.empty() ? "compute-sanitizer is not in PATH"
                                                                               : "no tool reports this defect here"));
    }
    return simulator_builder();
}

// A copy's text; "", and why, if it is none.
inline std::string read_copy(const std::string& path, std::string& why) {
    constexpr std::size_t most = std::size_t{1} << 20;
    std::error_code error;
    const std::filesystem::file_type type = std::filesystem::status(path, error).type();
    std::ifstream file;
    // (A pipe by name could have no writer.)
    const bool is_pipe = path.rfind("/dev/fd/", 0) == 0 && type == std::filesystem::file_type::fifo;
    if (path != "-" && (type == std::filesystem::file_type::regular || is_pipe)) file.open(path, std::ios::binary);
    std::istream& in = path == "-" ? std::cin : file;
    std::string all(most + 1, '\0');
    if (path == "-" || file.is_open()) in.read(all.data(), static_cast<std::streamsize>(all.size()));
    all.resize(static_cast<std::size_t>(in.gcount()));
    why = all.empty() ? "it cannot be read" : all.size() > most ? "it is larger than 1 MiB" : "";
    return why.empty() ? all : "";
}

// ---- a row

enum Aspect { copy, build, result, kernels, findings };
constexpr int aspects = 5;

// What is known of a copy of a plant. What was not tried has no verdict.
struct Score {
    enum Verdict { untried, inconclusive, fail, pass };

    void set(Aspect aspect, Verdict verdict, const std::string& found) {
        verdicts[aspect] = verdict;
        if (verdict != pass && (reason.empty() || (verdict == fail && !any(fail, aspect)))) reason = found;
    }
    bool any(Verdict verdict, int but = aspects) const {
        for (int i = 0; i < aspects; ++i)
            if (i != but && verdicts[i] == verdict) return true;
        return false;
    }
    Verdict verdict() const { return any(fail) ? fail : any(inconclusive) || any(untried) ? inconclusive : pass; }
    // One for each aspect that passes, and none for the plant as it was, or without results.
    long long points() const {
        long long count = 0;
        for (Verdict one : verdicts) count += one == pass;
        return verdicts[copy] == pass && has_results ? count : 0;
    }
    static const char* word(Verdict verdict) {
        constexpr const char* words[] = {"untried", "inconclusive", "fail", "pass"};
        return words[verdict];
    }

    Verdict verdicts[aspects] = {};
    bool has_results = false;  // right or wrong, one for each input
    std::string reason;        // of the first failure, or else of the first doubt
};

// ---- what is judged

// Inputs of the grade's own choice, and the right results.
struct Case {
    std::string seed;
    std::vector<int> in, right;
};

inline std::vector<Case> cases_of(const Plant& plant) {
    constexpr int number = 3;
    static std::random_device random;
    std::vector<Case> cases;
    for (int i = 0; i < number; ++i) {
        const unsigned seed = random() % 1'000'000;
        const std::vector<int> in = plant.code.input(seed);
        cases.push_back({std::to_string(seed), in, plant.code.expected(in)});
    }
    return cases;
}

// What a run is asked for besides results. compute-sanitizer's report stands where these do, so it comes alone.
enum class Last { nothing, proof, no_results };

inline Ended run_cases(Workshop& workshop, const std::vector<Case>& cases, bool with_kernels, Last last,
                       const std::vector<std::string>& prefix, const Environment& environment) {
    std::string inputs;
    std::size_t results = 0;
    if (last == Last::no_results) ask_for_no_results(inputs);
    for (const Case& one : cases) {
        add_input(inputs, one.in, one.right.size());
        results += one.right.size();
    }
    if (last == Last::proof) ask_for_proof(inputs);
    return workshop.run(with_kernels, inputs, results, prefix, environment);
}

// "right", or what is wrong with the first result that is not.
inline std::string judged(const std::vector<Case>& cases, const Ended& ended, const Workshop& workshop) {
    const std::vector<Answer> answers = answers_in(ended.output);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::string limit = workshop.limit_of(ended);
        if (i >= answers.size())
            return text("none with seed {} ({})", cases[i].seed,
                        limit.empty() ? text("exit status {}", ended.status) : limit);
        const auto error = static_cast<cudaError_t>(answers[i].error);
        if (error != cudaSuccess) return text("{} with seed {}", cudaGetErrorName(error), cases[i].seed);
        if (answers[i].out != cases[i].right) return text("wrong with seed {}", cases[i].seed);
    }
    return "right";
}

// The checks that the plant needs, as environment variables of a program built by simcc.
inline Environment checks_of(const Plant& plant) {
    Environment variables = {{"SIMCC_CHECK", "all,leakcheck"}, {"SIMCC_TIMEOUT", "5"}, {"SIMCC_THREADS", "1"}};
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
    if (builder.is_for_simulator()) return {{}};
    std::vector<std::vector<std::string>> all;
    const std::vector<std::string> own = split(plant.flags, ' ');
    for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
        all.push_back({builder.sanitizer, "--tool", tool});
        if (own[1] == tool) all.back().insert(all.back().end(), own.begin() + 2, own.end());
    }
    return all;
}

// Shows the report, to help with the next correction, without the finding that is only a proof.
inline void show_report(const Workshop& workshop, const std::string& output, const std::string& proof) {
    std::istringstream lines(output);
    std::string report, part;
    const auto end_part = [&] {
        if (part.find(proof) == std::string::npos) report += part;
        part.clear();
    };
    for (std::string line; std::getline(lines, line);) {
        if (line.compare(0, 9, "=========") != 0) continue;
        const bool is_summary = line.find(" SUMMARY: ") != std::string::npos;
        if (is_summary || !category_of(line.substr(std::min<std::size_t>(line.size(), 10))).empty()) end_part();
        if (!is_summary) part += line + '\n';  // (it counts the proof)
    }
    end_part();
    std::fprintf(stderr, "%s", workshop.readable(report, 60).c_str());
}

// Judges what the copy builds, and says so once, whatever number of plants it is compared with.
inline bool judge_build(const Session& session, Score& score, const Builder& builder, Workshop& workshop, bool first) {
    const Ended built = workshop.build();
    const std::string compiler = std::filesystem::path(builder.compiler).filename(), limit = workshop.limit_of(built);
    if (built.status == 0) {
        score.set(build, Score::pass, "");
        return true;
    }
    const std::string why = !workshop.refusal().empty() ? "it has words that hide defects"
                            : limit.empty()             ? text("it does not build with {}", compiler)
                                                        : text("{} {}", compiler, limit);
    // (A busy machine may be the reason.)
    score.set(build, built.stop == Stop::time ? Score::inconclusive : Score::fail, why);
    if (!first) return false;
    std::fprintf(stderr, "%s", workshop.readable(built.errors, 40).c_str());
    if (!workshop.refusal().empty()) session.notice(workshop.refusal());
    if (built.stop == Stop::time) session.notice("--limit gives more time");
    if (built.errors.find("undefined") != std::string::npos)
        session.notice(
            "the copy needs run() as --export wrote it: cudaError_t run(const std::vector<int>& in, "
            "std::vector<int>& out)");
    return false;
}

// A result that is right without the kernels was not computed by them. The checkers watch, so that a copy cannot know
// which of its runs is which.
inline void judge_kernels(Score& score, const Plant& plant, const Builder& builder, Workshop& workshop) {
    const Ended& built = workshop.build_without_kernels();
    if (workshop.kernels() == 0) return score.set(kernels, Score::fail, "there are no kernels");
    if (built.status != 0 || !workshop.has_time())
        return score.set(kernels, Score::inconclusive, "its kernels cannot be left out");
    const std::vector<Case> cases = cases_of(plant);
    const Last last = builder.is_for_simulator() ? Last::proof : Last::nothing;
    const Ended ended = run_cases(workshop, cases, false, last, {}, checks_of(plant));
    const bool right = judged(cases, ended, workshop) == "right";
    score.set(kernels, right ? Score::fail : Score::pass, "the result is right without its kernels");
}

inline void judge_findings(Score& score, const Plant& plant, const Harness& harness, Workshop& workshop) {
    std::string found, wrong;
    bool complete = true;
    const bool by_simulator = harness.builder().is_for_simulator();
    for (const std::vector<std::string>& prefix : prefixes(plant, harness.builder())) {
        const std::vector<Case> cases = cases_of(plant);
        const Last last = by_simulator ? Last::proof : Last::no_results;
        const Ended ended = run_cases(workshop, cases, true, last, prefix, checks_of(plant));
        const std::string output = by_simulator ? ended.errors : ended.output + "\n" + ended.errors;
        std::istringstream lines(output);
        Report report(lines);
        const bool proven = !by_simulator || report.leave_out(harness.proof());
        complete = complete && ((proven && report.is_complete()) || !report.findings().empty());
        if (report.is_clean() && proven) {
            if (by_simulator && wrong.empty()) wrong = judged(cases, ended, workshop);
            continue;
        }
        if (!found.empty()) continue;
        const std::string limit = workshop.limit_of(ended);
        found = !report.findings().empty() ? report.findings().front()
                : limit.empty()            ? "no complete report"
                                           : "no complete report (" + limit + ")";
        show_report(workshop, output, harness.proof());
    }
    if (!found.empty())
        return score.set(findings, complete ? Score::fail : Score::inconclusive, workshop.readable(found, 1));
    const bool is_right = wrong.empty() || wrong == "right" || score.verdicts[result] != Score::pass;
    score.set(findings, is_right ? Score::pass : Score::fail, "the result is not right with checkers: " + wrong);
}

inline void judge_runs(Score& score, const Plant& plant, const Harness& harness, Workshop& workshop) {
    if (!workshop.has_time()) return score.set(result, Score::inconclusive, "no time is left: --limit gives more");
    const std::vector<Case> cases = cases_of(plant);
    const Environment no_checks = {{"SIMCC_CHECK", "none"}, {"SIMCC_TIMEOUT", "5"}, {"SIMCC_THREADS", "1"}};
    const Ended ended = run_cases(workshop, cases, true, Last::nothing, {}, no_checks);
    const std::string found = judged(cases, ended, workshop);
    score.set(result, found == "right" ? Score::pass : Score::fail, found);
    if (ended.stop != Stop::no) return;  // the other runs would only take as long
    score.has_results = answers_in(ended.output).size() == cases.size();
    if (score.has_results) judge_kernels(score, plant, harness.builder(), workshop);
    if (workshop.has_time()) judge_findings(score, plant, harness, workshop);
}

// ---- all copies

class Grading {
public:
    // `named` finds a plant by the words that a copy's head has for it.
    Grading(Session& session, Subject (*named)(const std::string&))
        : session_(session),
          named_(named),
          table_(session.output, session.format(), session.options.header,
                 {{"file", "file"},
                  {"plant", "plant"},
                  {"copy", "copy"},
                  {"build", "build"},
                  {"result", "result"},
                  {"kernels", "kernels"},
                  {"findings", "findings"},
                  {"verdict", "verdict"},
                  {"points", "points"},
                  {"reason", "reason"}}) {}

    // Grades a copy of each of these plants, or without any of the one that its head names.
    void grade(const std::string& path, std::vector<Subject> subjects) {
        std::string why;
        const std::string source = read_copy(path, why);
        if (source.empty()) {
            session_.complain(text(
                "cannot read the copy '{}': {}; name a file that --export wrote, or - for standard input", path, why));
            if (subjects.empty()) subjects.push_back({nullptr, "none", ""});
            for (const Subject& subject : subjects) add(path, subject.shown, unknown(copy, why));
            return;
        }
        if (subjects.empty()) {
            try {
                subjects.push_back(named_(arguments_in(source)));
            } catch (const Failure&) {
                session_.complain(text("'{}' does not say in its head which plant it corrects: name the plant", path));
                return add(path, "none", unknown(copy, "it names no plant"));
            }
        }
        std::unique_ptr<Workshop> workshop;
        const Harness* of_workshop = nullptr;
        for (const Subject& subject : subjects) {
            Score score;
            const std::string plant = exported_program(subject.plant->code.file, false, subject.arguments);
            const bool same = to_be_corrected(source) == to_be_corrected(plant);
            score.set(copy, same ? Score::fail : Score::pass, "it is the plant");
            const Harness* const harness = harness_for(builder_for(session_, *subject.plant));
            if (harness == nullptr) {
                score.set(build, Score::inconclusive, "there is no compiler that works");
            } else {
                const bool first = of_workshop != harness;
                const double asked = session_.own<MemcheckdemoOptions>().limit;
                const double seconds = asked > 0 ? asked : harness->builder().is_for_simulator() ? 20 : 120;
                if (first) workshop = std::make_unique<Workshop>(*harness, path, source, seconds);
                of_workshop = harness;
                if (judge_build(session_, score, harness->builder(), *workshop, first))
                    judge_runs(score, *subject.plant, *harness, *workshop);
            }
            add(path, subject.shown, score);
        }
    }

    void finish() {
        table_.flush();
        if (any_failed_) session_.exit_with(Exit::wrong_result);
        else if (any_open_) session_.exit_with(Exit::bad_input);
    }

private:
    static Score unknown(Aspect aspect, const std::string& why) {
        Score score;
        score.set(aspect, Score::inconclusive, why);
        return score;
    }

    // nullptr if it does not work, which is said once.
    const Harness* harness_for(const Builder& builder) {
        for (const auto& one : harnesses_)
            if (one->builder() == builder) return one->failure().empty() ? one.get() : nullptr;
        if (builder.compiler.empty()) {
            if (!missing_said_) session_.complain(builder.missing);
            missing_said_ = true;
            return nullptr;
        }
        harnesses_.push_back(std::make_unique<Harness>(builder));
        const Harness& harness = *harnesses_.back();
        if (!harness.missing_isolation().empty())
            session_.notice(
                text("there is no isolation ({}): copies can read and write files and use the network; only "
                     "limits hold",
                     harness.missing_isolation()));
        if (harness.failure().empty()) return &harness;
        std::fprintf(stderr, "%s", harness.failure().c_str());
        session_.complain(text("{} does not work, so nothing can be said of the copy", builder.compiler));
        return nullptr;
    }

    void add(const std::string& path, const std::string& plant, const Score& score) {
        std::string reason = score.reason.empty() ? "none" : score.reason;
        while (!reason.empty() && reason.back() == '\n') reason.pop_back();
        std::vector<Cell> row = {path, plant};
        for (Score::Verdict verdict : score.verdicts) row.push_back(Score::word(verdict));
        row.insert(row.end(), {Score::word(score.verdict()), score.points(), reason});
        table_.add(row);
        any_failed_ |= score.verdict() == Score::fail;
        any_open_ |= score.verdict() == Score::inconclusive;
    }

    Session& session_;
    Subject (*named_)(const std::string&);
    Table table_;
    std::vector<std::unique_ptr<Harness>> harnesses_;
    bool any_failed_ = false, any_open_ = false, missing_said_ = false;
};

}  // namespace BACKEND

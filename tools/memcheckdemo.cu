// SPDX-License-Identifier: MIT
// memcheckdemo: one planted defect per run, chosen by name, and its corrected twin: for learning compute-sanitizer, and
// for testing the checked simulator.
// make: -O1 (it simulates too little to be worth the compile time of a higher level)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/memcheckdemo/plants.cuh"

#if HOST_PASS

#include "common/cli/registration.cuh"
#include "common/io/process.hpp"
#include "common/measure/random.hpp"
#include "tools/memcheckdemo/fix.cuh"
#include "tools/memcheckdemo/grade.cuh"
#include "tools/memcheckdemo/lab.cuh"
#include "tools/memcheckdemo/plant.cuh"
#include "tools/memcheckdemo/watchdog.cuh"

namespace BACKEND {
namespace {

std::vector<std::string> names_of_plants(const std::string& option);

const Program memcheckdemo_program = {
    .name = "memcheckdemo",
    .summary = "Runs a program with one planted defect, or its corrected twin; without a name, lists them.",
    .operands = "[NAME]...",
    .examples = {"memcheckdemo --list", "memcheckdemo -d sim oob-global-write"},
    .most_operands = SIZE_MAX,  // with --grade-fix
    .benchmark = false,
    .options = own_options<MemcheckdemoOptions>,
    .words = names_of_plants,
    .input_files = false,
};

const std::vector<Plant> all_plants = {
#include "build/plant_table.inc"
};

std::vector<std::string> names_of_plants(const std::string& option) {
    std::vector<std::string> names;
    for (const Plant& plant : all_plants)
        if (option.empty()) names.push_back(plant.name);
    return names;
}

const Plant& plant_of(const std::string& name) {
    std::vector<std::string> names;
    for (const Plant& plant : all_plants) {
        if (name == plant.name) return plant;
        names.push_back(plant.name);
    }
    const std::string nearest = nearest_name(name, names);
    fail(Exit::usage, "unknown plant '{}'{}; {} --list shows them", name,
         nearest.empty() ? "" : "; did you mean '" + nearest + "'?", called("memcheckdemo"));
}

// A seed selects the same plant everywhere: one that a tool and the checked simulator report, and that neither hangs
// nor crashes the process.
const Plant& mystery_plant(std::uint64_t seed) {
    std::vector<const Plant*> candidates;
    for (const Plant& plant : all_plants)
        if (plant.is_reported() && plant.simulator == 'Y' && !plant.hangs &&
            plant.code.faulty != faulty::last_value::run)
            candidates.push_back(&plant);
    return *candidates[random_bits(seed, 0) % candidates.size()];
}

Subject subject_named(const std::string& name) {
    const Plant& plant = plant_of(name);
    return {&plant, plant.name, plant.name};
}

Subject mystery_subject(std::size_t seed) {
    return {&mystery_plant(seed), text("mystery-{}", seed), text("--mystery {}", seed)};
}

// A plant as the head of a copy names it.
Subject subject_in_head(const std::string& words) {
    const std::string mystery = "--mystery ";
    if (words.rfind(mystery, 0) != 0) return subject_named(words);
    char* end = nullptr;
    const unsigned long long seed = std::strtoull(words.c_str() + mystery.size(), &end, 10);
    return *end == '\0' ? mystery_subject(seed) : subject_named(words);
}

// The plants that are asked for; copies of them may be named among the operands.
std::vector<Subject> subjects_of(const Session& session, std::vector<std::string>& copies) {
    const std::optional<std::size_t>& mystery = session.own<MemcheckdemoOptions>().mystery;
    std::vector<Subject> subjects;
    for (const std::string& operand : session.options.operands) {
        const bool is_file = operand == "-" || operand.find_first_of("./") != std::string::npos;
        if (is_file && !copies.empty()) {
            copies.push_back(operand);
            continue;
        }
        if (mystery) fail(Exit::usage, "--mystery chooses by itself: leave '{}' out", operand);
        if (!subjects.empty() && copies.empty())
            fail(Exit::usage, "unexpected operand '{}': only --grade-fix takes several; {} --help shows the usage",
                 operand, called("memcheckdemo"));
        subjects.push_back(subject_named(operand));
    }
    if (mystery) subjects.push_back(mystery_subject(*mystery));
    return subjects;
}

void grade_fixes(Session& session) {
    std::vector<std::string> copies = session.own<MemcheckdemoOptions>().copies;
    const std::vector<Subject> subjects = subjects_of(session, copies);
    if (std::count(copies.begin(), copies.end(), "-") > 1)
        fail(Exit::usage, "only one copy can be standard input, which is read once");
    Grading grading(session, subject_in_head);
    for (const std::string& path : copies) grading.grade(path, subjects);
    grading.finish();
}

const char* word_of(Symptom symptom) {
    switch (symptom) {
        case Symptom::right: return "right";
        case Symptom::wrong: return "wrong";
        case Symptom::refused: return "refused";
        default: return "crash";
    }
}

// The twin's result must be right. The plant's may be anything; that is what it is for.
void run_subject(Session& session, const Subject& subject) {
    const bool fixed = session.own<MemcheckdemoOptions>().fixed;
    announce_run(run_name(subject.shown, fixed), session.options.checks.any());
    Outcome outcome;
    {
        session.begin_step("running " + subject.shown);
        const Watchdog watchdog(session, subject.shown);
        outcome = run_code(subject.plant->code, fixed);
        session.end_step();
    }
    // The simulator ends a hang itself when no lane can go on; that looks like a crash.
    const bool hung = subject.plant->hangs && simulated && outcome.symptom == Symptom::crash;
    Table table(session.output, session.format(), session.options.header,
                {{"plant", "plant"}, {"version", "version"}, {"symptom", "symptom"}, {"detail", "detail"}});
    if (fixed && (outcome.symptom == Symptom::refused || outcome.symptom == Symptom::crash))
        fail(Exit::cuda_error, "{} --fixed: {}; is the device in order? {} shows it", subject.shown, outcome.detail,
             called("devquery"));
    table.add({subject.shown, fixed ? "fixed" : "faulty", hung ? "hang" : word_of(outcome.symptom), outcome.detail});
    table.flush();
    if (hung) session.exit_with(Exit::cuda_error);
    else if (fixed && outcome.symptom != Symptom::right) session.exit_with(Exit::wrong_result);
}

void run(Session& session) {
    const auto& asked = session.own<MemcheckdemoOptions>();
    const struct {
        bool asked;
        void (*answer)(Session&, const Subject&);
    } answers[] = {{asked.command, show_command},    {asked.hint.has_value(), show_hint},
                   {asked.reveal, reveal},           {!asked.report.empty(), grade},
                   {asked.exported, export_program}, {!asked.copies.empty(), nullptr}};
    void (*answer)(Session&, const Subject&) = nullptr;
    int number = 0;
    for (const auto& one : answers) {
        if (!one.asked) continue;
        if (++number > 1)
            fail(Exit::usage, "--command, --hint, --reveal, --grade, --export and --grade-fix exclude each other");
        answer = one.answer;
    }
    if (!asked.twin_report.empty() && asked.report.empty()) fail(Exit::usage, "--twin goes with --grade");
    const bool nothing_asked = session.options.operands.empty() && !asked.mystery && !asked.fixed && number == 0;
    if (session.options.list || nothing_asked) return list_plants(session, all_plants);
    if (!asked.copies.empty()) return grade_fixes(session);
    std::vector<std::string> no_copies;
    const std::vector<Subject> subjects = subjects_of(session, no_copies);
    if (subjects.empty()) fail(Exit::usage, "name a plant; {} --list shows them", called("memcheckdemo"));
    (answer != nullptr ? answer : run_subject)(session, subjects.front());
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(memcheckdemo_program, run)
#endif

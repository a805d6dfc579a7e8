// What memcheckdemo shows the person in the lab: the list, the command, hints, the solution, and a grade for a report.
#pragma once

#include <cstdint>
#include <optional>

#include "common/cli/session.hpp"
#include "tools/memcheckdemo/plant.cuh"
#include "tools/memcheckdemo/report.cuh"

struct MemcheckdemoOptions {
    bool fixed = false, command = false, reveal = false;
    std::optional<int> hint;
    std::optional<std::size_t> mystery;  // its seed
    std::string report, twin_report;     // files; "-" is standard input, "" none

    void add_options(OptionTable& table) {
        table.flag("--fixed", "the corrected twin", fixed);
        table.flag("--command", "print the command that checks NAME here: compute-sanitizer's or the simulator's",
                   command);
        table.choice("--hint", "1|2|3", "print a hint; 3 says the most", hint, {{"1", 1}, {"2", 2}, {"3", 3}});
        table.flag("--reveal", "explain the defect and its cure", reveal);
        table.whole("--mystery", "SEED", "instead of NAME: a plant that is not named", mystery, 0, SIZE_MAX);
        table.input_file("--grade", "LOG",
                         "score a report on NAME by compute-sanitizer or --check; - is standard input", report);
        table.input_file("--twin", "LOG", "with --grade: the report on NAME --fixed", twin_report);
    }
};

namespace BACKEND {

// The plant of a session, and the name it is shown under: --mystery hides the real one.
struct Subject {
    const Plant* plant;
    std::string shown, arguments;  // "oob-shared" and the same; "mystery-7" and "--mystery 7"
};

inline void list_plants(Session& session, const std::vector<Plant>& plants) {
    Table table(session.output, session.format(), session.options.header,
                {{"plant", "plant"},
                 {"class", "class"},
                 {"flags", "compute-sanitizer", 1, 0, 0, 2},
                 {"bare", "bare hardware shows", 1, 0, 0, 3},
                 {"toolkit", "toolkit", 1, 0, 0, 4},
                 {"simulator", "simulator", 1, 0, 0, 5},
                 {"simulator_class", "its class", 1, 0, 0, 6},
                 {"simulator_flags", ""},
                 {"reported", ""},
                 {"line", ""},
                 {"hangs", ""},
                 {"defect", "defect"}});
    for (const Plant& plant : plants)
        table.add({plant.name, plant.category, plant.flags, plant.bare, plant.toolkit, std::string(1, plant.simulator),
                   plant.simulator_category, plant.simulator_flags, static_cast<long long>(plant.is_reported()),
                   static_cast<long long>(plant.is_reported() && plant.named), static_cast<long long>(plant.hangs),
                   plant.defect});
    table.flush();
}

// What a plant says of itself: lines for a person, and also where another format is not asked for; else a row.
inline void show(Session& session, const std::vector<Column>& columns, const std::vector<Cell>& row,
                 const std::string& lines) {
    if (session.options.format.value_or(Format::human) == Format::human) return session.output.write(lines);
    Table table(session.output, session.format(), session.options.header, columns);
    table.add(row);
    table.flush();
}

inline void show_command(Session& session, const Subject& subject) {
    const Plant& plant = *subject.plant;
    const std::string version = session.own<MemcheckdemoOptions>().fixed ? "--fixed " : "";
    const std::string flags = plant.simulator_flags;
    const std::string command =
        simulated ? text("{} --device sim {}{}{}{}", session.program.name,
                         flags.find("--check") == 0 ? "" : "--check ", flags.empty() ? "" : flags + " ", version,
                         subject.arguments)
                  : text("compute-sanitizer {} {} --device gpu {}{}", plant.flags, session.program.name, version,
                         subject.arguments);
    show(session, {{"plant", "plant"}, {"command", "command"}}, {subject.shown, command}, command + '\n');
    if (!simulated && !plant.is_reported())
        session.notice(text("{}: no tool of toolkit 13.0 reports it", subject.shown));
}

inline void show_hint(Session& session, const Subject& subject) {
    const int number = *session.own<MemcheckdemoOptions>().hint;
    const std::string hint = subject.plant->hints[number - 1];
    show(session, {{"plant", "plant"}, {"number", "number"}, {"hint", "hint"}}, {subject.shown, whole(number), hint},
         hint + '\n');
}

// What a checker is to find in a plant.
struct Expected {
    std::string category, report;  // "none" and "": nothing
    Place place;
    bool named;
};

inline Expected expected_of(const Plant& plant, bool by_simulator) {
    if (!by_simulator) return {plant.is_reported() ? plant.category : "none", plant.report, plant.place, plant.named};
    return {plant.simulator_category, plant.report_of_simulator(), plant.place_of_simulator(), true};
}

inline std::string shown(const Place& place) {
    const std::string file = source_name(place.file), first = text("{}:{}", file, place.line);
    return place.other_line == 0 ? first : text("{} and {}:{}", first, file, place.other_line);
}

inline void reveal(Session& session, const Subject& subject) {
    const Plant& plant = *subject.plant;
    const Expected found = expected_of(plant, simulated);
    const std::string report = found.report.empty() ? "none" : found.report;
    show(session, {{"plant", "plant"}, {"defect", "defect"}, {"cure", "cure"}, {"at", "at"}, {"report", "report"}},
         {plant.name, plant.defect, plant.reveal, shown(found.place), report},
         text("{}: {}\n{}\nat: {}\nreport: {}\n", plant.name, plant.defect, plant.reveal, shown(found.place), report));
}

// The rows of a grade. What cannot be judged is inconclusive, and never a pass.
class Grade {
public:
    explicit Grade(Session& session)
        : session_(session),
          table_(session.output, session.format(), session.options.header,
                 {{"aspect", "aspect"}, {"expected", "expected"}, {"found", "found"}, {"verdict", "verdict"}}) {}

    void add(const char* aspect, const std::string& expected, const std::string& found, bool judged, bool passed) {
        table_.add({aspect, expected, found, judged ? passed ? "pass" : "fail" : "inconclusive"});
        any_failed_ |= judged && !passed;
        any_open_ |= !judged;
    }

    void finish() {
        table_.flush();
        if (any_failed_) session_.exit_with(Exit::wrong_result);
        else if (any_open_) session_.exit_with(Exit::bad_input);
    }

private:
    Session& session_;
    Table table_;
    bool any_failed_ = false, any_open_ = false;
};

// Which run a report must be of. One that does not say so could be any program's.
inline void grade_run(Grade& result, const Session& session, const char* aspect, const std::string& path,
                      const Report& report, const std::string& expected) {
    std::string found;
    for (const std::string& run : report.runs()) found += (found.empty() ? "" : " and ") + run;
    result.add(aspect, expected, found.empty() ? "not said" : found, !found.empty(), found == expected);
    if (found.empty())
        session.notice(
            text("{} does not say which run it is of: it needs all that the run writes (>LOG 2>&1), "
                 "the program's own row included, so leave compute-sanitizer's --log-file out",
                 path == "-" ? "standard input" : path));
}

// The finding that is meant: the first of this form, or else the first.
inline std::string finding_of(const Report& report, const std::string& form) {
    for (const std::string& finding : report.findings())
        if (begins_with(finding, form)) return finding;
    return report.findings().empty() ? "none" : report.findings().front();
}

inline void grade_findings(Grade& result, const Report& report, const Expected& expected, bool mystery) {
    const bool judged = report.is_complete();
    if (expected.category == "none") {
        result.add("tool", "none", report.is_clean() ? "none" : category_of(finding_of(report, "")), judged,
                   report.is_clean());
        return;
    }
    const std::string finding = finding_of(report, expected.report);
    const std::string category = report.findings().empty() ? "none" : category_of(finding);
    result.add("tool", expected.category, category, judged, category == expected.category);
    result.add("class", expected.report, finding, judged, begins_with(finding, expected.report));
    const Place& place = expected.place;
    const bool named =
        report.names(place.file, place.line) || (place.other_line && report.names(place.file, place.other_line));
    result.add("line", mystery ? "hidden" : shown(place),
               named            ? "named"
               : expected.named ? "not named"
                                : "not named by the tool",
               judged, named || !expected.named);
}

inline std::string clean_or_not(const Report& report) {
    if (!report.is_complete()) return "incomplete";
    return report.is_clean() ? "clean" : text("{} errors", report.errors());
}

// --grade: the report of a plant, and with --twin that of its twin. A clean report of compute-sanitizer on a plant that
// none of its tools reports is right; the simulator finds all of them.
inline void grade(Session& session, const Subject& subject) {
    const auto& asked = session.own<MemcheckdemoOptions>();
    const std::string& twin = asked.twin_report;
    if (asked.report == "-" && twin == "-") fail(Exit::usage, "standard input can be only one report: plant or twin");
    const Report report(asked.report);
    const Report clean(twin.empty() ? "/dev/null" : twin);  // an empty report is inconclusive
    Grade result(session);
    grade_run(result, session, "run", asked.report, report, run_name(subject.shown, false));
    const bool complete = report.is_complete();
    result.add("summary", "complete", complete ? "complete" : "missing", complete, true);
    grade_findings(result, report, expected_of(*subject.plant, report.is_of_simulator()), bool(asked.mystery));
    if (!twin.empty()) grade_run(result, session, "twin_run", twin, clean, run_name(subject.shown, true));
    result.add("twin", "clean", twin.empty() ? "not given" : clean_or_not(clean), clean.is_complete(),
               clean.is_clean());
    result.finish();
}

}  // namespace BACKEND

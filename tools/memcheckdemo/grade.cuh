// SPDX-License-Identifier: MIT
// The grade for a report that a person has made in the lab.
#pragma once

#include <algorithm>
#include <string>

#include "tools/memcheckdemo/lab.cuh"
#include "tools/memcheckdemo/report.cuh"

namespace BACKEND {

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

// Judges which run a report is of. One that does not say so could be any program's.
inline void grade_run(Grade& result, const Session& session, const char* aspect, const std::string& path,
                      const Report& report, const std::string& expected) {
    std::string found;
    for (const std::string& run : report.runs()) found += (found.empty() ? "" : " and ") + run;
    result.add(aspect, expected, found.empty() ? "not said" : found, !found.empty(), found == expected);
    if (found.empty())
        session.notice(
            text("{} does not say which run it is of: it needs all that the run writes (>LOG 2>&1), "
                 "the program's own row included, so leave compute-sanitizer's --log-file out",
                 input_name(path)));
}

// The finding to judge: the first of this form, or else the first.
inline std::string finding_of(const Report& report, const std::string& form) {
    for (const std::string& finding : report.findings())
        if (begins_with(finding, form)) return finding;
    return report.findings().empty() ? "none" : report.findings().front();
}

inline void grade_findings(Grade& result, const Report& report, const Expected& expected, bool judged, bool mystery) {
    if (expected.category == "none") {
        const bool passed = judged && report.has_found_nothing();
        result.add("tool", "none", passed ? "none" : category_of(finding_of(report, "")), judged, passed);
        return;
    }
    const std::string finding = finding_of(report, expected.report);
    const std::string category = report.findings().empty() ? "none" : category_of(finding);
    result.add("tool", expected.category, category, judged, category == expected.category);
    result.add("class", expected.report, finding, judged, begins_with(finding, expected.report));
    const Place& place = expected.place;
    const bool named = std::any_of(place.lines.begin(), place.lines.end(),
                                   [&](unsigned line) { return report.names(place.file, line); });
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

// --grade: judges the report of a plant, and with --twin that of its twin. A clean report of compute-sanitizer is right
// for a plant that none of its tools reports; the simulator finds all plants.
inline void grade(Session& session, const Subject& subject) {
    const auto& asked = session.own<MemcheckdemoOptions>();
    const std::string& twin = asked.twin_report;
    const Report report(asked.report);
    const Report clean(twin.empty() ? "/dev/null" : twin);  // an empty report is inconclusive
    Grade result(session);
    grade_run(result, session, "run", asked.report, report, run_name(subject.shown, false));
    const Expected expected = expected_of(*subject.plant, report.is_of_simulator());
    const bool complete = report.is_complete();
    // If a plant hangs and no tool reports it, the tool says nothing until the watchdog ends the run.
    const bool hung = subject.plant->hangs && expected.category == "none" && report.is_of_hang(subject.shown);
    result.add("summary", "complete",
               complete ? "complete"
               : hung   ? "ended by the watchdog"
                        : "missing",
               complete || hung, true);
    grade_findings(result, report, expected, complete || hung, bool(asked.mystery));
    if (!twin.empty()) grade_run(result, session, "twin_run", twin, clean, run_name(subject.shown, true));
    result.add("twin", "clean", twin.empty() ? "not given" : clean_or_not(clean), clean.is_complete(),
               clean.is_clean());
    result.finish();
}

}  // namespace BACKEND

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
        table.flag("--command", "print the compute-sanitizer command for NAME", command);
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
                 {"flags", "compute-sanitizer"},
                 {"bare", "bare hardware shows"},
                 {"toolkit", "toolkit"},
                 {"simulator", "simulator"},
                 {"simulator_class", "its class"},
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

inline void show_command(Session& session, const Subject& subject) {
    session.output.write(text("compute-sanitizer {} {} --device gpu {}{}\n", subject.plant->flags, session.program.name,
                              session.own<MemcheckdemoOptions>().fixed ? "--fixed " : "", subject.arguments));
    if (!subject.plant->is_reported()) session.notice(text("{}: no tool of toolkit 13.0 reports it", subject.shown));
}

inline void show_hint(Session& session, const Subject& subject) {
    session.output.write(text("{}\n", subject.plant->hints[*session.own<MemcheckdemoOptions>().hint - 1]));
}

inline std::string shown(const Place& place) {
    const std::string file = source_name(place.file), first = text("{}:{}", file, place.line);
    return place.other_line == 0 ? first : text("{} and {}:{}", first, file, place.other_line);
}

inline void reveal(Session& session, const Subject& subject) {
    const Plant& plant = *subject.plant;
    session.output.write(text("{}: {}\n{}\nat: {}\nreport: {}\n", plant.name, plant.defect, plant.reveal,
                              shown(plant.place), plant.is_reported() ? plant.report : "none"));
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

inline std::string clean_or_not(const Report& report) {
    if (!report.is_complete()) return "incomplete";
    return report.is_clean() ? "clean" : text("{} errors", report.errors());
}

// --grade: the report of a plant, and with --twin that of its twin. A plant that no tool reports is graded by what the
// checked simulator finds; a clean report of a tool is then correct.
inline void grade(Session& session, const Subject& subject) {
    const Plant& plant = *subject.plant;
    const auto& asked = session.own<MemcheckdemoOptions>();
    const std::string& twin = asked.twin_report;
    if (asked.report == "-" && twin == "-") fail(Exit::usage, "standard input can be only one report: plant or twin");
    const Report report(asked.report);
    const Report clean(twin.empty() ? "/dev/null" : twin);  // an empty report is inconclusive
    Grade result(session);
    const bool judged = report.is_complete();
    result.add("summary", "complete", judged ? "complete" : "missing", judged, true);
    if (!plant.is_reported() && report.is_clean()) {
        result.add("tool", "none", "none", judged, true);
    } else {
        const std::string expected = plant.is_reported() ? plant.category : plant.simulator_category;
        const std::string first = report.findings().empty() ? "none" : report.findings().front();
        const std::string category = report.findings().empty() ? "none" : category_of(first);
        result.add("tool", expected, category, judged, category == expected);
        if (plant.is_reported()) result.add("class", plant.report, first, judged, begins_with(first, plant.report));
        const Place& place = plant.place;
        const bool named =
            report.names(place.file, place.line) || (place.other_line && report.names(place.file, place.other_line));
        result.add("line", asked.mystery ? "hidden" : shown(place),
                   named         ? "named"
                   : plant.named ? "not named"
                                 : "not named by the tool",
                   judged, named || !plant.named);
    }
    result.add("twin", "clean", twin.empty() ? "not given" : clean_or_not(clean), clean.is_complete(),
               clean.is_clean());
    result.finish();
}

}  // namespace BACKEND

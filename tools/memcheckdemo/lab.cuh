// SPDX-License-Identifier: MIT
// What memcheckdemo shows the person in the lab: the list, the command, hints, the solution, and the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/process.hpp"
#include "tools/memcheckdemo/plant.cuh"
#include "tools/memcheckdemo/report.cuh"

struct MemcheckdemoOptions {
    bool fixed = false, command = false, reveal = false;
    std::optional<int> hint;
    std::optional<std::size_t> mystery;  // its seed
    std::string report, twin_report;     // files; "-" is standard input, "" none
    bool exported = false;
    std::vector<std::string> copies;  // of exported programs: files, as above
    double limit = 0;                 // seconds; 0: the default

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
        table.flag("--export", "print NAME as a program of one file, to be corrected", exported);
        table.input_files("--grade-fix", "FILE...", "score corrected copies of what --export NAME printed", copies);
        table.number("--limit", "SECONDS",
                     "with --grade-fix: the time for all that is done with one FILE (20; 120 with compute-sanitizer)",
                     limit, 1, 86400);
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

// Shows what is known of a plant: as lines, or as a row if another format is asked for.
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
    const std::string command = simulated ? text("{} --device sim {}{}{}{}", called(session.program.name),
                                                 flags.find("--check") == 0 ? "" : "--check ",
                                                 flags.empty() ? "" : flags + " ", version, subject.arguments)
                                          : text("compute-sanitizer {} {} --device gpu {}{}", plant.flags,
                                                 called(session.program.name), version, subject.arguments);
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

// The faulty line; a race may have two.
struct Place {
    std::string file;
    std::vector<unsigned> lines;
};

// What a checker should find in a plant.
struct Expected {
    std::string category, report;  // "none" and "": nothing
    Place place;
    bool named;
};

inline Expected expected_of(const Plant& plant, bool by_simulator) {
    const Place place{plant.code.file, lines_named(plant.code.file, by_simulator)};
    if (!by_simulator) return {plant.is_reported() ? plant.category : "none", plant.report, place, plant.named};
    return {plant.simulator_category, plant.report_of_simulator(), place, true};
}

inline std::string shown(const Place& place) {
    std::string all;
    for (unsigned line : place.lines) all += text("{}{}:{}", all.empty() ? "" : " and ", place.file, line);
    return all;
}

inline void export_program(Session& session, const Subject& subject) {
    const bool fixed = session.own<MemcheckdemoOptions>().fixed;
    session.output.write(exported_program(subject.plant->code.file, fixed, subject.arguments));
}

inline void reveal(Session& session, const Subject& subject) {
    const Plant& plant = *subject.plant;
    const Expected found = expected_of(plant, simulated);
    const std::string report = found.report.empty() ? "none" : found.report;
    show(session, {{"plant", "plant"}, {"defect", "defect"}, {"cure", "cure"}, {"at", "at"}, {"report", "report"}},
         {plant.name, plant.defect, plant.reveal, shown(found.place), report},
         text("{}: {}\n{}\nat: {}\nreport: {}\n", plant.name, plant.defect, plant.reveal, shown(found.place), report));
}

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// main() of every program: options, then the device, then the backend's run. Failures end here, as one line and a code.
//
// The room is everything between a command line and a run. In come arguments and the description of a program
// (program.hpp), from whose table of options (option_table.hpp) they are read, explained and completed (options,
// completion). Out go a session (session.hpp) on each device that was chosen (devices), and the exit code.
// make: program (it calls the program's run)
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/devices.hpp"
#include "common/cli/forecast.hpp"
#include "common/cli/host_program.hpp"
#include "common/cli/listing.hpp"
#include "common/cli/message.hpp"
#include "common/cli/options.hpp"
#include "common/cli/session.hpp"
#include "common/io/output.hpp"
#include "common/io/process.hpp"
#include "common/io/progress.hpp"
#include "common/io/text.hpp"

// Checking begins before the simulator's first runtime call, which looks for devices.
static ChosenDevice start_checked(const Options& options) {
    simt::check::start(options.checks);
    ChosenDevice chosen = checked_device();
    chosen.device.is_model = options.checks.sample_only;
    return chosen;
}

static bool works_together(const Program& program, const Options& options) {
    return program.gangs == Gangs::always || options.gang;
}

// The command, which must be the same in all processes of a gang.
static std::string command_text(const Program& program, int argc, char** argv) {
    std::string command = program.name;
    for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
    return command;
}

// The other processes of the gang; null if there are none.
using Others = std::unique_ptr<GangTeam>;

// Joins the others, if a launcher has started several. Only one of them speaks.
static void join_others(const Program& program, int argc, char** argv, Options& options, Others& team) {
    team = program.join({command_text(program, argc, argv),
                         [&program, color = options.color](const auto& message) {
                             print_message(program.name, message, color, Weight::error);
                         },
                         [] { simt::check::finish(); }});
    if (!team) return;
    options.team = team.get();
    if (!team->speaks()) options.quiet = true, options.verbose = false, options.progress = When::never;
    team->check_alike();
    if (!options.operands.empty() && !team->has_folder())
        fail(Exit::usage,
             "processes that share a file also need a folder that all of them see: set GRIDUTILS_RENDEZVOUS to one");
    if (!options.predict.gangs.empty() && !team->is_one_machine())
        fail(Exit::usage,
             "--predict assumes that the links of the gangs it measures are within one machine: start the "
             "processes on one machine");
    if (options.checks.counters)
        fail(Exit::usage, "--counters would count only the part of each process: run it in one process, without {}",
             team->launcher());
}

// A usage error in one process ends the others, too.
static bool parse(const Program& program, int argc, char** argv, Options& options, Others& team) {
    try {
        return parse_options(program, argc, argv, options);
    } catch (const Failure&) {
        bool is_gang = program.gangs == Gangs::always;
        for (int i = 1; i < argc; ++i) is_gang |= program.gangs != Gangs::never && std::string(argv[i]) == "--gang";
        if (is_gang) join_others(program, argc, argv, options, team);
        throw;
    }
}

static std::vector<ChosenDevice> devices_for(Options& options, const Program& program, std::string& notice) {
    if (program.needs_no_device && program.needs_no_device(options.own)) return {{&sim::backend(), DeviceInfo{}}};
    if (options.checks.any()) return {start_checked(options)};
    const auto simulator = [&] {
        if (!program.counts_in_simulator) return simulated_device();
        if (!options.versus.empty())
            fail(Exit::usage, "--versus compares times, and in the simulator {} counts; run it on a GPU",
                 called(program.name));
        options.checks.counters = options.counters_implied = true;
        return start_checked(options);
    };
    // Starting a driver may take seconds.
    Progress progress(called(program.name), shown_steps(options));
    progress.begin("looking for GPUs", StepUnit::parts);
    const bool every_device = program.every_device || works_together(program, options);
    return choose_devices(options.device, every_device, options.verbose, notice, simulator);
}

// A user who pipes in numbers without asking the program to read them does not expect a benchmark.
static void point_at_unread_input(const Session& session) {
    const Program& program = session.program;
    struct stat input {};
    if (!session.options.is_bare || program.most_operands == 0 || !program.input_files) return;
    if (fstat(STDIN_FILENO, &input) != 0 || !(S_ISFIFO(input.st_mode) || S_ISREG(input.st_mode))) return;
    session.notice(text("this is a benchmark and does not read standard input; to read it, name it -, as in: {} -{}",
                        called(program.name), program.most_operands > 1 ? " B" : ""));
}

static Exit run(const Program& program, int argc, char** argv, Options& options, Others& team) {
    if (!parse(program, argc, argv, options, team)) return Exit::fine;
    if (is_forecast()) become_forecast(options);
    const bool lists_variants = options.list && program.benchmark;
    if (works_together(program, options) && !lists_variants) join_others(program, argc, argv, options, team);
    std::string notice;
    std::vector<ChosenDevice> devices =
        lists_variants ? std::vector<ChosenDevice>{} : devices_for(options, program, notice);
    std::vector<DeviceInfo> gang;
    if (works_together(program, options) && !devices.empty()) {
        gang = gang_of(devices);
        if (team) gang = team->gang_of(gang);
        devices.resize(1, devices.front());
        for (const DeviceInfo& device : gang) {
            if (device.process != options.team->process()) continue;
            devices.front().device = device;
            break;
        }
        // Each process of a filter works on its part of the input, with its own devices.
        const auto is_another = [&](const DeviceInfo& device) { return device.process != options.team->process(); };
        if (!options.operands.empty()) gang.erase(std::remove_if(gang.begin(), gang.end(), is_another), gang.end());
    }
    // After the checkers have started: a signal first removes the unfinished file, and then they report.
    Output output(options.team->speaks() ? options.output_path : "/dev/null");
    Exit exit = Exit::fine;
    if (devices.size() > 1 && program.benchmark && !options.operands.empty())
        fail(Exit::usage, "a filter runs on one device, but --device {} names {}{}", options.device, devices.size(),
             program.gangs == Gangs::on_request ? "; --gang deals its input to all of them" : "");
    if (lists_variants) {
        const Session session(program, options, DeviceInfo{}, output);
        if (options.published) list_published(session);
        else list_variants(session);
    }
    for (const ChosenDevice& chosen : devices) {
        // Each backend has its own Program: its variants hold that backend's launches.
        Session session(*chosen.backend->program, options, chosen.device, output);
        if (!gang.empty()) session.gang = gang;
        const std::string models = options.operands.empty() ? notice_of_models(gang) : "";
        if (!models.empty()) session.notice(models);
        // A filter that computes on the host needs no GPU: why there is none is only a detail.
        const bool is_filter = program.benchmark && program.input_files && !options.operands.empty();
        if (!notice.empty() && is_filter && session.computes_on_host()) session.detail(notice);
        else if (!notice.empty()) session.notice(notice);
        point_at_unread_input(session);
        PredictedTimes predicted;
        if (wants_forecast(program, options, chosen.device)) {
            session.begin_step("predicting the times on a GPU");
            std::string problem;
            predicted = forecast(options, argv, problem);
            session.end_step();
            if (!problem.empty()) session.detail("some times are not predicted: " + problem);
            options.predicted_times = &predicted;
        } else if (!options.gpu_model.empty() && !options.gang && !is_forecast()) {
            session.notice(chosen.device.simulated ? "--predict: these times are not predicted"
                                                   : "--predict is for the simulator: these times are measured");
        }
        session.begin_step("starting on " + chosen.device.name);
        chosen.backend->run(session);
        options.predicted_times = nullptr;
        if (exit == Exit::fine) exit = session.exit();
        if (session.blocks > 0 && session.variants_that_ran == 0)
            fail(Exit::unavailable, "none of the chosen variants can run here{}",
                 options.verbose ? "" : "; -v says why");
        // In the machine formats, the rows of all devices are one table.
        if (session.format() != Format::human) options.header = false;
    }
    if (options.team->speaks()) output.commit();
    // (If that fails, the others end, too. Until here they would remove the unfinished file.)
    if (team) {
        if (team->has_folder() || team->gathers_by_devices()) static_cast<void>(team->gather(""));
        if (!team->speaks()) output.commit();
        team->finish();
    }
    return exit;
}

// A defect that was found explains whatever else went wrong, so its exit status takes precedence.
int main(int argc, char** argv) {
    const Program& program = *sim::backend().program;
    setenv("SIMCC_PROGRESS", "0", 0);  // our own line says how far a run is
    Options options;
    Others team;
    const Exit exit = run_to_its_end(program, options, [&] { return run(program, argc, argv, options, team); });
    team.reset();
    return static_cast<int>(simt::check::finish() > 0 ? Exit::findings : exit);
}

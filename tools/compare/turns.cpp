// SPDX-License-Identifier: MIT
#include "tools/compare/turns.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <ratio>
#include <string>

#include "common/io/process.hpp"
#include "common/io/text.hpp"
#include "tools/compare/rows.hpp"

namespace compare {
namespace {

// A descriptor of a file that is written.
class Written {
public:
    explicit Written(const std::string& path) : descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600)) {
        if (descriptor_ < 0)
            fail(Exit::cuda_error, "cannot write {}: {}; set TMPDIR to a folder with room", path, std::strerror(errno));
    }
    ~Written() { close(descriptor_); }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

std::string text_in(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t end = text.rfind('\n');
    return printable(end == text.npos ? text : text.substr(end + 1), 300);
}

class Command {
public:
    Command(const std::string& command, const TemporaryFolder& folder, std::size_t index)
        : command_(command), output_(folder.file(text("output-{}", index))), errors_(folder.file("errors")) {}

    const std::string& name() const { return command_; }

    // Runs it once. `counts`: what it prints and how long it takes is kept.
    void run(std::size_t round, bool counts) {
        const auto begin = std::chrono::steady_clock::now();
        const int status = run_to_its_end();
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        if (status != 0) refuse(status, round);
        if (!counts) return;
        wall_ns_.push_back(took.count());
        printed_ += text_in(output_);
        if (!printed_.empty() && printed_.back() != '\n') printed_ += '\n';
        lines_.push_back(std::size_t(std::count(printed_.begin(), printed_.end(), '\n')));
    }

    // What it printed as a table, if it is one that has what is compared.
    std::optional<DataTable> table(const TemporaryFolder& folder, const Settings& settings) const {
        if (printed_.empty()) return std::nullopt;
        try {
            DataTable table = read_table(folder.write("printed", printed_));
            table.name = command_;
            if (table.rows() > 0 && has_values(table, settings)) return table;
        } catch (const Failure&) {
            // (What programs print is mostly not a table.)
        }
        return std::nullopt;
    }

    std::vector<std::size_t> rounds_of(const DataTable& table) const {
        std::vector<std::size_t> rounds;
        for (const std::size_t line : table.lines)
            rounds.push_back(std::size_t(std::lower_bound(lines_.begin(), lines_.end(), line) - lines_.begin()));
        return rounds;
    }

    DataTable wall_times() const {
        DataTable table{command_, {}, {}};
        table.columns.emplace_back(wall_column);
        for (const double time : wall_ns_) {
            table.lines.push_back(table.rows() + 1);
            table.columns.front().add_number(time);
        }
        return table;
    }

    bool printed_nothing() const { return printed_.empty(); }

private:
    int run_to_its_end() const {
        const Written output(output_), errors(errors_);
        ProgramStart how;
        how.output = output.descriptor();
        how.errors = errors.descriptor();
        how.has_input = false;
        const pid_t child = start_program({"sh", "-c", command_}, how);
        if (child == 0) fail(Exit::bad_input, "--run '{}': cannot start a shell: {}", command_, std::strerror(errno));
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        return status;
    }

    [[noreturn]] void refuse(int status, std::size_t round) const {
        const int shell = shell_status(status), signal = shell - 128;  // (a shell says so of its commands, too)
        const std::string how = signal > 0 && signal < NSIG
                                    ? text("was ended by signal {} ({})", signal, strsignal(signal))
                                    : text("failed with exit status {}", shell);
        const std::string said = last_line(text_in(errors_));
        const std::string when = round == 0 ? "in the round that does not count" : text("in round {}", round);
        fail(Exit::bad_input, "--run '{}': {} {}{}", command_, how, when, said.empty() ? "" : ": " + said);
    }

    std::string command_, output_, errors_;
    std::string printed_;             // in all rounds
    std::vector<std::size_t> lines_;  // of it, at the end of each round
    std::vector<double> wall_ns_;
};

}  // namespace

Turns take_turns(Session& session) {
    const Settings& settings = session.own<Settings>();
    const TemporaryFolder folder("compare");
    std::vector<Command> commands;
    for (const std::string& command : settings.commands) commands.emplace_back(command, folder, commands.size());
    std::vector<std::size_t> order(commands.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random{std::random_device{}()};
    StepCount& step = session.begin_step("running");
    step.total = (settings.pairs + 1) * commands.size();
    for (std::size_t round = 0; round <= settings.pairs; ++round) {
        if (round % 2 != 0) std::shuffle(order.begin(), order.end(), random);
        else std::reverse(order.begin(), order.end());
        for (const std::size_t command : order) {
            commands[command].run(round, round > 0);
            ++step.done;
        }
    }
    session.end_step();
    Turns turns;
    const bool asks_for_times = settings.values == std::vector<std::string>{wall_column};
    for (const Command& command : commands) {
        std::optional<DataTable> table = asks_for_times ? std::nullopt : command.table(folder, settings);
        if (!table && !settings.values.empty() && !asks_for_times)
            fail(Exit::bad_input, "--run '{}': printed {}; --value wall_ns compares how long it takes", command.name(),
                 command.printed_nothing() ? "nothing" : "no table with " + list_text(settings.values, "and"));
        if (!table) {
            turns.are_wall_times = true;
            break;
        }
        turns.rounds.push_back(command.rounds_of(*table));
        turns.tables.push_back(std::move(*table));
    }
    if (!turns.are_wall_times) return turns;
    turns = {};
    turns.are_wall_times = true;
    for (const Command& command : commands) {
        turns.tables.push_back(command.wall_times());
        turns.rounds.emplace_back(settings.pairs);
        std::iota(turns.rounds.back().begin(), turns.rounds.back().end(), std::size_t{0});
    }
    return turns;
}

}  // namespace compare

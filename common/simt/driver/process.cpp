// SPDX-License-Identifier: MIT
#include "common/simt/driver/process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io/process.hpp"

namespace simcc {
namespace {

// Written by a signal handler, so they must be globals.
volatile std::sig_atomic_t caught_signal = 0;
volatile std::sig_atomic_t running_children[1 + most_apart] = {};  // the first is a program that runs by itself

// A signal that is sent is meant for the whole compilation. One that the processor raises is a bug in simcc itself.
void pass_on(int signal, siginfo_t* information, void*) {
    const bool is_abort = signal == SIGABRT && information->si_pid == getpid();
    const bool is_crash = is_abort || (information->si_code > 0 && information->si_code != SI_KERNEL);
    if (is_crash) {
        std::signal(signal, SIG_DFL);
        return;
    }
    caught_signal = signal;
    for (const std::sig_atomic_t child : running_children) {
        if (child != 0) kill(static_cast<pid_t>(child), signal);
    }
}

/// While this object lives, signals that end a program are passed on to the child.
class Child {
public:
    explicit Child(pid_t child, std::size_t place = 0) : place_(place) {
        running_children[place] = child;
        if (child != 0 && caught_signal != 0) kill(child, caught_signal);  // it came before the child was known
    }
    ~Child() { running_children[place_] = 0; }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

private:
    const std::size_t place_;
};

/// Starts the command. Returns 0 if it cannot be started.
pid_t start(const Command& command, const ProgramStart& how, Complaint complaint) {
    const pid_t child = start_program(command, how);
    if (child == 0 && complaint == Complaint::printed) {
        const char* const reason = std::strerror(errno);
        const std::string name = called("simcc");
        std::fprintf(stderr, "%s: cannot run %s: %s; set CXX to the compiler to use\n", name.c_str(),
                     command.front().c_str(), reason);
    }
    return child;
}

/// Calls take(text) with each piece of text that comes through a pipe, until its end.
template <typename Take>
void read_all(int pipe, Take take) {
    char buffer[4096];
    for (ssize_t length = 0; (length = read(pipe, buffer, sizeof buffer)) > 0 || (length < 0 && errno == EINTR);) {
        if (length > 0) take(std::string_view(buffer, static_cast<std::size_t>(length)));
    }
    close(pipe);
}

ExitCode wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return {127};
    }
    return {shell_status(status)};
}

}  // namespace

namespace {

/// g++ does not pass a signal on to the compiler proper, which would go on: what it leaves behind becomes our child.
void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

/// Passes the signal on to those children, and waits for them.
void end_orphans() {
    std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
    for (pid_t child = 0; list >> child;) {
        kill(child, caught_signal);
        wait_for(child);
    }
}

}  // namespace

ExitCode run(const Command& command, Progress* progress, const std::string& temporary_folder) {
    int ends[2] = {-1, -1};
    const bool is_relayed = progress && progress->is_enabled() && pipe2(ends, O_CLOEXEC) == 0;
    ProgramStart how;
    how.errors = ends[1];
    if (!temporary_folder.empty()) how.additions = {{"TMPDIR", temporary_folder}};
    const pid_t child = start(command, how, Complaint::printed);
    if (is_relayed) close(ends[1]);
    const Child running(child);
    if (is_relayed) {
        read_all(ends[0], [progress](std::string_view text) {
            progress->hide();
            std::fwrite(text.data(), 1, text.size(), stderr);
        });
    }
    if (child == 0) return {127};
    const ExitCode ended = wait_for(child);
    if (caught_signal != 0) end_orphans();
    return ended;
}

namespace {

/// Runs act(index) in a process of its own, which leaves nothing behind but what it writes; its standard error goes to
/// an unnamed file. Returns 0 if the system allows no more processes.
pid_t start_apart(std::size_t index, const std::FILE* errors, const std::function<int(std::size_t)>& act) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child != 0) return std::max(child, 0);
    for (volatile std::sig_atomic_t& other : running_children) other = 0;
    adopt_orphans();
    dup2(fileno(const_cast<std::FILE*>(errors)), STDERR_FILENO);
    const int status = act(index);
    std::fflush(nullptr);
    _exit(status);
}

void show(std::FILE* errors) {
    std::rewind(errors);
    char buffer[4096];
    for (std::size_t length = 0; (length = std::fread(buffer, 1, sizeof buffer, errors)) > 0;)
        std::fwrite(buffer, 1, length, stderr);
    std::fclose(errors);
}

}  // namespace

int run_apart(std::size_t count, unsigned most, const std::function<int(std::size_t)>& act) {
    struct Process {
        std::FILE* errors;
        std::unique_ptr<Child> running;
        pid_t child;
    };
    std::deque<Process> processes;
    int status = 0;
    const auto await_first = [&] {
        Process first = std::move(processes.front());
        processes.pop_front();
        const int ended = first.child == 0 ? 127 : wait_for(first.child).value;
        first.running.reset();
        show(first.errors);
        status = std::max(status, ended);
    };
    most = std::min(most, most_apart);
    for (std::size_t i = 0; i < count && status == 0 && caught_signal == 0; ++i) {
        std::FILE* const errors = std::tmpfile();
        if (!errors) {
            std::perror(called("simcc").c_str());
            status = std::max(status, 127);
            break;
        }
        const pid_t child = start_apart(i, errors, act);
        processes.push_back({errors, std::make_unique<Child>(child, 1 + i % most), child});
        if (processes.size() == most) await_first();
    }
    while (!processes.empty()) await_first();
    return status;
}

std::string output_of(const Command& command, Complaint complaint) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "";
    ProgramStart how;
    how.output = ends[1];
    const pid_t child = start(command, how, complaint);
    close(ends[1]);
    const Child running(child);
    std::string text;
    read_all(ends[0], [&text](std::string_view piece) { text += piece; });
    if (child == 0 || !wait_for(child).ok()) return "";
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string output_in_silence(const Command& command) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return "";
    ProgramStart how;
    how.output = ends[1];
    how.errors = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const pid_t child = start(command, how, Complaint::none);
    close(ends[1]);
    if (how.errors >= 0) close(how.errors);
    const Child running(child);
    std::string text;
    read_all(ends[0], [&text](std::string_view piece) { text += piece; });
    if (child != 0) wait_for(child);
    return text;
}

void catch_signals() {
    adopt_orphans();
    struct sigaction action = {}, previous = {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    for (int signal = 1; signal < NSIG; ++signal) {
        // Signals that the caller ignores stay ignored, as under nohup.
        if (!ends_programs(signal) || sigaction(signal, nullptr, &previous) != 0 || previous.sa_handler == SIG_IGN) {
            continue;
        }
        sigaction(signal, &action, nullptr);
    }
}

int interrupted_by() { return caught_signal; }

void end_as_interrupted() {
    std::signal(caught_signal, SIG_DFL);
    std::raise(caught_signal);
}

std::string quoted(const Command& command) {
    std::string line;
    for (const std::string& argument : command) {
        const bool plain =
            !argument.empty() && argument.find_first_of(" \t\n\"'\\$`*?[](){}<>|&;#~") == std::string::npos;
        std::string text = plain ? argument : "'";
        if (!plain) {
            for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
            text += '\'';
        }
        line += (line.empty() ? "" : " ") + text;
    }
    return line;
}

}  // namespace simcc

// SPDX-License-Identifier: MIT
#include "tools/memcheckdemo/process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "common/io/text.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Written by a signal handler, so it must be a global.
volatile std::sig_atomic_t caught_signal = 0;

void remember(int signal) { caught_signal = signal; }

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Waits for the child. Returns its status as waitpid() reports it. At `end`, or at a signal, the child and all that it
// has started are asked to end, which lets compilers clean up, and then killed.
int wait_for(pid_t child, Clock::time_point end, bool& too_long) {
    constexpr std::chrono::seconds grace{2};
    int status = 0;
    bool asked = false;
    too_long = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!asked && (caught_signal != 0 || Clock::now() > end)) {
            too_long = caught_signal == 0;
            asked = true;
            end = Clock::now() + grace;
            kill(-child, SIGTERM);
        } else if (asked && Clock::now() > end) {
            kill(-child, SIGKILL);
        }
        usleep(2000);
    }
    return status;
}

}  // namespace

Ended run_program(const std::vector<std::string>& command, const Environment& additions, int seconds,
                  const TemporaryFolder& folder) {
    const std::string log = folder.file("output");
    bool too_long = false;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
    ProgramStart how;
    how.log = log;
    how.additions = additions;
    how.is_group = true;
    const pid_t child = start_program(command, how);
    if (child == 0) fail(Exit::bad_input, "cannot run {}: {}", command[0], std::strerror(errno));
    const int status = wait_for(child, end, too_long);
    if (caught_signal != 0) fail(Exit::bad_input, "interrupted while {} ran", command[0]);
    return {too_long ? 124 : shell_status(status), contents(log)};
}

HeldSignals::HeldSignals() {
    struct sigaction action = {};
    action.sa_handler = remember;
    for (std::size_t i = 0; i < std::size(signals_); ++i) sigaction(signals_[i], &action, &previous_[i]);
}

HeldSignals::~HeldSignals() {
    for (std::size_t i = 0; i < std::size(signals_); ++i) sigaction(signals_[i], &previous_[i], nullptr);
    if (caught_signal != 0) std::raise(caught_signal);
}

// SPDX-License-Identifier: MIT
// Notes signals that would end the program, so that a process of a gang can tell the others before the signal ends it.
#pragma once

#include <csignal>

class EndingSignals {
public:
    // Signals that the caller ignores stay ignored. SIGQUIT still ends the program at once. SIGXFSZ does not: a write
    // beyond the limit fails, and the writer reports that.
    EndingSignals();
    // Signals end the program again. One that has been noted does so now.
    ~EndingSignals();
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;

    // The first signal that has come; 0 if none has.
    static int noted();

    // Like std::quick_exit(), but the signal ends the process.
    [[noreturn]] static void end_by(int signal);

private:
    static constexpr int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
    struct sigaction previous_[sizeof signals / sizeof *signals] = {};
};

// Signals that end programs are noted instead, so that a process of a gang can take its leave before it ends by one.
#pragma once

#include <csignal>

class EndingSignals {
public:
    // Those that the caller ignores stay ignored. SIGQUIT still ends the program at once. SIGXFSZ does not: a write beyond
    // the limit fails, and whoever writes says so.
    EndingSignals();
    // They end the program again, and one that has come does so now.
    ~EndingSignals();
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;

    // The first that has come; 0: none.
    static int noted();

    // As std::quick_exit() does, but by the signal.
    [[noreturn]] static void end_by(int signal);

private:
    static constexpr int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
    struct sigaction previous_[sizeof signals / sizeof *signals] = {};
};

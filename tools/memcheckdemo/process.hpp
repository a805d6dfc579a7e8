// SPDX-License-Identifier: MIT
// One run of another program.
#pragma once

#include <csignal>
#include <iterator>
#include <string>
#include <vector>

#include "common/io/process.hpp"

// While it lives, a signal that ends a program is held: it ends the run of another program, and then, once this object
// is gone, this one.
class HeldSignals {
public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

private:
    static constexpr int signals_[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};

    struct sigaction previous_[std::size(signals_)];
};

struct Ended {
    int status;          // as in a shell; 124 if it took too long and was ended
    std::string output;  // of both streams
};

// Runs a program with these additions to the environment, and with empty standard input.
Ended run_program(const std::vector<std::string>& command, const Environment& additions, int seconds,
                  const TemporaryFolder& folder);

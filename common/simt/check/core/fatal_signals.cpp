// SPDX-License-Identifier: MIT
#include "common/simt/check/core/fatal_signals.hpp"

#include <signal.h>

#include <atomic>

#include "common/simt/check/core/settings.hpp"

namespace simt::check {
namespace {

constexpr int fatal_signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT};

// The program is lost anyway. If printing fails because the signal came at a bad moment, a second signal ends it.
void on_fatal_signal(int number) {
    static std::atomic<bool> is_ending{false};
    signal(number, SIG_DFL);
    if (!is_ending.exchange(true)) finish();
    raise(number);
}

}  // namespace

void catch_fatal_signals() {
    for (const int number : fatal_signals) {
        struct sigaction previous = {}, action = {};
        action.sa_handler = on_fatal_signal;
        action.sa_flags = SA_NODEFER;
        if (sigaction(number, nullptr, &previous) != 0 || previous.sa_handler != SIG_DFL) continue;
        sigaction(number, &action, nullptr);
    }
}

}  // namespace simt::check

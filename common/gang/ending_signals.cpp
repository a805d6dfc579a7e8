// SPDX-License-Identifier: MIT
#include "common/gang/ending_signals.hpp"

#include <atomic>
#include <cstdlib>
#include <iterator>

namespace {

// (A signal handler can only reach globals.)
std::atomic<int> first_signal, signal_to_end_by;
std::atomic<bool> is_noting;

void raise_as_it_is(int signal) {
    sigset_t only = {};
    sigemptyset(&only);
    sigaddset(&only, signal);
    std::signal(signal, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    raise(signal);
}

// (A handler that was installed later may call this one, even after we have stopped noting signals.)
void note_signal(int signal) {
    int none = 0;
    if (is_noting) first_signal.compare_exchange_strong(none, signal);
    else raise_as_it_is(signal);
}

void raise_at_exit() {
    if (signal_to_end_by != 0) raise_as_it_is(signal_to_end_by);
}

}  // namespace

EndingSignals::EndingSignals() {
    // (Functions run in reverse order of registration: others remove their files before this one raises the signal.)
    static const int is_registered = std::at_quick_exit(raise_at_exit);
    static_cast<void>(is_registered);
    is_noting = true;
    for (std::size_t i = 0; i < std::size(signals); ++i) {
        struct sigaction action = {};
        action.sa_handler = signals[i] == SIGXFSZ ? SIG_IGN : note_signal;
        action.sa_flags = SA_RESTART | SA_ONSTACK;
        sigaction(signals[i], nullptr, &previous_[i]);
        if (previous_[i].sa_handler == SIG_DFL) sigaction(signals[i], &action, nullptr);
    }
}

EndingSignals::~EndingSignals() {
    for (std::size_t i = 0; i < std::size(signals); ++i) {
        struct sigaction now = {};
        sigaction(signals[i], nullptr, &now);
        if (now.sa_handler == note_signal || now.sa_handler == SIG_IGN) sigaction(signals[i], &previous_[i], nullptr);
    }
    is_noting = false;
    if (noted() != 0) end_by(noted());
}

int EndingSignals::noted() { return first_signal; }

void EndingSignals::end_by(int signal) {
    signal_to_end_by = signal;
    std::quick_exit(128 + signal);
}

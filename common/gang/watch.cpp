// SPDX-License-Identifier: MIT
#include "common/gang/watch.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/gang/ending_signals.hpp"
#include "common/io/text.hpp"

// How many seconds a failed process may take to clean up: freeing may wait for ranks that are gone.
constexpr double longest_clean_up = 4;

Watch::Watch(Contact& contact, std::size_t process, std::function<void(const std::string&)> say,
             std::function<void()> last_words)
    : contact_(contact), process_(process), say_(std::move(say)), last_words_(std::move(last_words)) {
    thread_ = std::thread([this] {
        const std::chrono::duration<double> pause(contact_.seconds_between_looks());
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, pause, [this] { return is_over_; })) look();
    });
}

Watch::~Watch() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

// (This does not flush a half-written row, and removes an unfinished file.)
void Watch::end_with(Exit exit) {
    contact_.leave();
    std::quick_exit(static_cast<int>(exit));
}

void Watch::end_by(int signal) {
    contact_.leave();
    last_words_();
    EndingSignals::end_by(signal);
}

void Watch::look() {
    contact_.beat();
    if (const int signal = EndingSignals::noted()) {
        contact_.declare({process_, Exit::cuda_error, "", signal});
        end_by(signal);
    }
    auto failure = contact_.declared();
    if (!failure) {
        const auto lost = contact_.lost();
        if (!lost) return;
        const std::string host = contact_.host_of(*lost);
        const std::string message = text("rank {}{} has ended without a word: it was killed, or crashed", *lost,
                                         host.empty() ? "" : " (" + host + ")");
        const Declared declared = {*lost, Exit::cuda_error, message};
        failure = contact_.declare(declared);
        if (failure->process == *lost && failure->message == message) say_(message);
    }
    if (failure->signal != 0) end_by(failure->signal);
    if (failure->process != process_) end_with(failure->exit);
    if (++looks_at_own_failure_ * contact_.seconds_between_looks() > longest_clean_up) end_with(failure->exit);
}

// SPDX-License-Identifier: MIT
// make: simcc (which links this file without the rest of the room, and so without its libraries)
#include "common/io/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <limits>
#include <system_error>

#include "common/io/quantities.hpp"
#include "common/io/terminal.hpp"

static bool is_wanted(ShowSteps show) {
    return show == ShowSteps::when_long ? isatty(STDERR_FILENO) && !is_dumb_terminal() : show == ShowSteps::always;
}

Progress::Progress(const std::string& program, ShowSteps show)
    : program_(program), always_(show == ShowSteps::always), enabled_(is_wanted(show)) {}

Progress::~Progress() {
    end();
    {
        const std::lock_guard lock(mutex_);
        done_ = true;
    }
    changed_.notify_all();
    if (drawer_.joinable()) drawer_.join();
}

StepCount& Progress::begin(const std::string& what, StepUnit unit) {
    end();
    const std::lock_guard lock(mutex_);
    count_.done = count_.total = 0;
    count_.most_seconds = 0;
    if (!enabled_) return count_;
    what_ = what;
    unit_ = unit;
    begin_ = Clock::now();
    if (always_) draw();
    if (!drawer_.joinable()) {
        // Signals are for the threads that do the work, so this one blocks them.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            drawer_ = std::thread([this] { keep_drawing(); });
        } catch (const std::system_error&) {
            enabled_ = always_;  // no more threads: steps are shown when they begin, or not at all
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    return count_;
}

void Progress::end() {
    const std::lock_guard lock(mutex_);
    what_.clear();
    erase();
}

void Progress::hide() {
    const std::lock_guard lock(mutex_);
    erase();
}

void Progress::keep_drawing() {
    std::unique_lock lock(mutex_);
    while (!done_) {
        changed_.wait_for(lock, std::chrono::milliseconds(250));
        if (!what_.empty() && Clock::now() - begin_ >= std::chrono::seconds(1)) draw();
    }
}

std::string Progress::line() const {
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
    const std::size_t done = count_.done, total = count_.total;
    const bool bytes = unit_ == StepUnit::bytes;
    const auto shown = [&](std::size_t count) { return bytes ? human_bytes(double(count)) : std::to_string(count); };
    std::string line = program_ + ": " + what_;
    if (total > 0) line += ": " + shown(done) + " of " + shown(total);
    else if (done > 0) line += ": " + shown(done);
    if (elapsed < 0.5) return line;
    if (bytes && done > 0) line += ", " + human_bytes(double(done) / elapsed) + "/s";
    line += ", " + human_duration(elapsed);
    const double limit = count_.most_seconds;
    double left = limit > 0 ? std::max(limit - elapsed, 0.0) : std::numeric_limits<double>::infinity();
    if (total > 0 && done > 0 && done <= total) left = std::min(left, elapsed * double(total - done) / double(done));
    return std::isinf(left) ? line : line + ", " + human_duration(left) + " left";
}

void Progress::draw() {
    std::string now = line();
    const std::size_t width = line_width(STDERR_FILENO);
    if (width != no_limit && now.size() >= width) now.resize(width - 1);
    erase();
    std::fputs(now.c_str(), stderr);
    std::fflush(stderr);
    shown_ = now.size();
}

void Progress::erase() {
    if (shown_ == 0) return;
    if (is_dumb_terminal()) std::fprintf(stderr, "\r%*s\r", static_cast<int>(shown_), "");
    else std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    shown_ = 0;
}

// SPDX-License-Identifier: MIT
// One line on standard error that says what is running and how far it is, for steps of more than a second. (simcc links
// progress.cpp without the rest of common/io, and so without its libraries.)
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

#include "common/io/quantities.hpp"

enum class ShowSteps {
    when_long,  // of more than a second, on a terminal
    always,
    never,
};

class Progress {
public:
    Progress(const std::string& program, ShowSteps show);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Ends the last step and begins one. It is shown once it has taken a second, or at once if progress was requested.
    StepCount& begin(const std::string& what, StepUnit unit);
    void end();
    // Clears the line for other output; it comes back while the step goes on.
    void hide();
    bool is_enabled() const { return enabled_; }

private:
    using Clock = std::chrono::steady_clock;

    void keep_drawing();
    void draw();
    void erase();
    std::string line() const;

    const std::string program_;
    const bool always_;
    bool enabled_;
    std::mutex mutex_;  // for everything below
    std::condition_variable changed_;
    std::string what_;  // "" between steps
    StepUnit unit_ = StepUnit::parts;
    StepCount count_;
    Clock::time_point begin_;
    std::size_t shown_ = 0;  // characters of the line that is on the screen
    bool done_ = false;
    std::thread drawer_;
};

// One line on standard error that says what is running, for runs of more than a second; cleared when they end.
#pragma once

#include <chrono>
#include <string>

#include "common/cli/options.hpp"

class Progress {
public:
    explicit Progress(const Options& options);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const std::string& line);
    void clear();

private:
    bool enabled_, shown_ = false;
    std::chrono::steady_clock::time_point begin_;
};

// SPDX-License-Identifier: MIT
// Runs programs that nobody trusts, such as what a student hands in and the compiler that reads it. All that such a
// program starts ends with it, what it uses has limits, and what it prints is only text for its caller.
//
// Where the system allows it, without root's rights in namespaces of its own, it has no network, sees no processes but
// its own, and finds no files but those that its caller names, read-only, and a working folder in memory. Elsewhere only
// the limits hold. As root it runs as the user nobody.
//
// While it runs, the calling process may start no other children: they would be ended.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "common/io/process.hpp"

// While it lives, a signal that ends a program is held: it ends the run in a sandbox, and then, once this object is
// gone, this program.
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

struct Limits {
    unsigned processor_seconds = 10;            // of each process
    std::size_t memory = 0;                     // bytes of addresses of each process; 0: no limit
    std::size_t file = std::size_t{1} << 28;    // bytes of each file
    std::size_t output = std::size_t{1} << 20;  // bytes of each of its two streams
    bool starts_processes = true;  // if not, it has threads alone: no fork(), no sockets, no signals to others
};

struct Task {
    std::vector<std::string> command;  // its first word is a path
    Environment environment;           // all of it, apart from TMPDIR, which is the working folder
    std::string input;                 // standard input: a file of the sandbox; "": there is nothing to read
    std::vector<std::string> results;  // the files that it leaves in its working folder and that are kept
    Limits limits;
};

// Which limit ended a program.
enum class Stop { no, time, processor_time, output };

struct Ended {
    int status = 0;              // as in a shell
    std::string output, errors;  // its two streams
    Stop stop = Stop::no;
};

class Sandbox {
public:
    using Clock = std::chrono::steady_clock;

    // `readable`: the files and folders that programs may read, besides those of the system and of this sandbox.
    Sandbox(const std::string& name, const std::vector<std::string>& readable);

    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    // Why programs are not isolated, "" if they are.
    const std::string& missing() const { return missing_; }

    // The sandbox's own files, which its programs can read: inputs, and the results of tasks.
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    std::string write(const std::string& name, const std::string& text) const;
    // The working folder, as programs see it. It is empty when one begins.
    std::string working_folder() const { return file("work"); }

    // Runs a program until `end` at the latest. Failure(bad_input) if it cannot be started, or at a signal.
    Ended run(const Task& task, Clock::time_point end) const;

private:
    HeldSignals signals_;  // until the folder is gone
    TemporaryFolder folder_;
    std::string path_;  // the folder's, without links
    std::vector<std::string> readable_;
    bool isolated_ = false;
    std::string missing_;
};

// SPDX-License-Identifier: MIT
// How simcc runs other programs, and handles signals meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/io/progress.hpp"

namespace simcc {

using Command = std::vector<std::string>;

/// An exit code as in shells: the program's own, 128 + N if signal N ended it, or 127 (and a message) if it did not
/// start.
struct ExitCode {
    int value;
    bool ok() const { return value == 0; }
};

/// From now on, a signal that would end simcc is remembered instead, and passed on to the program that it runs.
void catch_signals();

/// The signal that asked simcc to stop, or 0.
int interrupted_by();

/// Ends simcc by that signal, to be called after cleaning up.
void end_as_interrupted();

/// Runs a program found through PATH, without a shell, and waits for it. If `progress` is enabled, the program's
/// standard error goes through simcc, so that the two do not mix. `temporary_folder`, if any, becomes its TMPDIR: g++
/// leaves files there if some signals end it.
ExitCode run(const Command& command, Progress* progress = nullptr, const std::string& temporary_folder = "");

/// Calls act(0) to act(count - 1), each in a process of its own, `most` at a time. What they print on standard error
/// comes in their order. Returns the highest of their exit codes; after one that is not 0, no further ones start.
int run_apart(std::size_t count, unsigned most, const std::function<int(std::size_t)>& act);
constexpr unsigned most_apart = 64;

/// Whether to print a message if a program cannot be started.
enum class Complaint { printed, none };

/// The program's standard output without the last newline; empty if it fails.
std::string output_of(const Command& command, Complaint complaint = Complaint::printed);

/// The same, whether it fails or not, and without its messages.
std::string output_in_silence(const Command& command);

/// The command in shell syntax, for -v.
std::string quoted(const Command& command);

}  // namespace simcc

// SPDX-License-Identifier: MIT
// The exit codes every program shares, and the exception that carries one to main.
#pragma once

#include <stdexcept>
#include <string>

enum class Exit : int {
    fine = 0,
    wrong_result = 1,
    usage = 2,
    cuda_error = 3,
    bad_input = 4,
    output_error = 5,
    unavailable = 77,  // no driver, no device, or a device that lacks what was asked for
    findings = 86,     // the checked simulator found a defect, whatever else went wrong
};

// A message for the user: what failed, where, and what to do. main() prefixes the program's name.
class Failure : public std::runtime_error {
public:
    Failure(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
    Exit exit() const { return exit_; }

private:
    Exit exit_;
};

// SPDX-License-Identifier: MIT
// A program without kernels is a tools/NAME.cpp whose main() calls run_host_program(). It looks for no device, and
// links neither a backend nor the simulator. Options, files, messages and exit codes are the same as in all programs.
#pragma once

#include "common/cli/session.hpp"

// `program` has has_kernels and benchmark set to false. run(session) writes to session.output, which is committed when
// it returns; the session's device is meaningless. Returns the exit status.
int run_host_program(const Program& program, void (*run)(Session&), int argc, char** argv);

// Calls `run`. A failure becomes one message and its exit code; in a team of processes, the team decides which.
Exit run_to_its_end(const Program& program, const Options& options, Exit (*run)(const void* context),
                    const void* context);
// (Not a std::function: creating one may allocate memory before failures are caught.)
template <typename Run>
Exit run_to_its_end(const Program& program, const Options& options, const Run& run) {
    return run_to_its_end(
        program, options, [](const void* context) { return (*static_cast<const Run*>(context))(); }, &run);
}

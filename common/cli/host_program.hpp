// A program without kernels is a tools/NAME.cpp whose main() is run_host_program(): no device is looked for, and neither a
// backend nor the simulator is linked. Options, files, messages and exit codes are those of all programs.
#pragma once

#include "common/cli/session.hpp"

// `program` has has_kernels and benchmark set to false. run(session) writes to session.output, which is committed when it
// returns; the session's device means nothing. Returns the exit status.
int run_host_program(const Program& program, void (*run)(Session&), int argc, char** argv);

// Runs `run`; a failure ends it with one message and its exit code. In a process of a team the team says which.
Exit run_to_its_end(const Program& program, const Options& options, Exit (*run)(const void* context),
                    const void* context);
// (Not a std::function, which may allocate memory before anything that fails is caught.)
template <typename Run>
Exit run_to_its_end(const Program& program, const Options& options, const Run& run) {
    return run_to_its_end(
        program, options, [](const void* context) { return (*static_cast<const Run*>(context))(); }, &run);
}

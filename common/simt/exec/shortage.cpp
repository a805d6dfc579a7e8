// SPDX-License-Identifier: MIT
#include "common/simt/exec/shortage.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace simt {

namespace {

// The exit status of a CUDA error in all programs of gridutils.
constexpr int exit_status = 3;

// (Thread-local variables of the runtime lie in the shared memory of blocks, but this one is the same for all of them.)
__thread bool expects_shortage = false;

std::terminate_handler previous_handler() {
    static const std::terminate_handler previous = std::get_terminate();
    return previous;
}

[[noreturn]] void on_terminate() {
    if (expects_shortage && std::current_exception()) {
        try {
            throw;
        } catch (const std::bad_alloc&) {
            end_without_memory();
        } catch (const std::system_error& error) {
            end_without_threads(error.code().value());
        } catch (...) {}
    }
    previous_handler()();
    std::abort();
}

}  // namespace

void end_program(const char* what, const char* remedy) {
    char line[512];
    const int length = std::snprintf(line, sizeof line, "%s: %s; %s\n", program_invocation_short_name, what, remedy);
    // The program's output so far is not lost, unless another thread is printing.
    if (ftrylockfile(stdout) == 0) fflush_unlocked(stdout);
    const size_t bytes = length < 0 ? 0 : static_cast<size_t>(length) < sizeof line ? length : sizeof line - 1;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, bytes);
    _exit(exit_status);
}

void end_without_memory() {
    end_program("the simulator has no memory left for its own work",
                "raise the limit of address space (ulimit -v) or of the container, or choose a smaller problem");
}

void end_without_threads(int error) {
    char what[128];
    std::snprintf(what, sizeof what, "the simulator cannot start a thread: %s", std::strerror(error));
    end_program(what, "raise the limit of processes (ulimit -u) or set SIMCC_THREADS to fewer threads");
}

void expect_shortage() {
    static const bool installed = [] {
        previous_handler();
        std::set_terminate(on_terminate);
        return true;
    }();
    expects_shortage = installed;
}

}  // namespace simt

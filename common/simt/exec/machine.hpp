// SPDX-License-Identifier: MIT
// What the simulator may use of the machine it runs on, and how a program ends for which that is too little.
#pragma once

#include <cstddef>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace simt {

/// How many bytes of memory this process may use: the machine's, or its control group's if that has less.
size_t machine_memory();

/// How many bytes are available now without swapping. Reads /proc, which takes some 20 microseconds.
size_t available_memory();

/// How many bytes of addresses this process may use, as set by `ulimit -v`.
size_t address_limit();

/// How many processors this process may use: those of its affinity mask, or its container's quota if that is less.
long processor_count();

/// The integer in an environment variable, or `otherwise` if it is unset. Other text ends the program with a message.
long environment_number(const char* name, long least, long most, long otherwise);

/// The same for a time in seconds, 0 or more, which may be a fraction.
double environment_seconds(const char* name, double most, double otherwise);

// ---- the end of a program for which there are too few threads or addresses, or too little memory

// It ends at once, with status 3 and one line on standard error. Destructors and exit handlers do not run: they would
// wait for threads that never started.

/// "NAME: WHAT; REMEDY", with the program's name. Needs no memory itself.
[[noreturn, gnu::cold]] void end_program(const char* what, const char* remedy);

[[noreturn, gnu::cold]] void end_without_memory();
[[noreturn, gnu::cold]] void end_without_threads(int error);

/// Runs work in which the simulator allocates and starts threads. It must not call code of the program that may throw.
template <typename Work>
decltype(auto) unless_short(Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const std::bad_alloc&) {
        end_without_memory();
    } catch (const std::system_error& error) {
        end_without_threads(error.code().value());
    }
}

/// Starts a thread of the simulator. An uncaught exception in it, even in a lane, means a shortage.
template <typename Main>
std::thread start_thread(Main main);

/// Marks the current thread as one of the simulator's: see start_thread().
void expect_shortage();

template <typename Main>
std::thread start_thread(Main main) {
    return unless_short([&] {
        return std::thread([main = std::move(main)] {
            expect_shortage();
            main();
        });
    });
}

}  // namespace simt

// SPDX-License-Identifier: MIT
// Ends a program for which the machine has too few threads, addresses or too little memory.
//
// It ends at once, with status 3 and one line on standard error. Destructors and exit handlers do not run: they would
// wait for threads that never started.
#pragma once

#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace simt {

// "NAME: WHAT; REMEDY", with the program's name. Needs no memory itself.
[[noreturn, gnu::cold]] void end_program(const char* what, const char* remedy);

[[noreturn, gnu::cold]] void end_without_memory();
[[noreturn, gnu::cold]] void end_without_threads(int error);

// Runs work in which the simulator allocates and starts threads. It must not call code of the program that may throw.
template <class Work>
decltype(auto) unless_short(Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const std::bad_alloc&) {
        end_without_memory();
    } catch (const std::system_error& error) {
        end_without_threads(error.code().value());
    }
}

// Starts a thread of the simulator. An uncaught exception in it, even in a lane, means a shortage.
template <class Main>
std::thread start_thread(Main main);

// Marks the current thread as one of the simulator's: see start_thread().
void expect_shortage();

template <class Main>
std::thread start_thread(Main main) {
    return unless_short([&] {
        return std::thread([main = std::move(main)] {
            expect_shortage();
            main();
        });
    });
}

}  // namespace simt

// SPDX-License-Identifier: MIT
// What the simulator may use of the machine it runs on.
#pragma once

#include <cstddef>

namespace simt {

// How many bytes of memory this process may use: the machine's, or its control group's if that has less.
size_t machine_memory();

// How many bytes are available now without swapping. Reads /proc, which takes some 20 microseconds.
size_t available_memory();

// How many bytes of addresses this process may use, as set by `ulimit -v`.
size_t address_limit();

// How many processors this process may use: those of its affinity mask, or its container's quota if that is less.
long processor_count();

// The integer in an environment variable, or `otherwise` if it is unset. Other text ends the program with a message.
long environment_number(const char* name, long least, long most, long otherwise);

// The same for a time in seconds, 0 or more, which may be a fraction.
double environment_seconds(const char* name, double most, double otherwise);

}  // namespace simt

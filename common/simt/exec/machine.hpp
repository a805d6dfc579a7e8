// What the simulator may use of the machine it runs on.
#pragma once

#include <cstddef>

namespace simt {

// Bytes of memory that this process may ever use: the machine's, or its group's if that is less.
size_t machine_memory();

// Bytes that could be used right now without swapping. Reads /proc, some 20 microseconds.
size_t available_memory();

// The most addresses that this process may have in use, as set by `ulimit -v`.
size_t address_limit();

// Processors that this process may use: those of its affinity mask, or of its container's quota if that is less.
long processor_count();

// The integer in an environment variable, or `otherwise` if it is unset. Any other text ends the program with a message.
long environment_number(const char* name, long least, long most, long otherwise);

// The same for a time in seconds from 0 on, which may be a fraction.
double environment_seconds(const char* name, double most, double otherwise);

}  // namespace simt

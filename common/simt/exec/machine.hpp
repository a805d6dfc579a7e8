// What the simulator may use of the machine it runs on.
#pragma once

#include <cstddef>

namespace simt {

// Bytes of memory that this process may ever use: the machine's, or its container's if that is less.
size_t machine_memory();

// Bytes that could be used right now without swapping. Reads /proc, some 20 microseconds.
size_t available_memory();

// The integer in an environment variable, or `otherwise` if it is unset or not a number.
long environment_number(const char* name, long otherwise);

}  // namespace simt

// SPDX-License-Identifier: MIT
// A checked program that dies by a signal still prints its findings.
#pragma once

namespace simt::check {

// Installs the handlers. Call it before the program can install its own.
void catch_fatal_signals();

}  // namespace simt::check

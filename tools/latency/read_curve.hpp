// SPDX-License-Identifier: MIT
// --curve: the plateaus of a curve that was measured elsewhere, or by --sweep.
#pragma once

#include "common/cli/session.hpp"

// Prints a row per plateau of the session's curve, pairs of a working set in bytes and cycles. Failure(bad_input) says
// what is wrong with the file.
void print_plateaus(Session& session);

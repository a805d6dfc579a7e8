// SPDX-License-Identifier: MIT
// --prediction: how far the times that the simulator predicts for a GPU are from those that one measured.
#pragma once

#include "common/cli/session.hpp"

namespace compare {

// Reads the two tables, prints a row for each time on both sides (or with --summary for each program), and applies
// --fail-if. Failure(bad_input) if the first has no time of a GPU, the second no prediction, or both no row in common.
void hold_predictions(Session& session);

}  // namespace compare

// SPDX-License-Identifier: MIT
// The checkers as a client of the runtime's events (runtime/events.hpp).
#pragma once

#include "common/simt/check/core/settings.hpp"

namespace simt::check {

// Subscribes to the runtime events that these settings need.
void become_client(const Settings& settings);

}  // namespace simt::check

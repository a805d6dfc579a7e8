// The checkers as a client of the runtime's events (runtime/events.hpp).
#pragma once

#include "common/simt/check/core/settings.hpp"

namespace simt::check {

// Makes the runtime announce what these settings need to know.
void become_client(const Settings& settings);

}  // namespace simt::check

// SPDX-License-Identifier: MIT
// Events that other processes can open.
#pragma once

#include "common/simt/runtime/stream.hpp"

namespace simt {

/// Puts the event where other processes can map it; false if the machine does not allow it.
bool share_event(Event& event);

}  // namespace simt

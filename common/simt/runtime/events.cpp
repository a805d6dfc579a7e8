// SPDX-License-Identifier: MIT
#include "common/simt/runtime/events.hpp"

namespace simt {
namespace {

// Initialized before the program's own constructors, which may already launch kernels.
constinit Events installed_events;

}  // namespace

const Events& events() { return installed_events; }

void install_events(const Events& events) { installed_events = events; }

}  // namespace simt

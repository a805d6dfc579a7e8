// A watched program that ends by a signal still says what has been found.
#pragma once

namespace simt::checking {

// Installs the handlers, before any that the program itself may install.
void watch_fatal_signals();

}  // namespace simt::checking

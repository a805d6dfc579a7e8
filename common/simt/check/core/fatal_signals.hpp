// A checked program that ends by a signal still says what has been found.
#pragma once

namespace simt::check {

// Installs the handlers, before any that the program itself may install.
void catch_fatal_signals();

}  // namespace simt::check

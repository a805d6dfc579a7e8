// SPDX-License-Identifier: MIT
// Integer division by zero, and of the lowest number by -1: x86 processors trap, while GPUs go on with some result.
#pragma once

namespace simt {

// If the signal's context stopped at a division instruction, gives it the result that a GPU gives, and moves the
// context past it. Returns whether it did.
bool finish_division(void* signal_context);

}  // namespace simt

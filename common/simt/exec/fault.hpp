// SPDX-License-Identifier: MIT
// Faults in lanes (illegal addresses, stack overflow) and lanes that never end. Divisions that trap get a result.
#pragma once

#include <pthread.h>

namespace simt {

/// Installs the process's handlers; a fault outside of lanes has the same effect as before. To be called once.
void install_fault_handlers();

/// Gives the calling worker thread a stack on which its handlers run: the lane's own stack may have overflowed.
void use_fault_stack();

/// Unblocks interrupts, which stay blocked after a handler has abandoned a block.
void allow_interrupts();

/// Makes the worker abandon its block if the block's launch has failed and the worker is in kernel code or in a short
/// section of the simulator (uninterrupted.hpp). Otherwise nothing happens, and the caller tries again later.
void interrupt_failed_block(pthread_t worker);

}  // namespace simt

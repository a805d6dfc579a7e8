// Faults in lanes (illegal addresses, stack overflow) and lanes that never end. Divisions that trap get a result.
#pragma once

#include <pthread.h>

namespace simt {

// Installs the process's handlers; a fault outside lanes has the same effect as before. Once is enough.
void install_fault_handlers();

// Gives the calling worker thread the stack on which its handlers run: a lane's own may be the one that overflowed.
void use_fault_stack();

// Ends what an interrupt leaves behind when its handler has abandoned a block: no other interrupt comes before this.
void allow_interrupts();

// Makes the worker abandon its block if the block's launch has failed and the worker is in kernel code or in a short
// section of the simulator (uninterrupted.hpp). Otherwise nothing happens, and the caller tries again later.
void interrupt_failed_block(pthread_t worker);

}  // namespace simt

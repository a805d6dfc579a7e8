// Faults in lanes (illegal addresses, stack overflow, integer division by zero) and lanes that never come to an end.
#pragma once

#include <pthread.h>

namespace simt {

// Installs the process's handlers; a fault outside of lanes still has the effect that it had before. Once is enough.
void install_fault_handlers();

// Gives the calling worker thread the stack on which its handlers run: a lane's own may be the one that overflowed.
void use_fault_stack();

// Makes the worker abandon its block if the block's launch has failed and the worker is in the code of a kernel just
// now, or in a section of the simulator that ends soon (uninterrupted.hpp). Else nothing happens, and the caller tries
// again later.
void interrupt_failed_block(pthread_t worker);

}  // namespace simt

// SPDX-License-Identifier: MIT
// How libsimt.so reaches the thread-local variables that each turn of a lane needs. The rooms of the simulator are
// compiled for libraries that a program opens while it runs (simcc -shared), where a thread-local variable is found by
// a call. A program has libsimt.so from its start, when variables have fixed places in every thread; an access of that
// kind anywhere in a library makes the linker turn all accesses to the variable into that kind.
// make: alone (only libsimt.so has it; in libsimt.a nothing refers to it)
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

#define SIMT_AT_FIXED_PLACE(type, name) extern __thread type name __attribute__((tls_model("initial-exec")))

namespace simt {

SIMT_AT_FIXED_PLACE(ResidentBlock*, current_block);
SIMT_AT_FIXED_PLACE(Warp*, current_warp);
SIMT_AT_FIXED_PLACE(Context*, current_lane);
SIMT_AT_FIXED_PLACE(unsigned long long, changes_made);
SIMT_AT_FIXED_PLACE(unsigned long long, values_seen);
SIMT_AT_FIXED_PLACE(TurnsTaken*, turns_taken);
SIMT_AT_FIXED_PLACE(Interruption, interruption);

bool reaches_thread_variables() {
    return current_block && current_warp && current_lane && changes_made && values_seen && turns_taken &&
           interruption.depth;
}

}  // namespace simt

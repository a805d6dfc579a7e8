// SPDX-License-Identifier: MIT
// Special registers that inline PTX reads; simcc rewrites such statements into calls of these functions.
#pragma once

#include "simt/declare.h"

namespace simt {

int multiprocessor_count();  // of the simulated device; in the runtime

namespace special_register {

#define SIMT_SPECIAL_REGISTER(name, expression) \
    SIMT_INLINE unsigned name() { return expression; }
SIMT_SPECIAL_REGISTER(tid_x, thread_index().x)
SIMT_SPECIAL_REGISTER(tid_y, thread_index().y)
SIMT_SPECIAL_REGISTER(tid_z, thread_index().z)
SIMT_SPECIAL_REGISTER(ntid_x, block_dim().x)
SIMT_SPECIAL_REGISTER(ntid_y, block_dim().y)
SIMT_SPECIAL_REGISTER(ntid_z, block_dim().z)
SIMT_SPECIAL_REGISTER(ctaid_x, block_index().x)
SIMT_SPECIAL_REGISTER(ctaid_y, block_index().y)
SIMT_SPECIAL_REGISTER(ctaid_z, block_index().z)
SIMT_SPECIAL_REGISTER(nctaid_x, grid_dim().x)
SIMT_SPECIAL_REGISTER(nctaid_y, grid_dim().y)
SIMT_SPECIAL_REGISTER(nctaid_z, grid_dim().z)
SIMT_SPECIAL_REGISTER(laneid, thread_rank() % 32)
SIMT_SPECIAL_REGISTER(warpid, thread_rank() / 32)
SIMT_SPECIAL_REGISTER(nwarpid, 64)
// A multiprocessor is a worker thread.
SIMT_SPECIAL_REGISTER(nsmid, static_cast<unsigned>(multiprocessor_count()))
SIMT_SPECIAL_REGISTER(smid, worker_index())
SIMT_SPECIAL_REGISTER(lanemask_eq, 1u << laneid())
SIMT_SPECIAL_REGISTER(lanemask_lt, lanemask_eq() - 1)
SIMT_SPECIAL_REGISTER(lanemask_le, lanemask_lt() | lanemask_eq())
SIMT_SPECIAL_REGISTER(lanemask_gt, ~lanemask_le())
SIMT_SPECIAL_REGISTER(lanemask_ge, ~lanemask_lt())
SIMT_SPECIAL_REGISTER(clock, static_cast<unsigned>(clock64()))
#undef SIMT_SPECIAL_REGISTER
SIMT_INLINE unsigned long long clock64() { return static_cast<unsigned long long>(::clock64()); }
SIMT_INLINE unsigned long long globaltimer() { return ::__globaltimer(); }

}  // namespace special_register

// Ends the kernel when it reaches inline PTX without a counterpart.
[[noreturn]] SIMT_INLINE void unsupported_assembly(const char* instructions) { fail_lane(instructions); }

}  // namespace simt

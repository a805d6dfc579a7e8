// SPDX-License-Identifier: MIT
// Executes an operation of NCCL when a stream comes to it.
#pragma once

#include <vector>

#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

// Executes the calls of one group on one communicator: the collectives one after another, in the order of the calls,
// then all messages concurrently. Returns the error of the device (a cudaError_t), or 0.
int run(const std::vector<Call>& calls);

// Executes the messages among the calls.
Outcome exchange(const std::vector<Call>& calls);

// Tells the checkers which memory the call is about to use.
void announce(const Call& call);

}  // namespace simt::nccl

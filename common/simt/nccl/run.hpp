// SPDX-License-Identifier: MIT
// Executes an operation of NCCL when a stream comes to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

/// Executes the calls of one group on one communicator: the collectives one after another, in the order of the calls,
/// then all messages concurrently. Returns the error of the device (a cudaError_t), or 0.
int run(const std::vector<Call>& calls);

/// Executes the messages among the calls.
Outcome exchange(const std::vector<Call>& calls);

/// Tells the checkers which memory the call is about to use.
void announce(const Call& call);

// ---- checks the buffers of a call

/// The bytes that a rank's call reads at `send` and writes at `receive`; 0 if it does not touch the buffer.
size_t bytes_sent(const Call& call);
size_t bytes_received(const Call& call);

/// What is wrong, if anything: a null pointer, memory of the host or of another device, an allocation that is too
/// small, or buffers that overlap but not as in an in-place call.
std::optional<std::string> wrong_with_buffers(const Call& call);

}  // namespace simt::nccl

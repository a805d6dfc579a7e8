// SPDX-License-Identifier: MIT
// Checks the buffers of a call.
#pragma once

#include <optional>
#include <string>

#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

// The bytes that a rank's call reads at `send` and writes at `receive`; 0 if it does not touch the buffer.
size_t bytes_sent(const Call& call);
size_t bytes_received(const Call& call);

// What is wrong, if anything: a null pointer, memory of the host or of another device, an allocation that is too small,
// or buffers that overlap but not as in an in-place call.
std::optional<std::string> wrong_with_buffers(const Call& call);

}  // namespace simt::nccl

// Whether a call's buffers are what they should be.
#pragma once

#include <optional>
#include <string>

#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

// The bytes that a rank's call reads at `send` and writes at `receive`; 0 where it does not touch the buffer.
size_t bytes_sent(const Call& call);
size_t bytes_received(const Call& call);

// What is wrong: a null pointer, one of the host or of another device, an allocation that is too small, or buffers that
// overlap and are not those of an in-place call.
std::optional<std::string> wrong_with_buffers(const Call& call);

}  // namespace simt::nccl

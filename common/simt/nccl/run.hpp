// SPDX-License-Identifier: MIT
// Executes an operation of NCCL when a stream comes to it: its messages and collectives, and the wait for other ranks.
#pragma once

#include <cstdint>
#include <functional>
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

// ---- the buffers of a call

/// The bytes that a rank's call reads at `send` and writes at `receive`; 0 if it does not touch the buffer.
size_t bytes_sent(const Call& call);
size_t bytes_received(const Call& call);

/// What is wrong, if anything: a null pointer, memory of the host or of another device, an allocation that is too
/// small, or buffers that overlap but not as in an in-place call.
std::optional<std::string> wrong_with_buffers(const Call& call);

/// Decides when a waiting rank gives up on ranks that do not come.
///
/// It breaks the clique off if a missing rank's process has ended, if the rank has left, or if none of the ranks'
/// processes has worked for SIMCC_TIMEOUT seconds. A rank that has not yet called what the others wait for may work for
/// thirty times as long, or longer in another process.
class Watch {
public:
    /// `missing`: whether the rank still has to come. `number`: the number of the collective, from 1; 0 for a message.
    Watch(const Call& call, uint64_t number, std::function<bool(int rank)> missing);

    /// Called now and then while the operation waits. `seconds`: the time since the last call.
    void look(double seconds);

private:
    void lose(int rank, const std::string& what, double seconds);
    bool has_worked(double seconds);
    std::string verdict_on(int rank, bool is_quiet) const;

    const Call& call_;
    Communicator& communicator_;
    const uint64_t number_;
    const std::function<bool(int)> missing_;
    double waited_ = 0, quiet_ = 0, lost_ = 0;
    double processor_seconds_ = -1;
};

}  // namespace simt::nccl

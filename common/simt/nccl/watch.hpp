// SPDX-License-Identifier: MIT
// Decides when a waiting rank gives up on ranks that do not come.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

/// Breaks the clique off if a missing rank's process has ended, if the rank has left, or if none of the ranks'
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

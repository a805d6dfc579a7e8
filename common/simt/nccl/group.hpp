// SPDX-License-Identifier: MIT
// Groups of calls: ncclGroupStart() to ncclGroupEnd(), on the calling thread.
#pragma once

#include <memory>
#include <vector>

#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

/// A rank's part in making a communicator, for which it needs the other ranks. All calls of a group make a step before
/// any makes the next one, and a step only waits for what others do in earlier steps.
struct SetUp {
    virtual ~SetUp() = default;
    static constexpr int steps = 4;
    virtual void step(int number) = 0;  ///< throws Refusal
};

class Group {
public:
    /// The calling thread's group.
    static Group& current();

    void start() { ++depth_; }
    /// May throw Refusal. The group is empty afterwards in any case.
    void end();
    bool is_open() const { return depth_ > 0; }

    /// Executes the call at once, unless a group is open.
    void add(Call call);
    void add(std::unique_ptr<SetUp> set_up);
    /// To be called if a call has failed: then the group's end fails, too, and none of its calls are executed.
    void fail(ncclResult_t code) { failure_ = failure_ == ncclSuccess ? code : failure_; }

private:
    void run_set_ups();
    void launch(std::vector<Call> calls, bool is_group);

    int depth_ = 0;
    ncclResult_t failure_ = ncclSuccess;
    std::vector<Call> calls_;
    std::vector<std::unique_ptr<SetUp>> set_ups_;
};

}  // namespace simt::nccl

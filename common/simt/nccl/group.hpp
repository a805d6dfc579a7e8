// Groups of calls: ncclGroupStart() to ncclGroupEnd(), on the calling thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/simt/nccl/communicator.hpp"

namespace simt::nccl {

// Part of making a communicator, which needs the other ranks: each step of all calls of a group comes before the next step
// of any, and a step waits only for what others do in earlier ones.
struct SetUp {
    virtual ~SetUp() = default;
    static constexpr int steps = 4;
    virtual void step(int number) = 0;  // throws Refusal
};

class Group {
public:
    // The calling thread's.
    static Group& current();

    void start() { ++depth_; }
    // Throws Refusal; the group is empty then.
    void end();
    bool is_open() const { return depth_ > 0; }

    // At once unless a group is open.
    void add(Call call);
    void add(std::unique_ptr<SetUp> set_up);
    // A call failed: the group's end fails, too, and nothing of the group is carried out.
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

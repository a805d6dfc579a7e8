// What is checked of one block while it is resident: what the hooks in its kernel and the scheduler tell, passed on to
// the checkers and counters that are switched on. All of it happens on the worker thread that runs the block.
#pragma once

#include <cstdint>
#include <memory>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/core/launch_check.hpp"
#include "common/simt/check/core/turns.hpp"
#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/context.hpp"

namespace simt {
class ResidentBlock;
}

namespace simt::check {

class MemoryCheck;
class RaceCheck;
class SyncCheck;
class BlockCounters;

struct AddressRange {
    uintptr_t begin = 0;
    size_t bytes = 0;
    bool contains(uintptr_t address) const { return address - begin < bytes; }
};

class BlockCheck final : public BlockObserver {
public:
    explicit BlockCheck(ResidentBlock& block);
    ~BlockCheck() override;

    // ---- from the execution core: see exec/observer.hpp
    void began(LaunchObserver& launch, uint64_t block_index, unsigned lanes) override;
    void resumed() override;
    void left() override;
    void ended() override;
    void lane_ended(unsigned lane) override;
    void warp_stalled(unsigned warp, unsigned paused) override;
    void meeting_completed(unsigned warp, unsigned lanes) override;
    void block_barrier_completed() override;
    void grid_barrier_completed() override;
    void copy_started(uintptr_t target, size_t bytes, const void* pc) override;
    void copy_finished(uintptr_t target, size_t bytes) override;
    bool deadlocked() override;
    bool timed_out() override;
    bool misused(const char* message, const void* pc) override;
    void invalid_free(const void* pointer, const void* pc) override;
    void stack_overflowed(uintptr_t instruction, const uintptr_t* stack) override;
    Schedule schedule() const override { return turns_.schedule(); }
    uint32_t random_below(uint32_t limit) override { return turns_.below(limit); }
    uint32_t furthest_behind(unsigned warp, uint32_t candidates) const override {
        return turns_.furthest_behind(warp, candidates);
    }
    uint32_t waiting_loop_lanes(unsigned warp) const override { return polling_[warp]; }
    bool polls_again(unsigned lane) const override;
    const char* warp_function_of(unsigned lane) const override;

    // ---- from the kernel's hooks; may not return: a finding can take the lane out of the launch
    void access(const Access& access);
    // The same of a plain access that the compiler takes to be aligned, to 4, 8 or 16 bytes. False: it is an unusual
    // one, which access() is to be told of instead.
    template <unsigned bytes, bool is_write>
    bool word_access(uintptr_t address, const void* pc);
    bool follows_lanes() const { return follows_lanes_; }  // every access and basic block is told
    void block_entered(const void* pc);  // a basic block
    void arrive(check::Wait kind, unsigned mask, unsigned source, Site site);
    void fence(check::Reach reach);
    void set_polling(bool polls);  // the running lane is in a loop that only waits
    void begin_atomic(const Access& access);
    void end_atomic(uintptr_t address, bool has_written);

    // ---- for the checkers
    LaunchCheck& launch() const { return *launch_; }
    uint64_t block_index() const { return block_index_; }
    unsigned lane_count() const { return lane_count_; }
    unsigned running_lane() const;
    // A finding has taken a lane out: what it would have done is missing.
    bool has_lost_lanes() const { return has_lost_lanes_; }
    bool is_polling(unsigned lane) const { return polling_[lane / 32] >> lane % 32 & 1; }
    AddressRange shared_window() const { return shared_; }
    Space space_of(uintptr_t address) const;
    ResidentBlock& block() const { return block_; }
    const Context& context(unsigned lane) const { return contexts_[lane]; }

    // Before an access, where the schedule may want other lanes to go first.
    void end_turn(const Access& access);

    // Takes the running lane out of the launch, which goes on without it and ends with this error.
    [[noreturn]] void drop_running_lane(int error);
    // Does so if the lane's stack has no room for what the checkers are about to do, which must not end in the middle.
    // `pc`: what the kernel is doing.
    void check_room_on_stack(const void* pc);
    // The other lanes of the warp go first, until each of them has paused too, waits or has ended.
    void pause_running_lane();

    MemoryCheck* memory() const { return memory_.get(); }
    RaceCheck* races() const { return races_.get(); }
    SyncCheck* synchronization() const { return synchronization_.get(); }
    BlockCounters* counters() const { return counters_.get(); }

private:
    template <Space space, unsigned bytes, bool is_write>
    bool word_access_in(uintptr_t address, const void* pc);

    // What the usual access needs comes first, to lie in few cache lines.
    const Context* contexts_;
    AddressRange global_, shared_, stacks_;
    std::unique_ptr<MemoryCheck> memory_;
    std::unique_ptr<RaceCheck> races_;
    std::unique_ptr<SyncCheck> synchronization_;
    std::unique_ptr<BlockCounters> counters_;
    bool follows_lanes_ = false;
    ResidentBlock& block_;
    LaunchCheck* launch_ = nullptr;
    uint64_t block_index_ = 0;
    unsigned lane_count_ = 0;
    bool has_lost_lanes_ = false;
    uint32_t polling_[32] = {};  // a bit per lane
    Turns turns_;
};

// The block whose lanes run on this thread, if it is checked; else null.
extern __thread BlockCheck* current_check;

}  // namespace simt::check

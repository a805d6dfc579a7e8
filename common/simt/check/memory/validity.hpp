// memcheck and initcheck of one block: is the memory there, is it aligned, has it been written?
#pragma once

#include <string>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/memory/shared_state.hpp"
#include "common/simt/check/memory/state_map.hpp"

namespace simt::check {

class MemoryCheck {
public:
    explicit MemoryCheck(BlockCheck& check);

    void begin_block();
    // May take the lane out of the launch.
    [[gnu::always_inline]] void access(const Access& access) {
        if (access.space == Space::local) return;
        const bool is_usual = access.space == Space::global   ? settled_global_.holds(access.address, access.bytes)
                              : access.space == Space::shared ? settled_shared_.holds(access.address, access.bytes)
                                                              : false;
        if (__builtin_expect(is_usual, 1)) return;
        const Access unusual = access;  // a copy, so that the usual one stays in registers
        examine(unusual);
    }
    // Whether an access is aligned, to addressable bytes that have been written: nothing more needs to be done then.
    template <Space space>
    bool is_usual(uintptr_t address, uint32_t bytes) const {
        return (space == Space::shared ? settled_shared_ : settled_global_).holds(address, bytes);
    }
    void block_ended() {}

    // An index outside of a local array: reports and takes the lane out.
    void invalid_index(const Access& access, const std::string& array, const std::string& type);
    // Its stack has no room for the calls of the running lane: takes it out likewise.
    void stack_overflow(const void* pc);
    // The same at an instruction that may be the simulator's own, called from the kernel. `stack`: the end of what the
    // lane could use.
    void stack_overflow(uintptr_t instruction, const uintptr_t* stack);
    // free() in the kernel of what is not on the device heap.
    void invalid_free(const void* pointer, const void* pc);

private:
    [[gnu::noinline]] void examine(const Access& access);
    void examine(const Access& access, StateMap& map);
    void examine_elsewhere(const Access& access);
    static bool is_uninitialised(const Access& access, const StateMap& map);

    // Reports and takes the lane out.
    void invalid(const Access& access, const std::string& reason);
    void uninitialised(const Access& access);

    SettledBytes settled_global_, settled_shared_;
    BlockCheck& check_;
    StateMap& global_;
    SharedState shared_;
    // Memory outside of the simulator's range that kernels may use, as far as this launch has asked for it.
    static constexpr size_t remembered_ranges = 4;
    AddressRange known_[remembered_ranges];
    size_t next_known_ = 0;
    uint64_t launch_ = 0;  // the one that these are of
};

}  // namespace simt::check

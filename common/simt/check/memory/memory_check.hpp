// SPDX-License-Identifier: MIT
// memcheck and initcheck of one block: is the memory there, is it aligned, has it been written?
//
// In come the accesses of the block's lanes here, the indices of their own arrays (below), and what the host
// does with memory (events.hpp). What is known of each byte is in a map (state_map.hpp). Out go findings.
#pragma once

#include <cstdint>
#include <string>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/memory/state_map.hpp"

namespace simt::check {

class MemoryCheck final : public Checker {
public:
    explicit MemoryCheck(BlockCheck& check);

    void begin_block() override;
    /// May drop the lane from the launch.
    [[gnu::always_inline]] void access(const Access& access) {
        if (access.space == Space::local) return;
        const bool is_usual = access.space == Space::global   ? settled_global_.holds(access.address, access.bytes)
                              : access.space == Space::shared ? settled_shared_.holds(access.address, access.bytes)
                                                              : false;
        if (__builtin_expect(is_usual, 1)) return;
        const Access unusual = access;  // a copy, so that the original stays in registers
        examine(unusual);
    }
    /// Whether an access is aligned, addressable and initialized, so that nothing more needs to be done.
    template <Space space>
    bool is_usual(uintptr_t address, uint32_t bytes) const {
        return (space == Space::shared ? settled_shared_ : settled_global_).holds(address, bytes);
    }

    /// An index outside a local array: reports it and drops the lane.
    void invalid_index(const Access& access, const char* array, const char* type);
    void stack_overflow(const void* pc) override;
    bool stack_overflow(uintptr_t instruction, const uintptr_t* stack) override;
    void invalid_free(const void* pointer, const void* pc) override;
    void invalid_argument(uintptr_t pointer, Space space, const void* pc) override;

private:
    [[gnu::noinline]] void examine(const Access& access);
    void examine(const Access& access, StateMap& map);
    void examine_elsewhere(const Access& access);
    static bool may_be_read(const Access& access);
    static bool is_uninitialized(const Access& access, const StateMap& map);

    // Reports it and drops the lane.
    void invalid(const Access& access, const char* reason);
    void uninitialized(const Access& access);
    Finding finding_of_invalid(const Access& access, const std::string& reason) const;
    Finding finding_of_uninitialized(const Access& access) const;

    SettledBytes settled_global_, settled_shared_;
    BlockCheck& check_;
    StateMap& global_;
    SharedState shared_;
    RepeatedFindings repeated_;
    // Ranges outside the simulator's memory that kernels may use, remembered for this launch.
    static constexpr size_t remembered_ranges = 4;
    AddressRange known_[remembered_ranges];
    size_t next_known_ = 0;
    uint64_t launch_ = 0;  // the launch that looked them up
};

// ---- indices past the end of arrays that are local variables of a lane

// g++ checks the index of every array whose size it knows (-fsanitize=bounds) and calls a handler when it is out of
// range. The handler gets a place in the source but not the array, so the name is read from the source text there.
// Shared and device variables do not count: they are checked by address. Only the first of several indices counts,
// since running from one row of a matrix into the next is not a memory error.

/// What g++ passes to the handler (described in libsanitizer/ubsan/ubsan_value.h).
struct ArrayType {
    uint16_t kind, info;
    char name[1];  ///< "'int [8]'", of any length
};
struct OutOfBounds {
    const char* file;
    uint32_t line, column;
    const ArrayType *array, *index;
};

/// If the array is local or a constant, reports the index and drops the running lane.
void index_out_of_bounds(MemoryCheck& memory, unsigned lane, const OutOfBounds& place, const void* pc);

}  // namespace simt::check

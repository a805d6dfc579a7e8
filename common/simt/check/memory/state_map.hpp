// SPDX-License-Identifier: MIT
// For every byte of a range: may it be accessed, and has it been written? One cell is a byte that describes four bytes
// of memory: the low four bits say which of them have been initialized, the high four which are addressable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/program_image.hpp"

namespace simt::check {

/// The part of a map that the common access needs: one word to load.
class SettledBytes {
public:
    /// `origin`: where the cell for address 0 would be if the map reached that far.
    explicit SettledBytes(uintptr_t origin) : origin_(origin) {}

    /// Aligned, addressable and initialized?
    [[gnu::always_inline]] bool holds(uintptr_t address, uint32_t bytes) const {
        const auto* const cell = reinterpret_cast<const uint8_t*>(origin_ + (address >> 2));
        const unsigned offset = address & 3;
        switch (bytes) {
            case 4: return offset == 0 && *cell == 0xff;
            case 8: return (address & 7) == 0 && word<uint16_t>(cell) == 0xffff;
            case 16: return (address & 15) == 0 && word<uint32_t>(cell) == 0xffffffff;
            case 1: return (~unsigned{*cell} & 0x11u << offset) == 0;
            case 2: return (offset & 1) == 0 && (~unsigned{*cell} & 0x33u << offset) == 0;
            default: return false;
        }
    }

private:
    template <typename Word>
    [[gnu::always_inline]] static Word word(const uint8_t* cell) {
        Word value;
        std::memcpy(&value, cell, sizeof value);
        return value;
    }

    uintptr_t origin_;
};

class StateMap {
public:
    /// A map of the memory at `base`, a multiple of 16. Nothing is addressable yet. Ends the program if there is no
    /// room for the map.
    StateMap(uintptr_t base, size_t bytes);
    ~StateMap();
    StateMap(const StateMap&) = delete;
    StateMap& operator=(const StateMap&) = delete;

    bool contains(uintptr_t address) const { return address - base_ < bytes_; }
    SettledBytes settled() const { return SettledBytes(reinterpret_cast<uintptr_t>(cells_) - (base_ >> 2)); }

    /// Ranges must lie in the memory described.
    void allow(uintptr_t address, size_t bytes);   ///< addressable, not initialized
    void forbid(uintptr_t address, size_t bytes);  ///< not addressable
    void initialize(uintptr_t address, size_t bytes);
    /// The bytes at `to` are initialized where those at `from` are. The ranges may overlap.
    void propagate(uintptr_t to, const StateMap& source, uintptr_t from, size_t bytes);

    /// Copies the states of a range from another map of the same memory.
    void assign(const StateMap& other, uintptr_t address, size_t bytes);

    bool is_addressable(uintptr_t address, size_t bytes) const { return has_all(address, bytes, 0x10); }
    bool is_initialized(uintptr_t address, size_t bytes) const { return has_all(address, bytes, 0x01); }
    /// How many bytes of the range have been initialized, and the first one that has not (bytes: none).
    size_t initialized_bytes(uintptr_t address, size_t bytes) const;
    size_t first_uninitialized(uintptr_t address, size_t bytes) const;
    /// Whether the uninitialized bytes of the range look like the padding of an array of structures.
    bool has_only_padding(uintptr_t address, size_t bytes) const;

private:
    uint8_t* cell(uintptr_t address) const { return cells_ + ((address - base_) >> 2); }
    bool bit(uintptr_t address, unsigned flag) const { return *cell(address) & flag << (address & 3); }
    bool has_all(uintptr_t address, size_t bytes, unsigned flag) const;
    template <typename Change, typename ChangeWhole>
    void change(uintptr_t address, size_t bytes, Change change_byte, ChangeWhole change_cells);

    const uintptr_t base_;
    const size_t bytes_;
    uint8_t* cells_ = nullptr;
};

/// Shared memory of one block: its arrays, and which of their bytes have been written.
class SharedState {
public:
    /// `window`: the shared memory of the thread that runs the block.
    explicit SharedState(AddressRange window);

    /// A block begins: nothing has been written yet.
    void begin_block(size_t dynamic_bytes);
    void initialize(uintptr_t address, size_t bytes);
    StateMap& map() { return current_; }

    /// The variable nearest to an address, with its place in this thread: "array tile" or "dynamic shared memory".
    Variable nearest_array(uintptr_t address) const;

private:
    const AddressRange window_;
    const uintptr_t dynamic_begin_;
    size_t dynamic_bytes_ = 0;
    StateMap fresh_;  // the state at the start of every block
    StateMap current_;
    uintptr_t written_begin_ = 0, written_end_ = 0;  // where `current_` may differ from `fresh_`
};

}  // namespace simt::check

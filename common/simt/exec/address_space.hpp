// SPDX-License-Identifier: MIT
// The reserved range of addresses for all simulated device memory.
//
// One PROT_NONE mapping is reserved at the first use; a region becomes accessible when it is taken and inaccessible,
// its pages returned, when it is given back. Addresses are handed out upwards and reused only after the whole range has
// been used, so that an access after a free faults instead of reading other data. Every region is followed by at least
// one page that is never accessible. Not thread safe: the caller locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace simt {

class AddressSpace {
public:
    /// Reserves about `wanted` bytes, or as much of that as the machine's limits allow, and leaves `beside` times as
    /// many addresses for other mappings. (Not every processor has 47-bit addresses: AArch64 may be set up for 39.)
    AddressSpace(size_t wanted, size_t beside);
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;

    /// The start of a zeroed, accessible region of whole pages and at least `bytes`, or 0 if there is no room.
    uintptr_t take(size_t bytes);
    void give_back(uintptr_t region);

    /// A region that other processes can map, too.
    struct SharedRegion {
        uintptr_t start;
        size_t bytes;
        int file;  ///< belongs to the address space; -1 if the machine does not allow it
    };
    /// The region that contains this address, its pages moved to a file at the first call. Nothing may be using it.
    SharedRegion share(uintptr_t address);
    /// Maps another process's file, or returns 0.
    uintptr_t take_shared(int file, size_t bytes);

    uintptr_t base() const { return base_; }
    size_t bytes() const { return bytes_; }
    bool contains(uintptr_t address) const { return address - base_ < bytes_; }

private:
    uintptr_t find_room(size_t bytes, size_t alignment);

    uintptr_t base_ = 0;
    size_t bytes_ = 0;
    uintptr_t cursor_ = 0;  // everything from here to the end is free
    struct Region {
        size_t bytes = 0;  // without the guard page
        int file = -1;     // holds the pages if they are shared
    };
    std::map<uintptr_t, Region> regions_;  // by start
};

/// The smallest unit whose access the system can control.
size_t page_bytes();
constexpr size_t huge_page_bytes = 2 << 20;

constexpr size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace simt

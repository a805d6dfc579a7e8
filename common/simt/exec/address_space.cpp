// SPDX-License-Identifier: MIT
#include "common/simt/exec/address_space.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace simt {
namespace {

// Regions of this size or more start at a huge page and ask for huge pages: fewer page faults, fewer TLB misses.
constexpr size_t huge_region_bytes = 2 * huge_page_bytes;

constexpr int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

size_t page_bytes() {
    static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

AddressSpace::AddressSpace(size_t wanted, size_t beside) {
    constexpr size_t smallest_useful = size_t{16} << 20;
    wanted = wanted / huge_page_bytes * huge_page_bytes;
    for (size_t bytes = wanted; bytes >= smallest_useful; bytes /= 2) {
        void* reserved = mmap(nullptr, bytes + bytes * beside, PROT_NONE, reserve_flags, -1, 0);
        if (reserved == MAP_FAILED) continue;
        if (beside > 0) munmap(static_cast<char*>(reserved) + bytes, bytes * beside);
        base_ = cursor_ = reinterpret_cast<uintptr_t>(reserved);
        bytes_ = bytes;
        return;
    }
}

uintptr_t AddressSpace::take(size_t bytes) {
    if (bytes == 0 || bytes > bytes_) return 0;
    const size_t whole = round_up(bytes, page_bytes());
    const bool huge = whole >= huge_region_bytes;
    const uintptr_t region = find_room(whole, huge ? huge_page_bytes : page_bytes());
    if (!region) return 0;
    void* start = reinterpret_cast<void*>(region);
    if (mprotect(start, whole, PROT_READ | PROT_WRITE) != 0) return 0;
    if (huge) madvise(start, whole, MADV_HUGEPAGE);  // advice only: failure does no harm
    regions_.emplace(region, whole);
    return region;
}

void AddressSpace::give_back(uintptr_t region) {
    const auto found = regions_.find(region);
    if (found == regions_.end()) return;
    // A new mapping frees the pages and their page tables in one step.
    mmap(reinterpret_cast<void*>(region), found->second, PROT_NONE, reserve_flags | MAP_FIXED, -1, 0);
    regions_.erase(found);
}

uintptr_t AddressSpace::find_room(size_t bytes, size_t alignment) {
    const size_t guarded = bytes + page_bytes();
    const uintptr_t end = base_ + bytes_;
    const uintptr_t fresh = round_up(cursor_, alignment);
    if (fresh <= end && guarded <= end - fresh) {
        cursor_ = fresh + guarded;
        return fresh;
    }
    uintptr_t candidate = round_up(base_, alignment);  // the range is used up: take the first gap that is large enough
    for (const auto& [start, length] : regions_) {
        if (candidate + guarded <= start) return candidate;
        if (start + length + page_bytes() > candidate) candidate = round_up(start + length + page_bytes(), alignment);
    }
    return candidate <= end && guarded <= end - candidate ? candidate : 0;
}

}  // namespace simt

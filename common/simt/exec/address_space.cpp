// SPDX-License-Identifier: MIT
#include "common/simt/exec/address_space.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace simt {
namespace {

// Regions of this size or more start at a huge page and ask for huge pages: fewer page faults, fewer TLB misses.
constexpr size_t huge_region_bytes = 2 * huge_page_bytes;

constexpr int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

bool map_file(uintptr_t start, size_t bytes, int file) {
    void* const place = reinterpret_cast<void*>(start);
    return mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == place;
}

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
    regions_[region] = {whole};
    return region;
}

void AddressSpace::give_back(uintptr_t region) {
    const auto found = regions_.find(region);
    if (found == regions_.end()) return;
    // A new mapping frees the pages and their page tables in one step.
    mmap(reinterpret_cast<void*>(region), found->second.bytes, PROT_NONE, reserve_flags | MAP_FIXED, -1, 0);
    if (found->second.file >= 0) close(found->second.file);
    regions_.erase(found);
}

AddressSpace::SharedRegion AddressSpace::share(uintptr_t address) {
    auto found = regions_.upper_bound(address);
    if (found == regions_.begin()) return {0, 0, -1};
    auto& [start, region] = *--found;
    if (region.file >= 0) return {start, region.bytes, region.file};
    const int file = memfd_create("device memory", MFD_CLOEXEC);
    if (file < 0) return {0, 0, -1};
    const char* const pages = reinterpret_cast<const char*>(start);
    size_t written = 0;
    while (written < region.bytes) {
        const ssize_t step = write(file, pages + written, region.bytes - written);
        if (step <= 0) break;
        written += static_cast<size_t>(step);
    }
    if (written < region.bytes || !map_file(start, region.bytes, file)) {
        close(file);
        return {0, 0, -1};
    }
    region.file = file;
    return {start, region.bytes, file};
}

uintptr_t AddressSpace::take_shared(int file, size_t bytes) {
    const uintptr_t start = find_room(bytes, page_bytes());
    if (!start || !map_file(start, bytes, file)) return 0;
    regions_[start] = {bytes, file};
    return start;
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
    for (const auto& [start, region] : regions_) {
        const size_t length = region.bytes;
        if (candidate + guarded <= start) return candidate;
        if (start + length + page_bytes() > candidate) candidate = round_up(start + length + page_bytes(), alignment);
    }
    return candidate <= end && guarded <= end - candidate ? candidate : 0;
}

}  // namespace simt

// SPDX-License-Identifier: MIT
#include "common/simt/runtime/device_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <string>

#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/exec/shared_window.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/events.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt {
namespace {

constexpr size_t alignment = texture_alignment;  // CUDA promises 256, but a texture may be on any allocation

// Allocations of a page or more get their own pages and a guard page; smaller ones share chunks. Linux limits the
// number of mappings (65530 by default), so beyond this many regions, those up to 64 KiB share chunks, too.
constexpr size_t many_regions = 16384;
constexpr size_t chunk_bytes = 1 << 20;
constexpr size_t largest_shared_block = 64 << 10;

constexpr size_t remembered_frees = 4096;

// Smaller allocations are granted without asking the machine how much memory is left.
constexpr size_t worth_asking = size_t{64} << 20;

constexpr size_t largest_reservation = size_t{256} << 30;

size_t red_zone(size_t bytes) { return std::clamp(bytes, events().smallest_red_zone, events().largest_red_zone); }

uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

}  // namespace

DeviceMemory::DeviceMemory(size_t bytes_per_device, int device_count)
    // Stacks, threads and the program itself need addresses, too.
    : space_(std::min(largest_reservation, address_limit() / 4), events().mapped_beside_memory),
      bytes_per_device_(std::min(bytes_per_device, space_.bytes() / std::max(device_count, 1))),
      used_(std::max(device_count, 1), 0) {
    if (space_.bytes() == 0 && device_count > 0) {
        end_program("the simulator has no address space for device memory", "raise the limit (ulimit -v)");
    }
}

bool DeviceMemory::affordable(size_t bytes, int device) const {
    if (bytes > bytes_per_device_ - std::min(bytes_per_device_, used_[device])) return false;
    return bytes < worth_asking || bytes < available_memory() / 10 * 9;
}

void* DeviceMemory::allocate(size_t bytes, MemoryKind kind, int device, unsigned flags) {
    const auto allocation = allocate_storage(bytes, kind, device, flags);
    if (!allocation) return nullptr;
    events().allocated(*allocation);
    return reinterpret_cast<void*>(allocation->base);
}

std::optional<Allocation> DeviceMemory::allocate_storage(size_t bytes, MemoryKind kind, int device, unsigned flags) {
    const std::lock_guard lock(mutex_);
    if (bytes > bytes_per_device_) return std::nullopt;
    const size_t rounded = round_up(bytes, alignment);
    const size_t occupied = rounded + round_up(red_zone(rounded), alignment);
    const bool shared = rounded < page_bytes() || (regions_in_use_ >= many_regions && rounded <= largest_shared_block);
    Storage storage;
    storage.charged = shared ? rounded : round_up(rounded, page_bytes());
    if (!affordable(storage.charged, device)) return std::nullopt;
    uintptr_t base = 0;
    if (shared) {
        base = take_small_block(occupied);
        storage.block = occupied;
    } else if ((storage.region = space_.take(occupied)) != 0) {
        // The end of the allocation, not its start, is at a page boundary: the guard page catches the first overrun.
        base = storage.region + storage.charged - rounded;
        ++regions_in_use_;
    }
    if (!base) return std::nullopt;
    storage.allocation = {base, bytes, next_serial_++, kind, device, flags};
    used_[device] += storage.charged;
    storages_.emplace(base, storage);
    return storage.allocation;
}

uintptr_t DeviceMemory::take_small_block(size_t bytes) {
    auto& waiting = free_blocks_[bytes];
    if (waiting.size() > events().quarantined_blocks) {
        const uintptr_t block = waiting.front();
        waiting.pop_front();
        std::memset(reinterpret_cast<void*>(block), 0, bytes);
        return block;
    }
    if (bytes > chunk_end_ - chunk_cursor_) {
        const uintptr_t chunk = space_.take(chunk_bytes);
        if (!chunk) return 0;
        chunk_cursor_ = chunk;
        chunk_end_ = chunk + chunk_bytes;
    }
    const uintptr_t block = chunk_cursor_;
    chunk_cursor_ += bytes;
    return block;
}

void DeviceMemory::release_storage(std::map<uintptr_t, Storage>::iterator position) {
    Storage& storage = position->second;
    if (storage.region) {
        space_.give_back(storage.region);
        --regions_in_use_;
    } else if (storage.block > 0) {
        free_blocks_[storage.block].push_back(storage.allocation.base);
    }
    used_[storage.allocation.device] -= storage.charged;
    events().freed(storage.allocation);
    storage.allocation.freed = true;
    freed_.push_back(storage.allocation);
    if (freed_.size() > remembered_frees) freed_.pop_front();
    storages_.erase(position);
}

bool DeviceMemory::release(const void* pointer, const std::function<bool(const Allocation&)>& accepts) {
    const std::lock_guard lock(mutex_);
    const auto found = storages_.find(number(pointer));
    if (found == storages_.end() || !accepts(found->second.allocation)) return false;
    release_storage(found);
    return true;
}

void DeviceMemory::release_all(int device) {
    const std::lock_guard lock(mutex_);
    for (auto position = storages_.begin(); position != storages_.end();) {
        const auto next = std::next(position);
        const Allocation& allocation = position->second.allocation;
        if (allocation.device == device && !allocation.is_symbol()) release_storage(position);
        position = next;
    }
}

bool DeviceMemory::adopt(const void* pointer, size_t bytes, MemoryKind kind, int device, unsigned flags) {
    const std::lock_guard lock(mutex_);
    const uintptr_t base = number(pointer);
    const auto next = storages_.upper_bound(base);
    if (next != storages_.end() && next->first < base + bytes) return false;
    if (next != storages_.begin() && std::prev(next)->second.allocation.contains(base)) return false;
    Storage storage;
    storage.allocation = {base, bytes, next_serial_++, kind, device, flags};
    storages_.emplace(base, storage);
    return true;
}

DeviceMemory::SharedPlace DeviceMemory::share(const void* pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = storages_.find(number(pointer));
    if (found == storages_.end() || found->second.allocation.kind != MemoryKind::device) return {};
    const auto region = space_.share(found->first);
    return {region.file, region.bytes, found->first - region.start, found->second.allocation.bytes};
}

void* DeviceMemory::attach(const SharedPlace& place, int device) {
    Allocation allocation;
    {
        const std::lock_guard lock(mutex_);
        Storage storage;
        storage.region = space_.take_shared(place.file, place.region_bytes);
        if (!storage.region) return nullptr;
        ++regions_in_use_;
        const uintptr_t base = storage.region + place.offset;
        allocation = {base, place.bytes, next_serial_++, MemoryKind::device, device, 0};
        storage.allocation = allocation;
        storages_.emplace(base, storage);
    }
    events().allocated(allocation);
    return reinterpret_cast<void*>(allocation.base);
}

bool DeviceMemory::disown(const void* pointer, MemoryKind kind) {
    return release(pointer, [kind](const Allocation& allocation) { return allocation.kind == kind; });
}

bool DeviceMemory::mark_free_pending(const void* pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = storages_.find(number(pointer));
    if (found == storages_.end() || found->second.allocation.free_pending) return false;
    const MemoryKind kind = found->second.allocation.kind;
    if (kind != MemoryKind::device && kind != MemoryKind::managed) return false;
    return found->second.allocation.free_pending = true;
}

const Allocation* DeviceMemory::find_locked(uintptr_t address) const {
    const auto next = storages_.upper_bound(address);
    if (next == storages_.begin()) return nullptr;
    const Allocation& candidate = std::prev(next)->second.allocation;
    return candidate.contains(address) ? &candidate : nullptr;
}

std::optional<Allocation> DeviceMemory::find(const void* address) const {
    const std::lock_guard lock(mutex_);
    const Allocation* found = find_locked(number(address));
    return found ? std::optional(*found) : std::nullopt;
}

std::optional<Allocation> DeviceMemory::nearest(const void* pointer) const {
    const std::lock_guard lock(mutex_);
    const uintptr_t address = number(pointer);
    const auto distance = [address](const Allocation& allocation) {
        if (allocation.contains(address)) return uintptr_t{0};
        return address < allocation.base ? allocation.base - address : address - allocation.base - allocation.bytes + 1;
    };
    const Allocation* best = nullptr;
    const auto consider = [&](const Allocation& allocation) {
        if (!best || distance(allocation) < distance(*best)) best = &allocation;
    };
    const auto next = storages_.upper_bound(address);
    if (next != storages_.end()) consider(next->second.allocation);
    if (next != storages_.begin()) consider(std::prev(next)->second.allocation);
    // If several freed allocations contained the address, the latest one is the most likely.
    std::for_each(freed_.rbegin(), freed_.rend(), consider);
    return best ? std::optional(*best) : std::nullopt;
}

std::vector<Allocation> DeviceMemory::live() const {
    const std::lock_guard lock(mutex_);
    std::vector<Allocation> all;
    for (const auto& [base, storage] : storages_) all.push_back(storage.allocation);
    return all;
}

std::vector<Allocation> DeviceMemory::live_constants() const {
    const std::lock_guard lock(mutex_);
    std::vector<Allocation> constants;
    for (const auto& [base, storage] : storages_) {
        if (storage.allocation.kind == MemoryKind::constant) constants.push_back(storage.allocation);
    }
    return constants;
}

size_t DeviceMemory::used_bytes(int device) const {
    const std::lock_guard lock(mutex_);
    return used_[device];
}

std::string describe(uintptr_t address, const Allocation& allocation) {
    const auto bytes = [](uintptr_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); };
    std::string where;
    if (allocation.contains(address)) {
        where = bytes(address - allocation.base) + " into";
    } else if (address < allocation.base) {
        where = bytes(allocation.base - address) + " before";
    } else {
        where = bytes(address - allocation.base - allocation.bytes) + " after";
    }
    static constexpr const char* origins[] = {"cudaMalloc",       "cudaMallocManaged", "cudaHostAlloc",
                                              "cudaHostRegister", "device variable",   "malloc in a kernel"};
    return where + " the " + (allocation.freed ? "freed " : "") + std::to_string(allocation.bytes) +
           "-byte allocation #" + std::to_string(allocation.serial) + " (" +
           origins[static_cast<int>(allocation.kind)] + ")";
}

}  // namespace simt

// ---- the spaces of addresses in device code

void simt::note_grid_constant(const volatile void* parameter, size_t bytes) {
    ResidentBlock* const block = ResidentBlock::current();
    const Uninterrupted section;
    if (block) block->grid_constants[reinterpret_cast<uintptr_t>(parameter)] = bytes;
}

simt::MemorySpace simt::space_of(const void* address) {
    const ResidentBlock* const block = ResidentBlock::current();
    if (!block) return MemorySpace::global;
    if (const auto own = reinterpret_cast<uintptr_t>(address); block->is_on_lane_stack(own)) {
        const auto behind = block->grid_constants.upper_bound(own);
        if (behind == block->grid_constants.begin()) return MemorySpace::local;
        const auto& [begin, bytes] = *std::prev(behind);
        return own - begin < bytes ? MemorySpace::grid_constant : MemorySpace::local;
    }
    static thread_local SharedWindow window;
    if (!window.is_current()) window = SharedWindow();
    if (window.contains(address)) return MemorySpace::shared;
    const Uninterrupted section;
    const auto allocation = runtime().memory.find(address);
    return allocation && allocation->kind == MemoryKind::constant ? MemorySpace::constant : MemorySpace::global;
}

// ---- malloc, calloc and free, new and delete in programs that simcc has built: see include/simt/device_functions.hpp

// clang++ before 19 declares these only when asked to, although every standard library has them.
void operator delete(void* pointer, size_t bytes) noexcept;
void operator delete[](void* pointer, size_t bytes) noexcept;

using namespace simt;

namespace {

// The simulator's own code allocates on the host, even on a thread that runs a kernel. Its call may come through the
// program's own operator new.
bool runs_device_code() { return in_kernel() && interruption.depth == 0; }

void* allocate_on_heap(size_t bytes) {
    const Uninterrupted section;
    // Kernels of all devices share one heap: it counts against the first device's memory.
    return runtime().memory.allocate(bytes, MemoryKind::heap, 0);
}

// `pc`: the place in the kernel.
void free_on_heap(void* pointer, const void* pc) {
    const Uninterrupted section;
    const auto from_heap = [](const Allocation& allocation) { return allocation.kind == MemoryKind::heap; };
    if (runtime().memory.release(pointer, from_heap)) return;
    if (BlockObserver* const observer = ResidentBlock::current()->observer()) observer->invalid_free(pointer, pc);
    fail_lane("free() of a pointer that is not, or no longer, on the device heap");
}

}  // namespace

extern "C" void* simt_malloc(size_t bytes) {
    if (!runs_device_code()) return std::malloc(bytes);
    return bytes ? allocate_on_heap(bytes) : nullptr;
}

extern "C" void* simt_calloc(size_t count, size_t bytes) {
    if (!runs_device_code()) return std::calloc(count, bytes);
    size_t all = 0;
    void* const memory = __builtin_mul_overflow(count, bytes, &all) ? nullptr : simt_malloc(all);
    if (memory) std::memset(memory, 0, all);
    return memory;
}

extern "C" void simt_free(void* pointer) {
    if (!runs_device_code()) return std::free(pointer);
    if (pointer) free_on_heap(pointer, __builtin_return_address(0));
}

namespace simt {
struct DeviceHeap {};
}  // namespace simt

void* operator new(size_t bytes, DeviceHeap) {
    return runs_device_code() ? allocate_on_heap(std::max<size_t>(bytes, 1)) : operator new(bytes);
}
void* operator new[](size_t bytes, DeviceHeap) {
    return runs_device_code() ? allocate_on_heap(std::max<size_t>(bytes, 1)) : operator new[](bytes);
}

namespace {

bool is_on_device_heap(const void* pointer) {
    return runs_device_code() && runtime().memory.address_space().contains(reinterpret_cast<uintptr_t>(pointer));
}

}  // namespace

// simcc replaces operator delete in checked code by calls to these. On the host they call the program's own operator,
// if there is one. That must never see a pointer to the device heap.
#define SIMT_DELETE(symbol, parameters, on_host)                                                   \
    extern "C" void symbol parameters {                                                            \
        if (is_on_device_heap(pointer)) return free_on_heap(pointer, __builtin_return_address(0)); \
        on_host;                                                                                   \
    }
SIMT_DELETE(simt_ZdlPv, (void* pointer), operator delete(pointer))
SIMT_DELETE(simt_ZdlPvm, (void* pointer, size_t bytes), operator delete(pointer, bytes))
SIMT_DELETE(simt_ZdaPv, (void* pointer), operator delete[](pointer))
SIMT_DELETE(simt_ZdaPvm, (void* pointer, size_t bytes), operator delete[](pointer, bytes))
#undef SIMT_DELETE

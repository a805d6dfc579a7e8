// SPDX-License-Identifier: MIT
// make: room -O1 (the host calls this room once per launch or copy, and no lane calls it)
#include "common/simt/runtime/graph_memory.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "common/simt/runtime/state.hpp"

namespace simt {
namespace {

struct Bytes {
    uint64_t now = 0, most = 0;

    void add(uint64_t bytes) { most = std::max(most, now += bytes); }
};

struct Records {
    std::mutex mutex;
    std::map<const void*, std::weak_ptr<GraphMemory>> all;
    std::map<const void*, std::shared_ptr<GraphMemory>> kept;
    std::map<int, Bytes> used, reserved;  // per device
};

Records& records() {
    static Records& all = *new Records;
    return all;
}

}  // namespace

std::shared_ptr<GraphMemory> GraphMemory::allocate(size_t bytes, int device) {
    void* const pointer = runtime().memory.allocate(bytes, MemoryKind::device, device);
    if (!pointer) return nullptr;
    auto memory = std::make_shared<GraphMemory>(pointer, bytes, device);
    const std::lock_guard lock(records().mutex);
    records().all[pointer] = memory;
    records().reserved[device].add(bytes);
    return memory;
}

GraphMemory::GraphMemory(void* pointer_, size_t bytes_, int device_)
    : pointer(pointer_), bytes(bytes_), device(device_), serial_(runtime().memory.find(pointer_)->serial) {}

// (After a reset of the device the address may be another allocation's.)
GraphMemory::~GraphMemory() {
    {
        const std::lock_guard lock(records().mutex);
        records().reserved[device].now -= bytes;
        const auto found = records().all.find(pointer);
        if (found != records().all.end() && found->second.expired()) records().all.erase(found);
    }
    runtime().memory.release(pointer, [this](const Allocation& allocation) { return allocation.serial == serial_; });
}

std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer) {
    const std::lock_guard lock(records().mutex);
    const auto found = records().all.find(pointer);
    return found == records().all.end() ? nullptr : found->second.lock();
}

bool keep_graph_memory(const std::shared_ptr<GraphMemory>& memory) {
    const std::lock_guard lock(records().mutex);
    const bool is_new = records().kept.emplace(memory->pointer, memory).second;
    if (is_new) records().used[memory->device].add(memory->bytes);
    return is_new;
}

std::shared_ptr<GraphMemory> drop_graph_memory(const void* pointer) {
    const std::lock_guard lock(records().mutex);
    const auto found = records().kept.find(pointer);
    if (found == records().kept.end()) return nullptr;
    auto memory = std::move(found->second);
    records().kept.erase(found);
    records().used[memory->device].now -= memory->bytes;
    return memory;
}

uint64_t graph_memory_bytes(int device, cudaGraphMemAttributeType attribute) {
    const std::lock_guard lock(records().mutex);
    switch (attribute) {
        case cudaGraphMemAttrUsedMemCurrent: return records().used[device].now;
        case cudaGraphMemAttrUsedMemHigh: return records().used[device].most;
        case cudaGraphMemAttrReservedMemCurrent: return records().reserved[device].now;
        default: return records().reserved[device].most;
    }
}

void forget_most_graph_memory(int device, cudaGraphMemAttributeType attribute) {
    const std::lock_guard lock(records().mutex);
    Bytes& bytes = (attribute == cudaGraphMemAttrUsedMemHigh ? records().used : records().reserved)[device];
    bytes.most = bytes.now;
}

}  // namespace simt

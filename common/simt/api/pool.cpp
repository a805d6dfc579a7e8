// SPDX-License-Identifier: MIT
// Stream-ordered allocation and memory pools.
//
// Memory is allocated at the call, which is safe because it is earlier than its place in the stream, and freed when the
// stream gets there. Pools do not keep freed memory: they only count what their allocations use.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/graph_memory.hpp"

using namespace simt;

namespace {

struct Pool {
    int device = 0;
    size_t limit = 0;  // bytes; 0: the device's memory
    std::mutex mutex;  // guards the members below
    std::map<cudaMemPoolAttr, uint64_t> attributes;
    uint64_t used = 0, most_used = 0;
    std::map<int, cudaMemAccessFlags> access;  // per device
};

HandleTable<Pool>& pools() {
    static HandleTable<Pool>& table = *new HandleTable<Pool>;
    return table;
}

// The pools of each device: its default pool, and the current one, which cudaDeviceSetMemPool may change.
class DevicePools {
public:
    std::shared_ptr<Pool> default_pool(int device) { return entry(device).first; }
    std::shared_ptr<Pool> current_pool(int device) { return entry(device).second; }
    void set_current(int device, std::shared_ptr<Pool> pool) { entry(device).second = std::move(pool); }

private:
    std::pair<std::shared_ptr<Pool>, std::shared_ptr<Pool>>& entry(int device) {
        const std::lock_guard lock(mutex_);
        auto& pair = pools_[device];
        if (!pair.first) {
            pair.first = pair.second = std::make_shared<Pool>();
            pair.first->device = device;
            pools().add(pair.first);
        }
        return pair;
    }

    std::mutex mutex_;
    std::map<int, std::pair<std::shared_ptr<Pool>, std::shared_ptr<Pool>>> pools_;
};

DevicePools& device_pools() {
    static DevicePools& all = *new DevicePools;
    return all;
}

// Which pool an allocation comes from, so that the pool can count its release.
class PoolMembers {
public:
    void add(const void* pointer, std::shared_ptr<Pool> pool, size_t bytes) {
        {
            const std::lock_guard lock(pool->mutex);
            pool->used += bytes;
            pool->most_used = std::max(pool->most_used, pool->used);
        }
        const std::lock_guard lock(mutex_);
        members_[pointer] = {std::move(pool), bytes};
    }
    void remove(const void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = members_.find(pointer);
        if (found == members_.end()) return;
        leave(found->second);
        members_.erase(found);
    }
    // Drops allocations that were freed by cudaFree or a reset, which do not notify the pool.
    void remove_freed() {
        const std::lock_guard lock(mutex_);
        std::erase_if(members_, [](const auto& entry) {
            const bool freed = !runtime().memory.find(entry.first);
            if (freed) leave(entry.second);
            return freed;
        });
    }

private:
    struct Member {
        std::shared_ptr<Pool> pool;
        size_t bytes = 0;
    };
    static void leave(const Member& member) {
        const std::lock_guard lock(member.pool->mutex);
        member.pool->used -= member.bytes;
    }

    std::mutex mutex_;
    std::map<const void*, Member> members_;
};

PoolMembers& members() {
    static PoolMembers& all = *new PoolMembers;
    return all;
}

cudaError_t allocate_from(std::shared_ptr<Pool> pool, void** pointer, size_t bytes, cudaStream_t stream_handle) {
    const auto stream = find_stream(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!pool || !pointer) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (stream->capturing()) {
        cudaMemAllocNodeParams parameters = {};
        parameters.poolProps.allocType = cudaMemAllocationTypePinned;
        parameters.poolProps.location = {cudaMemLocationTypeDevice, pool->device};
        parameters.bytesize = bytes;
        Operation operation;
        if (const cudaError_t error = allocation_operation(&parameters, operation)) return error;
        *pointer = parameters.dptr;
        return record(*stream, std::move(operation));
    }
    if (pool->limit > 0 && pool->used + bytes > pool->limit) return cudaErrorMemoryAllocation;
    *pointer = runtime().memory.allocate(bytes, MemoryKind::device, pool->device);
    if (!*pointer) return cudaErrorMemoryAllocation;
    members().add(*pointer, std::move(pool), bytes);
    if (events().orders_operations) {
        const Ticket allocated = stream->device().enqueue(
            *stream, [] { return 0; }, {}, Start::at_once_if_idle);
        events().allocated_in_stream(*pointer, bytes, allocated.note);
    }
    return cudaSuccess;
}

template <typename Body>
cudaError_t on_pool(cudaMemPool_t handle, Body body) {
    return api([&] {
        const auto pool = pools().find(handle);
        return pool ? body(*pool) : cudaErrorInvalidValue;
    });
}

bool is_switch(cudaMemPoolAttr attribute) {  // an int; the other attributes are 64-bit counts
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return api(
        [=] { return allocate_from(device_pools().current_pool(current_device_index()), pointer, bytes, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return api([=] { return allocate_from(pools().find(pool), pointer, bytes, stream); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream_handle) {
    return api([=] {
        if (!pointer) return cudaSuccess;
        const auto stream = find_stream(stream_handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (stream->capturing()) {
            Operation operation;
            if (const cudaError_t error = free_operation(pointer, operation)) return error;
            return record(*stream, std::move(operation));
        }
        if (const auto memory = drop_graph_memory(pointer))
            return dispatch(*stream, {cudaGraphNodeTypeMemFree, [memory] { return 0; }});
        if (!runtime().memory.mark_free_pending(pointer)) return cudaErrorInvalidValue;
        const cudaError_t error =
            dispatch(*stream, {cudaGraphNodeTypeMemFree, [pointer] {
                                   members().remove(pointer);
                                   runtime().memory.release(pointer, [](const Allocation&) { return true; });
                                   return 0;
                               }});
        events().freed_in_stream(pointer, stream->last_note());
        return error;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* handle, const cudaMemPoolProps* properties) {
    return api([=] {
        if (!handle || !properties) return cudaErrorInvalidValue;
        if (properties->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
        if (properties->location.type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
        if (!runtime().has_device(properties->location.id)) return cudaErrorInvalidDevice;
        auto pool = std::make_shared<Pool>();
        pool->device = properties->location.id;
        pool->limit = properties->maxSize;
        *handle = static_cast<cudaMemPool_t>(pools().add(std::move(pool)));
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return api([=] {
        const auto found = pools().find(pool);
        if (!found || device_pools().default_pool(found->device) == found) return cudaErrorInvalidValue;
        if (device_pools().current_pool(found->device) == found) {
            device_pools().set_current(found->device, device_pools().default_pool(found->device));
        }
        pools().remove(pool);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    return on_pool(pool, [](Pool&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return on_pool(handle, [=](Pool& pool) {
        if (!value) return cudaErrorInvalidValue;
        const std::lock_guard lock(pool.mutex);
        if (attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh) {
            if (*static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
            pool.most_used = pool.used;
            return cudaSuccess;
        }
        if (!is_switch(attribute) && attribute != cudaMemPoolAttrReleaseThreshold) return cudaErrorInvalidValue;
        pool.attributes[attribute] =
            is_switch(attribute) ? static_cast<uint64_t>(*static_cast<int*>(value)) : *static_cast<uint64_t*>(value);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return on_pool(handle, [=](Pool& pool) {
        if (!value) return cudaErrorInvalidValue;
        members().remove_freed();
        const std::lock_guard lock(pool.mutex);
        if (is_switch(attribute)) {
            const auto found = pool.attributes.find(attribute);
            *static_cast<int*>(value) = found == pool.attributes.end() ? 1 : static_cast<int>(found->second);
            return cudaSuccess;
        }
        auto& count = *static_cast<uint64_t*>(value);
        switch (attribute) {
            case cudaMemPoolAttrReleaseThreshold: count = pool.attributes[attribute]; return cudaSuccess;
            case cudaMemPoolAttrReservedMemCurrent:
            case cudaMemPoolAttrUsedMemCurrent: count = pool.used; return cudaSuccess;
            case cudaMemPoolAttrReservedMemHigh:
            case cudaMemPoolAttrUsedMemHigh: count = pool.most_used; return cudaSuccess;
            default: return cudaErrorInvalidValue;
        }
    });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* descriptions, size_t count) {
    return on_pool(handle, [=](Pool& pool) {
        if (!descriptions && count > 0) return cudaErrorInvalidValue;
        const std::lock_guard lock(pool.mutex);
        for (size_t i = 0; i < count; ++i) {
            if (!runtime().has_device(descriptions[i].location.id)) return cudaErrorInvalidDevice;
            pool.access[descriptions[i].location.id] = descriptions[i].flags;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation* location) {
    return on_pool(handle, [=](Pool& pool) {
        if (!flags || !location || !runtime().has_device(location->id)) return cudaErrorInvalidValue;
        const std::lock_guard lock(pool.mutex);
        const auto found = pool.access.find(location->id);
        const bool own = location->id == pool.device;
        *flags = found != pool.access.end() ? found->second
                 : own                      ? cudaMemAccessFlagsProtReadWrite
                                            : cudaMemAccessFlagsProtNone;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return api([=] {
        if (!pool) return cudaErrorInvalidValue;
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        *pool = reinterpret_cast<cudaMemPool_t>(device_pools().default_pool(device).get());
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return api([=] {
        if (!pool) return cudaErrorInvalidValue;
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        *pool = reinterpret_cast<cudaMemPool_t>(device_pools().current_pool(device).get());
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return on_pool(pool, [=](Pool& found) {
        if (!runtime().has_device(device) || found.device != device) return cudaErrorInvalidDevice;
        device_pools().set_current(device, pools().find(pool));
        return cudaSuccess;
    });
}

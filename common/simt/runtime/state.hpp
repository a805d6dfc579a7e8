// SPDX-License-Identifier: MIT
// The state behind the runtime API, created by the first call that needs it and never destroyed: streams may still run
// when a process ends.
//
// What the API acts on is in this room. In come calls whose arguments the API has checked (api/, nccl/), and launches
// from kernels; out go launches to the execution core (exec/run.hpp), error codes, and events to a client (events.hpp):
//   device, device_memory     devices and the memory that kernels can reach
//   stream, graph, grid       the order of work: queues and their events, graphs, what a kernel's threads start
//   copy, array, variables    what moves data
//   kernels                   what a kernel's symbols and the program say about it
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/simt/include/cuda_runtime_api.h"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/handle_table.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {

class Runtime {
public:
    Runtime();

    int device_count() const { return static_cast<int>(devices_.size()); }
    Device& device(int index) { return *devices_[index]; }
    bool has_device(int index) const { return index >= 0 && index < device_count(); }

    DeviceMemory memory;
    HandleTable<Stream> streams;  ///< streams created by the program
    HandleTable<Event> events;

private:
    std::vector<std::unique_ptr<Device>> devices_;
};

Runtime& runtime();

/// The __device__ and __constant__ variables of the program. Their constructors register them before main(), but must
/// not start the runtime before main() has decided whether to check. So the runtime adopts them when it starts.
class SymbolRegistry {
public:
    struct Symbol {
        const void* address;
        size_t bytes;
        MemoryKind kind;
        bool is_shared;  ///< by all devices
    };

    void remember(const Symbol& symbol);
    void hand_over_to(Runtime& started);

    bool has_symbols() const { return count_.load(std::memory_order_relaxed) > 0; }
    /// The symbols after the first `known` ones, in the order in which they were remembered.
    std::vector<Symbol> symbols_from(size_t known);

private:
    std::recursive_mutex mutex_;  // adopting calls runtime() again
    bool is_adopting_ = false;
    std::vector<Symbol> symbols_;
    std::atomic<size_t> count_ = 0;
    std::atomic<Runtime*> started_ = nullptr;
};

SymbolRegistry& symbol_registry();

/// The device that the calling thread chose with cudaSetDevice; 0 at first. In a kernel, the device that runs it.
int current_device_index();
void set_current_device_index(int index);
Device& current_device();

/// The stream behind a handle, or null. The handles null and cudaStreamLegacy are the default stream of the current
/// device (null is the per-thread one in programs built for that); cudaStreamPerThread is the calling thread's.
std::shared_ptr<Stream> find_stream(const void* handle);

// ---- descriptions of addresses for messages about faults

/// True if kernels may use the address: it is in a live allocation, in registered host memory or in a device variable.
bool is_device_address(const void* address);

/// "4 bytes after the 4096-byte allocation #3 (cudaMalloc)", or "" if no allocation is anywhere near.
std::string describe_address(const void* address);

}  // namespace simt

// SPDX-License-Identifier: MIT
// Memory that graphs allocate and free. Its addresses are fixed when the node is created. It is there for as long as a
// graph, or a launch of one, may use it, and until it is freed. Nothing happens when a launch reaches the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/simt/include/cuda_runtime_api.h"

namespace simt {

class GraphMemory {
public:
    /// Null if there is no room.
    static std::shared_ptr<GraphMemory> allocate(size_t bytes, int device);
    GraphMemory(void* pointer, size_t bytes, int device);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    void* const pointer;
    const size_t bytes;
    const int device;

private:
    const uint64_t serial_;
};

/// The memory of this address that a graph has allocated; null if no graph has, or the graph is gone.
std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer);

/// Memory that is allocated and not freed, in the order of the host's calls. keep() is false if it was before; drop()
/// gives back what was kept.
bool keep_graph_memory(const std::shared_ptr<GraphMemory>& memory);
std::shared_ptr<GraphMemory> drop_graph_memory(const void* pointer);

/// What cudaDeviceGetGraphMemAttribute says.
uint64_t graph_memory_bytes(int device, cudaGraphMemAttributeType attribute);
/// The highest number becomes the current one.
void forget_most_graph_memory(int device, cudaGraphMemAttributeType attribute);

}  // namespace simt

// SPDX-License-Identifier: MIT
#include "common/simt/api/graph_nodes.hpp"

#include <memory>
#include <mutex>
#include <utility>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/array.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/kernels.hpp"

namespace simt {
namespace {

HandleTable<Graph>& graphs() {
    static HandleTable<Graph>& table = *new HandleTable<Graph>;
    return table;
}

// A stream that never runs anything: launches into it become nodes of its graph.
class RecordingStream {
public:
    RecordingStream()
        : stream_(std::make_shared<Stream>(current_device(), Stream::Kind::created, cudaStreamNonBlocking, 0)) {
        runtime().streams.add(stream_);
        begin_capture(*stream_, graph_, {});
    }
    ~RecordingStream() {
        std::shared_ptr<Graph> recorded;
        end_capture(*stream_, recorded);
        runtime().streams.remove(stream_.get());
    }
    RecordingStream(const RecordingStream&) = delete;
    RecordingStream& operator=(const RecordingStream&) = delete;

    void* handle() const { return stream_.get(); }
    const Graph& graph() const { return *graph_; }

private:
    std::shared_ptr<Stream> stream_;
    std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

}  // namespace

cudaError_t kernel_operation(const cudaKernelNodeParams* parameters, Operation& operation) {
    if (!parameters) return cudaErrorInvalidValue;
    const void* kernel = parameters->func;
    KernelTrampoline* const trampoline = kernel_trampoline(kernel);
    if (!trampoline) return cudaErrorInvalidDeviceFunction;
    const RecordingStream stream;
    const dim3 &grid = parameters->gridDim, &block = parameters->blockDim;
    const Configuration configuration = {
        {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, parameters->sharedMemBytes, stream.handle(), false};
    const cudaError_t error = reported_by([&] { trampoline(kernel, configuration, parameters->kernelParams); });
    if (error) return error;
    operation = stream.graph().nodes.front()->operation;
    return cudaSuccess;
}

cudaError_t copy_operation(const cudaMemcpy3DParms* parameters, Operation& operation) {
    if (!parameters) return cudaErrorInvalidValue;
    BlockCopy copy;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    if (const cudaError_t error = block_copy(*parameters, copy, kind)) return error;
    if (const cudaError_t error = validate(copy, kind)) return error;
    operation = {cudaGraphNodeTypeMemcpy, copy_work(copy)};
    return cudaSuccess;
}

cudaError_t copy_operation(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& operation) {
    BlockCopy copy;
    copy.to = to;
    copy.from = from;
    copy.width = bytes;
    if (const cudaError_t error = validate(copy, kind)) return error;
    operation = {cudaGraphNodeTypeMemcpy, copy_work(copy)};
    return cudaSuccess;
}

cudaError_t fill_operation(const cudaMemsetParams* parameters, Operation& operation) {
    if (!parameters) return cudaErrorInvalidValue;
    const unsigned bytes = parameters->elementSize;
    if (bytes != 1 && bytes != 2 && bytes != 4) return cudaErrorInvalidValue;
    BlockFill fill;
    fill.to = parameters->dst;
    fill.pitch = parameters->pitch;
    fill.width = parameters->width * bytes;
    fill.height = parameters->height;
    fill.value = parameters->value;
    fill.element_bytes = bytes;
    if (const cudaError_t error = validate(fill)) return error;
    operation = {cudaGraphNodeTypeMemset, fill_work(fill)};
    return cudaSuccess;
}

cudaError_t host_operation(const cudaHostNodeParams* parameters, Operation& operation) {
    if (!parameters || !parameters->fn) return cudaErrorInvalidValue;
    operation = {cudaGraphNodeTypeHost,
                 host_function([function = parameters->fn, data = parameters->userData] { function(data); })};
    return cudaSuccess;
}

cudaError_t event_record_operation(cudaEvent_t handle, Operation& operation) {
    const auto event = runtime().events.find(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    operation = {cudaGraphNodeTypeEventRecord, [event] {
                     auto recording = std::make_shared<Recording>();  // without a ticket: it counts as reached at once
                     stamp(recording)();
                     const std::lock_guard lock(event->mutex);
                     event->recording = std::move(recording);
                     event->capture.reset();
                     return 0;
                 }};
    return cudaSuccess;
}

cudaError_t event_wait_operation(cudaEvent_t handle, Operation& operation) {
    const auto event = runtime().events.find(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    operation = {cudaGraphNodeTypeWaitEvent, [event] {
                     std::shared_ptr<Recording> recording;
                     {
                         const std::lock_guard lock(event->mutex);
                         recording = event->recording;
                     }
                     if (recording) recording->ticket.wait();
                     return 0;
                 }};
    return cudaSuccess;
}

std::shared_ptr<Graph> find_graph(cudaGraph_t handle) { return graphs().find(handle); }

cudaGraph_t add_graph(std::shared_ptr<Graph> graph) { return static_cast<cudaGraph_t>(graphs().add(std::move(graph))); }

bool remove_graph(cudaGraph_t handle) { return graphs().remove(handle) != nullptr; }

}  // namespace simt

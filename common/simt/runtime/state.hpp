// The state behind the runtime API, created by the first call that needs it and never destroyed: streams may still run
// when a process ends.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/include/cuda_runtime_api.h"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/event.hpp"
#include "common/simt/runtime/handle_table.hpp"

namespace simt {

class Runtime {
public:
    Runtime();

    int device_count() const { return static_cast<int>(devices_.size()); }
    Device& device(int index) { return *devices_[index]; }
    bool has_device(int index) const { return index >= 0 && index < device_count(); }

    DeviceMemory memory;
    HandleTable<Stream> streams;  // streams created by the program
    HandleTable<Event> events;

private:
    std::vector<std::unique_ptr<Device>> devices_;
};

Runtime& runtime();

// The device that the calling thread chose with cudaSetDevice; 0 at first.
int current_device_index();
void set_current_device_index(int index);
Device& current_device();

// The stream behind a handle: null and cudaStreamLegacy are the default stream of the current device (null is the
// per-thread one in programs built for that), cudaStreamPerThread the calling thread's. Null: there is no such stream.
std::shared_ptr<Stream> find_stream(const void* handle);

}  // namespace simt

// SPDX-License-Identifier: MIT
// Device memory and events of several processes of one machine. A handle names a file of the process that made it: what
// /proc shows of its descriptors. So it is good for as long as that process runs, as in CUDA.
#include "common/simt/api/interprocess.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <utility>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/events.hpp"

using namespace simt;

namespace {

constexpr uint64_t memory_mark = 0x6d656d6f72793031, event_mark = 0x6576656e74303031;

/// The contents of both kinds of handles; events leave the places 0.
struct Handle {
    uint64_t mark;
    int process, file, device, reserved;
    uint64_t region_bytes, offset, bytes;

    template <typename Opaque>
    void store(Opaque* opaque) const {
        static_assert(sizeof(Handle) <= sizeof(Opaque));
        std::memset(opaque, 0, sizeof *opaque);
        std::memcpy(opaque, this, sizeof *this);
    }
    template <typename Opaque>
    static Handle load(const Opaque& opaque) {
        Handle handle;
        std::memcpy(&handle, &opaque, sizeof handle);
        return handle;
    }

    /// A descriptor of this process; -1 if the other has ended, or forbids it.
    int open_file() const {
        const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
        return open(path.c_str(), O_RDWR | O_CLOEXEC);
    }
};

/// The memory of other processes that this one has opened, and how often.
class OpenedMemory {
public:
    cudaError_t open(const Handle& handle, void** pointer) {
        const std::lock_guard lock(mutex_);
        const auto key = std::tuple(handle.process, handle.file, handle.offset);
        Opened& opened = opened_[key];
        if (opened.times++ == 0) {
            const int device = runtime().has_device(handle.device) ? handle.device : current_device_index();
            const int file = handle.open_file();
            if (file >= 0) {
                opened.pointer =
                    runtime().memory.attach({file, handle.region_bytes, handle.offset, handle.bytes}, device);
                if (!opened.pointer) close(file);
            }
            if (!opened.pointer) {
                opened_.erase(key);
                return file < 0 ? cudaErrorInvalidResourceHandle : cudaErrorMapBufferObjectFailed;
            }
            BlockFill written;  // by the other process
            written.to = opened.pointer;
            written.width = handle.bytes;
            written.height = 1;
            events().filled(written);
        }
        *pointer = opened.pointer;
        return cudaSuccess;
    }

    cudaError_t close_memory(const void* pointer) {
        const std::lock_guard lock(mutex_);
        for (auto& [key, opened] : opened_) {
            if (opened.pointer != pointer) continue;
            if (--opened.times > 0) return cudaSuccess;
            current_device().synchronize();
            runtime().memory.release(pointer, [](const Allocation&) { return true; });
            opened_.erase(key);
            return cudaSuccess;
        }
        return cudaErrorInvalidValue;
    }

private:
    struct Opened {
        void* pointer = nullptr;
        unsigned times = 0;
    };
    std::mutex mutex_;
    std::map<std::tuple<int, int, uint64_t>, Opened> opened_;
};

OpenedMemory& opened_memory() {
    static OpenedMemory& all = *new OpenedMemory;
    return all;
}

/// The event in a file, which the result closes.
std::shared_ptr<SharedEvent> map_event(int file) {
    void* const page = mmap(nullptr, sizeof(SharedEvent), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) return nullptr;
    return {static_cast<SharedEvent*>(page), [file](SharedEvent* event) {
                munmap(event, sizeof *event);
                close(file);
            }};
}

/// The files of this process's own events.
std::map<const SharedEvent*, int>& event_files() {
    static auto& files = *new std::map<const SharedEvent*, int>;
    return files;
}
std::mutex event_files_mutex;

}  // namespace

bool simt::share_event(Event& event) {
    const int file = memfd_create("event", MFD_CLOEXEC);
    if (file < 0) return false;
    if (ftruncate(file, sizeof(SharedEvent)) == 0) event.shared = map_event(file);
    if (!event.shared) {
        close(file);
        return false;
    }
    new (event.shared.get()) SharedEvent;
    const std::lock_guard lock(event_files_mutex);
    event_files()[event.shared.get()] = file;
    return true;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
    return api([=] {
        if (!handle || !pointer) return cudaErrorInvalidValue;
        const auto allocation = runtime().memory.find(pointer);
        if (!allocation || allocation->kind != MemoryKind::device) return cudaErrorInvalidValue;
        runtime().device(allocation->device).synchronize();
        const auto place = runtime().memory.share(pointer);
        if (place.bytes == 0) return cudaErrorInvalidValue;  // not the start of an allocation
        if (place.file < 0) return cudaErrorMapBufferObjectFailed;
        Handle{memory_mark, getpid(), place.file, allocation->device, 0, place.region_bytes, place.offset, place.bytes}
            .store(handle);
        return cudaSuccess;
    });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t opaque, unsigned flags) {
    return api([=] {
        const Handle handle = Handle::load(opaque);
        if (!pointer || flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
        if (handle.mark != memory_mark) return cudaErrorInvalidResourceHandle;
        if (handle.process == getpid()) return cudaErrorDeviceUninitialized;  // as CUDA says it
        return opened_memory().open(handle, pointer);
    });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
    return api([=] { return opened_memory().close_memory(pointer); });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event_handle) {
    return api([=] {
        const auto event = runtime().events.find(event_handle);
        if (!handle || !event) return cudaErrorInvalidResourceHandle;
        const std::lock_guard lock(event_files_mutex);
        const auto file = event_files().find(event->shared.get());
        if (file == event_files().end()) return cudaErrorInvalidResourceHandle;
        Handle{event_mark, getpid(), file->second, event->device, 0, 0, 0, 0}.store(handle);
        return cudaSuccess;
    });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event_handle, cudaIpcEventHandle_t opaque) {
    return api([=] {
        const Handle handle = Handle::load(opaque);
        if (!event_handle) return cudaErrorInvalidValue;
        if (handle.mark != event_mark) return cudaErrorInvalidResourceHandle;
        const int file = handle.open_file();
        if (file < 0) return cudaErrorInvalidResourceHandle;
        auto event = std::make_shared<Event>(cudaEventDisableTiming | cudaEventInterprocess, current_device_index());
        event->shared = map_event(file);
        if (!event->shared) {
            close(file);
            return cudaErrorMapBufferObjectFailed;
        }
        *event_handle = static_cast<cudaEvent_t>(runtime().events.add(std::move(event)));
        return cudaSuccess;
    });
}

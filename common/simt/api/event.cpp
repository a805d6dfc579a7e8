// SPDX-License-Identifier: MIT
// Events: recording, waiting, and the time between two of them.
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph.hpp"
#include "common/simt/api/interprocess.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/grid.hpp"

using namespace simt;

namespace {

template <typename Body>
cudaError_t on_event(cudaEvent_t handle, Body body) {
    return api([&] {
        const auto event = runtime().events.find(handle);
        return event ? body(*event) : cudaErrorInvalidResourceHandle;
    });
}

// In a captured stream, recording an external event becomes a node, which records it whenever the graph runs.
cudaError_t capture_record_node(Stream& stream, cudaEvent_t event) {
    Operation operation;
    if (const cudaError_t error = event_record_operation(event, operation)) return error;
    return record(stream, std::move(operation));
}

std::shared_ptr<Recording> recording_of(Event& event) {
    const std::lock_guard lock(event.mutex);
    return event.recording;
}

// ---- events of several processes

/// The work of a record: others learn that the stream has reached it.
Work tell_others(Work work, const std::shared_ptr<SharedEvent>& shared, uint64_t number) {
    return [work = std::move(work), shared, number] {
        const int error = work();
        uint64_t before = shared->reached.load();
        while (before < number && !shared->reached.compare_exchange_weak(before, number)) {}
        return error;
    };
}

/// The number of the last record, if another process has made it; else 0.
uint64_t record_of_others(Event& event) {
    if (!event.shared) return 0;
    const std::lock_guard lock(event.mutex);
    const uint64_t last = event.shared->recorded.load();
    return last == event.own_record ? 0 : last;
}

void wait_for_others(const SharedEvent& event, uint64_t number) {
    while (event.reached.load() < number) usleep(50);
}

}  // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
    return api_everywhere([=] {
        if (Grid* const grid = Grid::running()) {
            if (!handle || flags != cudaEventDisableTiming) return cudaErrorInvalidValue;
            *handle = static_cast<cudaEvent_t>(grid->create_event());
            return *handle ? cudaSuccess : cudaErrorMemoryAllocation;
        }
        constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
        if (!handle || flags & ~known) return cudaErrorInvalidValue;
        if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
        auto event = std::make_shared<Event>(flags, current_device_index());
        if ((flags & cudaEventInterprocess) && !share_event(*event)) return cudaErrorOperatingSystem;
        *handle = static_cast<cudaEvent_t>(runtime().events.add(std::move(event)));
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return api_everywhere([=] {
        Grid* const grid = Grid::running();
        const bool is_known = grid ? grid->destroy_event(handle) : runtime().events.remove(handle) != nullptr;
        return is_known ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags) {
    if (Grid* const grid = Grid::running()) {
        return api_everywhere([=] { return flags ? cudaErrorInvalidValue : grid->record(handle, stream_handle); });
    }
    return on_event(handle, [=](Event& event) {
        if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
        const auto stream = find_stream(stream_handle);
        if (!stream || stream->device().index() != event.device) return cudaErrorInvalidResourceHandle;
        if (stream->capturing()) {
            const bool external = flags == cudaEventRecordExternal;
            return external ? capture_record_node(*stream, handle) : capture_event(*stream, event);
        }
        auto recording = std::make_shared<Recording>();
        const std::lock_guard lock(event.mutex);
        Work work = stamp(recording);
        if (event.shared) {
            event.own_record = event.shared->recorded.fetch_add(1) + 1;
            work = tell_others(std::move(work), event.shared, event.own_record);
        }
        recording->ticket = stream->device().enqueue(*stream, std::move(work), {}, Start::at_once_if_idle);
        event.recording = std::move(recording);
        event.capture.reset();
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return on_event(handle, [](Event& event) {
        if (event.captured()) return cudaErrorCapturedEvent;
        if (const uint64_t number = record_of_others(event)) wait_for_others(*event.shared, number);
        else if (const auto recording = recording_of(event)) recording->ticket.host_waits();
        return static_cast<cudaError_t>(runtime().device(event.device).broken());
    });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    return on_event(handle, [](Event& event) {
        if (event.captured()) return cudaErrorCapturedEvent;
        if (const uint64_t number = record_of_others(event))
            return event.shared->reached.load() >= number ? cudaSuccess : cudaErrorNotReady;
        const auto recording = recording_of(event);
        return !recording || recording->ticket.host_sees_done() ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
    return api([=] {
        if (!milliseconds) return cudaErrorInvalidValue;
        const auto start = runtime().events.find(start_handle), end = runtime().events.find(end_handle);
        if (!start || !end || (start->flags | end->flags) & cudaEventDisableTiming) {
            return cudaErrorInvalidResourceHandle;
        }
        const auto started = recording_of(*start), ended = recording_of(*end);
        if (!started || !ended) return cudaErrorInvalidResourceHandle;
        if (!started->ticket.done() || !ended->ticket.done()) return cudaErrorNotReady;
        *milliseconds = static_cast<float>(static_cast<double>(ended->nanoseconds - started->nanoseconds) * 1e-6);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t event_handle, unsigned flags) {
    if (Grid* const grid = Grid::running()) {
        return api_everywhere([=] { return flags ? cudaErrorInvalidValue : grid->wait(stream_handle, event_handle); });
    }
    return on_event(event_handle, [=](Event& event) {
        if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
        const auto stream = find_stream(stream_handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (event.captured() || stream->capturing()) return capture_wait(*stream, event);
        if (const uint64_t number = record_of_others(event)) {
            const auto wait = [shared = event.shared, number] {
                wait_for_others(*shared, number);
                return 0;
            };
            stream->device().enqueue(*stream, wait, {}, Start::on_thread);
            return cudaSuccess;
        }
        const auto recording = recording_of(event);
        if (!recording || recording->ticket.stream == stream) return cudaSuccess;
        if (recording->ticket.done() && !events().orders_operations) return cudaSuccess;
        const auto nothing = [] { return 0; };
        stream->device().enqueue(*stream, nothing, {recording->ticket}, Start::on_thread);
        return cudaSuccess;
    });
}

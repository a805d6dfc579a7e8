// SPDX-License-Identifier: MIT
#include "common/simt/runtime/copy.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/runtime/events.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/grid.hpp"
#include "common/simt/runtime/state.hpp"
#include "common/simt/runtime/variables.hpp"

namespace simt {
namespace {

// Pageable sources up to this size are read at once and copied when the stream gets there, as in CUDA's driver.
constexpr size_t largest_staged_copy = 64 << 10;

enum class Side { host, device, either };

Side source_side(cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDefault) return Side::either;
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost ? Side::host : Side::device;
}

Side destination_side(cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDefault) return Side::either;
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost ? Side::host : Side::device;
}

// The bytes from the first to the last one that the rows and slices touch.
size_t span(size_t pitch, size_t slice, size_t width, size_t height, size_t depth) {
    return (depth - 1) * slice + (height - 1) * pitch + width;
}

cudaError_t check_range(const void* pointer, size_t bytes, Side side) {
    if (!pointer) return cudaErrorInvalidValue;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const DeviceMemory& memory = runtime().memory;
    const auto allocation = memory.find(pointer);
    if (!allocation) {
        const bool freed_or_wild = memory.address_space().contains(address);
        return freed_or_wild || side == Side::device ? cudaErrorInvalidValue : cudaSuccess;
    }
    if (side == Side::host && !allocation->host_can_reach()) return cudaErrorInvalidValue;
    // On the host side of a copy, registered memory may be part of a larger object.
    if (allocation->kind == MemoryKind::registered && side == Side::host) return cudaSuccess;
    return allocation->contains(address, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

bool pageable(const void* pointer) { return !runtime().memory.find(pointer).has_value(); }

bool is_on_device(const void* pointer) {
    const auto allocation = runtime().memory.find(pointer);
    return allocation && !allocation->host_can_reach();
}

template <typename Row>
void for_each_row(size_t height, size_t depth, Row row) {
    for (size_t z = 0; z < depth; ++z) {
        for (size_t y = 0; y < height; ++y) row(y, z);
    }
}

void perform(const BlockCopy& copy) {
    auto* to = static_cast<char*>(copy.to);
    auto* from = static_cast<const char*>(copy.from);
    for_each_row(copy.height, copy.depth, [&](size_t y, size_t z) {
        std::memmove(to + z * copy.to_slice + y * copy.to_pitch, from + z * copy.from_slice + y * copy.from_pitch,
                     copy.width);
    });
}

void perform(const BlockFill& fill) {
    for_each_row(fill.height, fill.depth, [&](size_t y, size_t z) {
        char* row = static_cast<char*>(fill.to) + z * fill.slice + y * fill.pitch;
        if (fill.element_bytes == 1) {
            std::memset(row, static_cast<int>(fill.value), fill.width);
            return;
        }
        for (size_t at = 0; at < fill.width; at += fill.element_bytes) {
            std::memcpy(row + at, &fill.value, fill.element_bytes);  // the low bytes, in little endian
        }
    });
}

// A copy from a staging buffer, which is filled now and lives until the stream has read it.
Work staged_copy_work(const BlockCopy& copy) {
    const size_t bytes = span(copy.from_pitch, copy.from_slice, copy.width, copy.height, copy.depth);
    const auto* from = static_cast<const char*>(copy.from);
    auto staged = std::make_shared<std::vector<char>>(from, from + bytes);
    BlockCopy from_staged = copy;
    from_staged.from = staged->data();
    return [from_staged, staged] {
        events().copied(from_staged, nullptr);
        perform(from_staged);
        return 0;
    };
}

}  // namespace

cudaError_t validate(const BlockCopy& copy, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (copy.empty()) return cudaSuccess;
    if (copy.height > 1 && (copy.to_pitch < copy.width || copy.from_pitch < copy.width)) {
        return cudaErrorInvalidPitchValue;
    }
    const size_t to_bytes = span(copy.to_pitch, copy.to_slice, copy.width, copy.height, copy.depth);
    const size_t from_bytes = span(copy.from_pitch, copy.from_slice, copy.width, copy.height, copy.depth);
    if (const cudaError_t error = check_range(copy.to, to_bytes, destination_side(kind))) return error;
    return check_range(copy.from, from_bytes, source_side(kind));
}

cudaError_t validate(const BlockFill& fill) {
    if (fill.width == 0 || fill.height == 0 || fill.depth == 0) return cudaSuccess;
    if (fill.height > 1 && fill.pitch < fill.width) return cudaErrorInvalidPitchValue;
    return check_range(fill.to, span(fill.pitch, fill.slice, fill.width, fill.height, fill.depth), Side::device);
}

Work copy_work(const BlockCopy& asked) {
    BlockCopy copy = asked;
    copy.request = nullptr;  // the work outlives it
    return [copy, request = events().copy_requested()] {
        if (copy.empty() || copy.width * copy.height * copy.depth > events().most_moved_bytes) return 0;
        events().copied(copy, request);
        perform(copy);
        return 0;
    };
}

Work fill_work(const BlockFill& fill) {
    return [fill] {
        if (fill.width * fill.height * fill.depth > events().most_moved_bytes) return 0;
        events().filled(fill);
        perform(fill);
        return 0;
    };
}

NodeParameters parameters_of(const BlockCopy& copy, cudaMemcpyKind kind) {
    if (copy.request) return *copy.request;
    const auto end = [&](void* start, size_t pitch) {
        return cudaPitchedPtr{start, pitch ? pitch : copy.width, copy.width, copy.height};
    };
    cudaMemcpy3DParms parameters = {};
    parameters.srcPtr = end(const_cast<void*>(copy.from), copy.from_pitch);
    parameters.dstPtr = end(copy.to, copy.to_pitch);
    parameters.extent = {copy.width, copy.height, copy.depth};
    parameters.kind = kind;
    return parameters;
}

NodeParameters parameters_of(const BlockFill& fill) {
    if (fill.depth > 1) return {};  // a node fills two dimensions
    return cudaMemsetParams{fill.to,    fill.pitch, fill.value, fill.element_bytes, fill.width / fill.element_bytes,
                            fill.height};
}

bool is_staged(const BlockCopy& copy) { return pageable(copy.from) && is_on_device(copy.to); }

cudaError_t start_copy(const BlockCopy& copy, cudaMemcpyKind kind, const void* stream_handle, bool asynchronous) {
    if (Grid* const grid = Grid::running()) {  // kernels copy between device memory only
        if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
        const cudaError_t error = validate(copy, cudaMemcpyDeviceToDevice);
        return error ? error : grid->submit(copy_work(copy), stream_handle);
    }
    if (const cudaError_t error = validate(copy, kind)) return error;
    const auto stream = find_stream(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    const auto start = [&](Work work, Start how) {
        Work in_order = in_turn(stream->device(), copy.from, copy.to, std::move(work));
        return dispatch(*stream, {cudaGraphNodeTypeMemcpy, std::move(in_order)}, how);
    };
    if (stream->capturing()) {
        Work in_order = in_turn(stream->device(), copy.from, copy.to, copy_work(copy));
        return dispatch(*stream, {cudaGraphNodeTypeMemcpy, std::move(in_order), parameters_of(copy, kind)});
    }
    if (asynchronous && !copy.empty()) {
        if (!pageable(copy.to) && !pageable(copy.from)) return start(copy_work(copy), Start::on_thread);
        if (!pageable(copy.to) && copy.width * copy.height * copy.depth <= largest_staged_copy) {
            return start(staged_copy_work(copy), Start::on_thread);
        }
    }
    if (copy.empty() || !is_staged(copy)) return start(copy_work(copy), Start::by_waiting);
    if (!asynchronous)
        stream->device()
            .enqueue(
                *stream, [] { return 0; }, {}, Start::by_waiting)
            .host_waits();
    return start(copy_work(copy), Start::by_staging);
}

cudaError_t start_fill(const BlockFill& fill, const void* stream_handle, bool asynchronous) {
    if (const cudaError_t error = validate(fill)) return error;
    if (Grid* const grid = Grid::running()) return grid->submit(fill_work(fill), stream_handle);
    const auto stream = find_stream(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    // CUDA's own cudaMemset does not wait either; filling at once saves the switch to another thread.
    const bool small = fill.width * fill.height * fill.depth <= largest_staged_copy;
    const Start start = asynchronous && !small ? Start::on_thread : Start::at_once_if_idle;
    Work in_order = in_turn(stream->device(), nullptr, fill.to, fill_work(fill));
    NodeParameters parameters = stream->capturing() ? parameters_of(fill) : NodeParameters{};
    return dispatch(*stream, {cudaGraphNodeTypeMemset, std::move(in_order), std::move(parameters)}, start);
}

}  // namespace simt

// SPDX-License-Identifier: MIT
#include "common/simt/library/call.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "common/simt/include/driver_types.h"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/variables.hpp"

namespace simt::library {
namespace {

size_t bytes_of(const Buffer& buffer) {
    if (buffer.width == 0 || buffer.rows == 0) return 0;
    return (buffer.rows - 1) * buffer.pitch + buffer.width;
}

std::string in_hexadecimal(const void* pointer) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%zx", static_cast<size_t>(reinterpret_cast<uintptr_t>(pointer)));
    return text;
}

// What is wrong with a buffer, if anything.
std::optional<std::string> wrong_with(const Buffer& buffer, const Device& device) {
    const size_t bytes = bytes_of(buffer);
    if (bytes == 0) return std::nullopt;
    const std::string which = std::string(buffer.name) + " " + in_hexadecimal(buffer.pointer);
    if (!buffer.pointer) return std::string(buffer.name) + " is null";
    const auto address = reinterpret_cast<uintptr_t>(buffer.pointer);
    const auto allocation = runtime().memory.find(buffer.pointer);
    if (!allocation) {
        if (!runtime().memory.address_space().contains(address)) return which + " is memory of the host";
        const std::string where = describe_address(buffer.pointer);
        return which + " is in no allocation" + (where.empty() ? "" : ": " + where);
    }
    if (!allocation->host_can_reach() && !allocation->is_symbol() && allocation->device != device.index()) {
        return which + " is memory of device " + std::to_string(allocation->device) + ", but the stream belongs to " +
               "device " + std::to_string(device.index());
    }
    if (allocation->contains(address, bytes)) return std::nullopt;
    return which + ": the call needs " + std::to_string(bytes) + " bytes, but the allocation #" +
           std::to_string(allocation->serial) + " of " + std::to_string(allocation->bytes) + " bytes ends after " +
           std::to_string(allocation->base + allocation->bytes - address);
}

void announce(const Buffer& buffer, const ClientNote& note) {
    if (bytes_of(buffer) == 0) return;
    // (Rows without gaps are one.)
    const bool is_dense = buffer.pitch == buffer.width;
    BlockCopy out;
    out.width = is_dense ? buffer.width * buffer.rows : buffer.width;
    out.height = is_dense ? 1 : buffer.rows;
    out.to_pitch = out.from_pitch = buffer.pitch;
    BlockCopy in = out;
    out.from = buffer.pointer;
    in.to = const_cast<void*>(buffer.pointer);
    if (buffer.use != Use::writes) events().copied(out, note);
    if (buffer.use != Use::reads) events().copied(in, note);
}

}  // namespace

cudaError_t submit(const std::shared_ptr<Stream>& stream, Call call, bool waits) {
    Device& device = stream->device();
    Work work = [call = std::move(call), &device] {
        const std::vector<Buffer> buffers = call.buffers();
        for (const Buffer& buffer : buffers) {
            const auto wrong = wrong_with(buffer, device);
            if (!wrong) continue;
            const std::string text = std::string(call.function) + ": " + *wrong;
            if (!events().library_misused(text, call.note)) say_once(text);
            return static_cast<int>(cudaErrorIllegalAddress);
        }
        for (const Buffer& buffer : buffers) announce(buffer, call.note);
        call.work();
        return static_cast<int>(cudaSuccess);
    };
    Work in_order = in_turn(device, nullptr, nullptr, std::move(work));
    return dispatch(*stream, {cudaGraphNodeTypeKernel, std::move(in_order)},
                    waits ? Start::by_waiting : Start::on_thread);
}

bool is_of_host(const void* pointer) {
    const auto allocation = runtime().memory.find(pointer);
    return !allocation || allocation->host_can_reach();
}

void say_once(const std::string& text) {
    static std::mutex& mutex = *new std::mutex;
    static auto& told = *new std::unordered_set<std::string>;
    const std::lock_guard lock(mutex);
    if (!told.insert(text).second) return;
    const std::string line = std::string(program_invocation_short_name) + ": " + text + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

void* open_library(const std::vector<const char*>& names) {
    const char* const wanted = std::getenv("SIMCC_LIBRARIES");
    if (wanted && std::string_view(wanted) == "own") return nullptr;
    for (const char* const name : names) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

}  // namespace simt::library

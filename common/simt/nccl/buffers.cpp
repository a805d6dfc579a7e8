// SPDX-License-Identifier: MIT
#include "common/simt/nccl/buffers.hpp"

#include <cstdint>
#include <cstdio>

#include "common/simt/runtime/state.hpp"

namespace simt::nccl {
namespace {

size_t ranks_of(const Call& call) { return static_cast<size_t>(call.communicator->ranks()); }
bool is_root(const Call& call) { return call.communicator->rank() == call.root; }
uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

std::string in_hexadecimal(const void* pointer) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%zx", static_cast<size_t>(number(pointer)));
    return text;
}

// (Device variables are allowed on any device: there is one storage for all.)
std::optional<std::string> wrong_with(const char* name, const void* pointer, size_t bytes, const Call& call) {
    if (bytes == 0) return std::nullopt;
    const std::string which = std::string(name) + " " + in_hexadecimal(pointer);
    const std::string device = "device " + std::to_string(call.communicator->device);
    if (!pointer) return std::string(name) + " is null";
    const auto allocation = runtime().memory.find(pointer);
    if (!allocation) {
        if (!runtime().memory.address_space().contains(number(pointer))) {
            return which + " is memory of the host; NCCL needs memory of " + device;
        }
        const std::string where = describe_address(pointer);
        return which + " is in no allocation" + (where.empty() ? "" : ": " + where);
    }
    if (!allocation->host_can_reach() && !allocation->is_symbol() && allocation->device != call.communicator->device) {
        return which + " is memory of device " + std::to_string(allocation->device) +
               ", but the communicator's rank is on " + device;
    }
    if (allocation->contains(number(pointer), bytes)) return std::nullopt;
    return which + ": the call needs " + std::to_string(bytes) + " bytes, but the allocation #" +
           std::to_string(allocation->serial) + " of " + std::to_string(allocation->bytes) + " bytes ends after " +
           std::to_string(allocation->base + allocation->bytes - number(pointer));
}

// The offset of an in-place call's receive buffer from its send buffer, in bytes; none if there is no in-place form.
std::optional<ptrdiff_t> distance_in_place(const Call& call) {
    const auto block = static_cast<ptrdiff_t>(call.count * call.element());
    switch (call.kind) {
        case Kind::all_reduce:
        case Kind::reduce:
        case Kind::broadcast: return 0;
        case Kind::reduce_scatter:
        case Kind::scatter: return call.communicator->rank() * block;
        case Kind::all_gather:
        case Kind::gather: return -(call.communicator->rank() * block);
        default: return std::nullopt;
    }
}

std::optional<std::string> wrong_with_overlap(const Call& call) {
    const uintptr_t from = number(call.send), to = number(call.receive);
    if (from >= to + bytes_received(call) || to >= from + bytes_sent(call)) return std::nullopt;
    const auto distance = static_cast<ptrdiff_t>(to - from);
    const auto in_place = distance_in_place(call);
    if (in_place && distance == *in_place) return std::nullopt;
    std::string text = "sendbuff and recvbuff overlap: recvbuff begins " + std::to_string(distance) +
                       " bytes after the beginning of sendbuff; ";
    if (in_place) return text + "in place it would be " + std::to_string(*in_place);
    return text + "this collective has no in-place form";
}

}  // namespace

size_t bytes_sent(const Call& call) {
    const size_t block = call.count * call.element();
    switch (call.kind) {
        case Kind::reduce_scatter:
        case Kind::all_to_all: return block * ranks_of(call);
        case Kind::broadcast: return is_root(call) ? block : 0;
        case Kind::scatter: return is_root(call) ? block * ranks_of(call) : 0;
        case Kind::receive: return 0;
        default: return block;
    }
}

size_t bytes_received(const Call& call) {
    const size_t block = call.count * call.element();
    switch (call.kind) {
        case Kind::all_gather:
        case Kind::all_to_all: return block * ranks_of(call);
        case Kind::reduce: return is_root(call) ? block : 0;
        case Kind::gather: return is_root(call) ? block * ranks_of(call) : 0;
        case Kind::send: return 0;
        default: return block;
    }
}

std::optional<std::string> wrong_with_buffers(const Call& call) {
    const size_t sent = bytes_sent(call), received = bytes_received(call);
    if (const auto wrong = wrong_with("sendbuff", call.send, sent, call)) return wrong;
    if (const auto wrong = wrong_with("recvbuff", call.receive, received, call)) return wrong;
    return sent > 0 && received > 0 ? wrong_with_overlap(call) : std::nullopt;
}

}  // namespace simt::nccl

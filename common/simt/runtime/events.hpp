// The runtime's events: a table of functions, in which a client installs its own. The runtime knows nothing else of its
// client; without a client the functions do nothing. What happens inside a launch goes to an observer
// (exec/observer.hpp), which the client provides when the launch is submitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/driver_types.h"

namespace simt {

struct Allocation;
struct BlockCopy;
struct BlockFill;
struct Launch;

// The client's note on one of the runtime's objects; the runtime keeps it and hands it back. Null: no note.
using ClientNote = std::shared_ptr<const void>;

// An operation in one of a grid's own streams: the one with this number there, counted from 1.
struct LaneOperation {
    uint64_t stream, number;
    bool is_in_tail;  // the tail launch stream: after the grid and all its other operations
};

struct Events {
    // ---- memory; on any thread, also in kernels
    void (*allocated)(const Allocation&) = [](const Allocation&) {};
    void (*freed)(const Allocation&) = [](const Allocation&) {};  // called with the memory tables locked
    // cudaMallocAsync and cudaFreeAsync, as the stream operations with these notes.
    void (*allocated_in_stream)(const void* pointer, size_t bytes,
                                const ClientNote& operation) = [](const void*, size_t, const ClientNote&) {};
    void (*freed_in_stream)(const void* pointer, const ClientNote& operation) = [](const void*, const ClientNote&) {};
    // A device is reset: its remaining allocations are about to be freed.
    void (*device_reset)(int device) = [](int) {};
    // What variables hold is now another device's, see variables.hpp.
    void (*variables_changed_hands)() = [] {};

    // ---- copies and fills: when the host asks, and on the thread that makes them, before the bytes change
    ClientNote (*copy_requested)() = []() -> ClientNote { return nullptr; };
    void (*copied)(const BlockCopy&, const ClientNote& request) = [](const BlockCopy&, const ClientNote&) {};
    void (*filled)(const BlockFill&) = [](const BlockFill&) {};

    // ---- operations of streams
    // The operation with this number, counted from 1, comes after the previous one in its stream and all of `after`.
    ClientNote (*operation_submitted)(uint64_t stream, uint64_t number, const ClientNote& previous,
                                      const std::vector<ClientNote>& after) =
        [](uint64_t, uint64_t, const ClientNote&, const std::vector<ClientNote>&) -> ClientNote { return nullptr; };
    // The running lane puts an operation into a stream of its grid, after all of `after`.
    ClientNote (*operation_of_lane)(const LaneOperation&, const std::vector<ClientNote>& after) =
        [](const LaneOperation&, const std::vector<ClientNote>&) -> ClientNote { return nullptr; };
    // A launched graph, which is the current operation, comes to its node with this number, which comes after these others.
    ClientNote (*graph_node_reached)(uint64_t number, const std::vector<ClientNote>& after) =
        [](uint64_t, const std::vector<ClientNote>&) -> ClientNote { return nullptr; };
    // Called before and after the operation, on the thread that carries it out.
    void (*operation_began)(const ClientNote& operation) = [](const ClientNote&) {};
    void (*operation_ended)() = [] {};
    // The current operation is a function of the program, which may show the host how far the stream has come.
    void (*host_function_began)() = [] {};
    // The host has seen the end of this operation.
    void (*host_waited)(const ClientNote& operation) = [](const ClientNote&) {};

    // ---- launches and API calls
    // A valid launch is submitted. Returns the observer for every run of it, or null for none.
    std::shared_ptr<LaunchObserver> (*launch_submitted)(const Launch&, const void* stream) =
        [](const Launch&, const void*) -> std::shared_ptr<LaunchObserver> { return nullptr; };
    // An API function returns this error. `why`: a sentence, or nothing. The failure of a device is announced once.
    void (*api_failed)(cudaError_t, const std::string& why) = [](cudaError_t, const std::string&) {};

    // ---- libraries on top of the runtime
    // The program calls a function of one: the note says where.
    ClientNote (*library_called)() = []() -> ClientNote { return nullptr; };
    // It was wrong to call it so. Returns whether the client reports this.
    bool (*library_misused)(const std::string& title, const ClientNote& call) = [](const std::string&,
                                                                                   const ClientNote&) { return false; };

    // ---- changes that the client asks for
    // Every operation gets a note; stream allocations and waits for finished work become operations too.
    bool orders_operations = false;
    // When the program ends, all submitted work is finished first. (CUDA does not wait for it.)
    bool finishes_work = false;
    // A red zone follows every allocation, as large as the allocation within these limits.
    size_t smallest_red_zone = 0, largest_red_zone = 0;
    // So many bytes of addresses, for each of device memory's, are left for the client's own maps of it.
    size_t mapped_beside_memory = 0;
    // A freed small block is reused only after this many frees of its size, so that late uses meet old data, not new.
    size_t quarantined_blocks = 16;
};

const Events& events();

// Call it before the first API call; from then on the functions are called on any thread.
void install_events(const Events& events);

}  // namespace simt

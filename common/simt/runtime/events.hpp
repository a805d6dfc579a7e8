// SPDX-License-Identifier: MIT
// The runtime's events: a table of functions, in which a client installs its own. The runtime knows nothing else about
// its client; without a client the functions do nothing. Events inside a launch go to an observer (exec/observer.hpp),
// which the client provides when the launch is submitted.
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

/// The client's note on one of the runtime's objects, which the runtime keeps and passes back; null: no note.
using ClientNote = std::shared_ptr<const void>;

/// An operation in one of a grid's own streams: its number there, counted from 1.
struct LaneOperation {
    uint64_t stream, number;
    bool is_in_tail;  ///< the tail launch stream: after the grid and all its other operations
};

struct Events {
    // ---- memory: on any thread, even in kernels
    void (*allocated)(const Allocation&) = [](const Allocation&) {};
    void (*freed)(const Allocation&) = [](const Allocation&) {};  ///< called with the memory tables locked
    /// cudaMallocAsync and cudaFreeAsync, which are the stream operations with these notes.
    void (*allocated_in_stream)(const void* pointer, size_t bytes,
                                const ClientNote& operation) = [](const void*, size_t, const ClientNote&) {};
    void (*freed_in_stream)(const void* pointer, const ClientNote& operation) = [](const void*, const ClientNote&) {};
    /// A device is being reset: its remaining allocations are about to be freed.
    void (*device_reset)(int device) = [](int) {};
    /// Variables now hold the values of another device: see variables.hpp.
    void (*variables_changed_hands)() = [] {};

    // ---- copies and fills: when the host requests them, and on the thread that makes them, before the bytes change
    ClientNote (*copy_requested)() = []() -> ClientNote { return nullptr; };
    void (*copied)(const BlockCopy&, const ClientNote& request) = [](const BlockCopy&, const ClientNote&) {};
    void (*filled)(const BlockFill&) = [](const BlockFill&) {};

    // ---- operations of streams

    /// The operation with this number, counted from 1, comes after the previous one in its stream and all of `after`.
    ClientNote (*operation_submitted)(uint64_t stream, uint64_t number, const ClientNote& previous,
                                      const std::vector<ClientNote>& after) =
        [](uint64_t, uint64_t, const ClientNote&, const std::vector<ClientNote>&) -> ClientNote { return nullptr; };
    /// The running lane puts an operation into a stream of its grid. It comes after all of `after`.
    ClientNote (*operation_of_lane)(const LaneOperation&, const std::vector<ClientNote>& after) =
        [](const LaneOperation&, const std::vector<ClientNote>&) -> ClientNote { return nullptr; };
    /// A launched graph, the current operation, has reached its node with this number, which comes after all of
    /// `after`.
    ClientNote (*graph_node_reached)(uint64_t number, const std::vector<ClientNote>& after) =
        [](uint64_t, const std::vector<ClientNote>&) -> ClientNote { return nullptr; };
    /// Called before and after the operation, on the thread that executes it.
    void (*operation_began)(const ClientNote& operation) = [](const ClientNote&) {};
    void (*operation_ended)() = [] {};
    /// The current operation is a function of the program, which may tell the host how far the stream has come.
    void (*host_function_began)() = [] {};
    /// The host knows that this operation has ended.
    void (*host_waited)(const ClientNote& operation) = [](const ClientNote&) {};

    // ---- launches and API calls

    /// A valid launch is submitted. Returns the observer for all its runs, or null.
    std::shared_ptr<LaunchObserver> (*launch_submitted)(const Launch&, const void* stream) =
        [](const Launch&, const void*) -> std::shared_ptr<LaunchObserver> { return nullptr; };
    /// An API function returns this error. `why`: a sentence, or empty. A device's failure is reported only once.
    void (*api_failed)(cudaError_t, const std::string& why) = [](cudaError_t, const std::string&) {};

    // ---- libraries on top of the runtime

    /// The program calls a function of a library: the note says where.
    ClientNote (*library_called)() = []() -> ClientNote { return nullptr; };
    /// That call was a misuse. Returns whether the client reports it.
    bool (*library_misused)(const std::string& title, const ClientNote& call) = [](const std::string&,
                                                                                   const ClientNote&) { return false; };

    // ---- changes that the client requests

    /// The client reports what kernels do to host memory and which launches were refused, so the runtime does not.
    bool checks_memory = false;

    /// Every operation gets a note; stream allocations and waits for finished work become operations, too.
    bool orders_operations = false;
    /// When the program ends, all submitted work is finished first. (CUDA does not wait for it.)
    bool finishes_work = false;
    /// A red zone follows every allocation, as large as the allocation within these limits.
    size_t smallest_red_zone = 0, largest_red_zone = 0;
    /// For each byte of device memory, this many bytes of addresses are left for the client's own data about it.
    size_t mapped_beside_memory = 0;
    /// A freed small block is reused only after this many frees of its size, so that late uses see old data.
    size_t quarantined_blocks = 16;
    /// Copies and fills of more bytes than this change nothing: where no result counts, they would only take time.
    size_t most_moved_bytes = ~size_t{0};
    /// A device has this many multiprocessors, whatever the machine has; 0: as many as there are worker threads.
    int multiprocessors = 0;
};

const Events& events();

/// To be called before the first API call. From then on, the functions are called on any thread.
void install_events(const Events& events);

}  // namespace simt

// What the runtime announces: a table of functions, of which a client that wants to know installs its own. The runtime
// knows nothing else of its client; a program without one has a table whose functions do nothing. What happens inside a
// launch is told to an observer (exec/observer.hpp), which the client provides when the launch is submitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/driver_types.h"

namespace simt {

struct Allocation;
struct BlockCopy;
struct BlockFill;
struct Launch;

// What the client notes with something of the runtime's, which keeps it and hands it back. Null: nothing.
using ClientNote = std::shared_ptr<const void>;

struct Events {
    // ---- memory; any thread, in kernels too
    void (*allocated)(const Allocation&) = [](const Allocation&) {};
    void (*freed)(const Allocation&) = [](const Allocation&) {};  // told while the bookkeeping of memory is locked
    // cudaMallocAsync and cudaFreeAsync, as the operations of a stream that these notes belong to.
    void (*allocated_in_stream)(const void* pointer, size_t bytes, const ClientNote& operation) =
        [](const void*, size_t, const ClientNote&) {};
    void (*freed_in_stream)(const void* pointer, const ClientNote& operation) = [](const void*, const ClientNote&) {};
    // A device is reset: what is still allocated there is about to be given back.
    void (*device_reset)(int device) = [](int) {};

    // ---- copies and fills: when the host asks, and on the thread that makes them, before the bytes change
    ClientNote (*copy_requested)() = []() -> ClientNote { return nullptr; };
    void (*copied)(const BlockCopy&, const ClientNote& request) = [](const BlockCopy&, const ClientNote&) {};
    void (*filled)(const BlockFill&) = [](const BlockFill&) {};

    // ---- operations of streams
    // The operation with this number, from 1 on, comes after the one before in its stream and after all of `after`.
    ClientNote (*operation_submitted)(uint64_t stream, uint64_t number, const ClientNote& previous,
                                      const std::vector<ClientNote>& after) =
        [](uint64_t, uint64_t, const ClientNote&, const std::vector<ClientNote>&) -> ClientNote { return nullptr; };
    // Around the operation, on the thread that carries it out.
    void (*operation_began)(const ClientNote& operation) = [](const ClientNote&) {};
    void (*operation_ended)() = [] {};
    // The operation under way is a function of the program, which may tell the host how far the stream has come.
    void (*host_function_began)() = [] {};
    // The host has seen the end of this operation.
    void (*host_waited)(const ClientNote& operation) = [](const ClientNote&) {};

    // ---- launches, and calls of the API
    // A launch that is in order is submitted. Who follows it whenever it runs; null: nobody.
    std::shared_ptr<LaunchObserver> (*launch_submitted)(const Launch&, const void* stream) =
        [](const Launch&, const void*) -> std::shared_ptr<LaunchObserver> { return nullptr; };
    // A function of the API returns this error. Of the failure of a device it is told once.
    void (*api_failed)(cudaError_t) = [](cudaError_t) {};

    // ---- what the client wants to be otherwise
    // Every operation gets a note; stream allocations, and waits for what has already ended, become operations too.
    bool orders_operations = false;
    // When the program ends, what has been submitted runs to its end. (CUDA does not wait for it.)
    bool finishes_work = false;
    // What nobody may touch lies behind every allocation, as much as the allocation itself between these limits.
    size_t smallest_red_zone = 0, largest_red_zone = 0;
    // A freed small block waits until so many of its size have been freed after it: late uses meet old data, not new.
    size_t quarantined_blocks = 16;
};

const Events& events();

// To be called before the first call of the API; the functions are called on any thread from then on.
void install_events(const Events& events);

}  // namespace simt

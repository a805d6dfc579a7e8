// SPDX-License-Identifier: MIT
// A client of the runtime's events that is no checker: it counts what it is told.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
#include <cstdint>

#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/events.hpp"

namespace {

struct Told {
    std::atomic<int> allocations{0}, frees{0}, copies{0}, fills{0}, operations{0}, waits{0}, failures{0};
    std::atomic<int> launches{0}, runs{0}, blocks{0}, lanes{0}, barriers{0};
    std::atomic<size_t> bytes{0};
    std::string kernel;
} told;

class CountingBlock final : public simt::BlockObserver {
public:
    void ended() override { ++told.blocks; }
    void lane_ended(unsigned) override { ++told.lanes; }
    void block_barrier_completed() override { ++told.barriers; }
};

class CountingLaunch final : public simt::LaunchObserver {
public:
    std::unique_ptr<simt::BlockObserver> observe(simt::ResidentBlock&) override {
        return std::make_unique<CountingBlock>();
    }
    int ended(int error) override { return ++told.runs, error; }
};

// Ahead of the program's own constructors.
__attribute__((constructor(101))) void install() {
    simt::Events events;
    events.allocated = [](const simt::Allocation& allocation) {
        ++told.allocations;
        told.bytes += allocation.bytes;
    };
    events.freed = [](const simt::Allocation&) { ++told.frees; };
    events.copied = [](const simt::BlockCopy&, const simt::ClientNote&) { ++told.copies; };
    events.filled = [](const simt::BlockFill&) { ++told.fills; };
    events.orders_operations = true;
    events.operation_submitted = [](uint64_t, uint64_t number, const simt::ClientNote&,
                                    const std::vector<simt::ClientNote>&) -> simt::ClientNote {
        ++told.operations;
        return std::make_shared<const uint64_t>(number);
    };
    events.host_waited = [](const simt::ClientNote& operation) { told.waits += operation != nullptr; };
    events.api_failed = [](cudaError_t, const std::string&) { ++told.failures; };
    events.launch_submitted = [](const simt::Launch& launch, const void*) -> std::shared_ptr<simt::LaunchObserver> {
        ++told.launches;
        told.kernel = launch.name;
        return std::make_shared<CountingLaunch>();
    };
    simt::install_events(events);
}

}  // namespace

extern "C" void print_what_was_told() {
    std::printf("%d allocations of %zu bytes, %d freed\n", told.allocations.load(), told.bytes.load(), told.frees.load());
    std::printf("%d copies, %d fills, %d operations, waited for %d\n", told.copies.load(), told.fills.load(),
                told.operations.load(), told.waits.load());
    std::printf("%d launches of %s, %d runs, %d blocks, %d lanes, %d barriers\n", told.launches.load(),
                told.kernel.c_str(), told.runs.load(), told.blocks.load(), told.lanes.load(), told.barriers.load());
    std::printf("%d failures\n", told.failures.load());
}

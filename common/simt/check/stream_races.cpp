#include "common/simt/check/stream_races.hpp"

#include <bit>
#include <deque>
#include <map>
#include <mutex>

#include "common/simt/check/race_memory.hpp"
#include "common/simt/check/race_place.hpp"
#include "common/simt/runtime.hpp"

namespace simt::checking {
namespace {

// Copies and fills that are remembered: those that no later kernel can run in parallel with are soon among the oldest.
constexpr size_t remembered_operations = 4096;

struct Operation {
    uintptr_t begin;
    size_t bytes;
    bool is_write;
    OrderPointer order;

    bool overlaps(const Operation& other) const {
        return begin < other.begin + other.bytes && other.begin < begin + bytes;
    }
};

struct StreamAllocation {
    size_t bytes;
    OrderPointer allocation, free;
};

struct DeviceOperations {
    std::mutex mutex;
    std::deque<Operation> operations;
    std::map<uintptr_t, StreamAllocation> allocations;
};

DeviceOperations& device_operations() {
    static DeviceOperations& all = *new DeviceOperations;
    return all;
}

ForeignRange foreign(const Operation& operation) {
    ForeignRange range{operation.begin, operation.bytes, operation.is_write, Tool::racecheck, ""};
    range.what = std::string("A copy or fill in another stream ") + (operation.is_write ? "writes" : "reads") +
                 " this memory, and no event or synchronization orders the two";
    return range;
}

// What kernels that are not ordered before the operation have done to its memory, as far as the shadow memory knows.
void compare_with_kernels(const Operation& operation) {
    const auto launches = LaunchHistory::instance().unordered_with(operation.order);
    if (launches.empty()) return;
    const auto compare = [&](const ShadowRecord& record) {
        for (const BlockNumbers& launch : launches) {
            if (record.empty() || !launch.contains(record.owner())) continue;
            Finding finding;
            finding.tool = Tool::racecheck;
            finding.title = race_with_operation;
            finding.kernel = launch.kernel;
            const unsigned lane = record.warp() * 32 + static_cast<unsigned>(std::countr_zero(record.lanes()));
            finding.sides.push_back(side_of(launch, "", record.place(), record.owner(), lane));
            finding.details.push_back(foreign(operation).what);
            report(std::move(finding));
            return true;
        }
        return false;
    };
    for (uintptr_t word = operation.begin; word < operation.begin + operation.bytes; word += 4) {
        const ShadowCell& cell = *race_memory().device.word(word);
        if (compare(ShadowRecord::load(cell.store))) return;
        if (operation.is_write && compare(ShadowRecord::load(cell.use))) return;
    }
}

void compare_with_operations(const Operation& operation, const std::deque<Operation>& earlier) {
    for (const Operation& other : earlier) {
        if (!operation.overlaps(other) || !(operation.is_write || other.is_write)) continue;
        if (operation.order->comes_after(*other.order)) continue;
        Finding finding;
        finding.tool = Tool::racecheck;
        finding.title = "Error: Race reported between two copies or fills in different streams";
        finding.details.push_back("Both touch the same memory, and no event or synchronization orders the two");
        report(std::move(finding));
        return;
    }
}

}  // namespace

void operation_touches(uintptr_t begin, size_t bytes, bool is_write) {
    const OrderPointer& order = current_operation();
    if (!order || bytes == 0 || !runtime().memory.address_space().contains(begin)) return;
    const Operation operation{begin, bytes, is_write, order};
    compare_with_kernels(operation);
    LaunchHistory::instance().warn_running(order, foreign(operation));
    DeviceOperations& all = device_operations();
    const std::lock_guard lock(all.mutex);
    compare_with_operations(operation, all.operations);
    all.operations.push_back(operation);
    if (all.operations.size() > remembered_operations) all.operations.pop_front();
}

void allocated_in_stream(uintptr_t begin, size_t bytes, const OrderPointer& allocation) {
    if (!allocation) return;
    DeviceOperations& all = device_operations();
    const std::lock_guard lock(all.mutex);
    all.allocations[begin] = {bytes, allocation, nullptr};
}

void freed_in_stream(uintptr_t begin, const OrderPointer& free) {
    DeviceOperations& all = device_operations();
    const std::lock_guard lock(all.mutex);
    const auto found = all.allocations.find(begin);
    if (found != all.allocations.end()) found->second.free = free;
}

void released(uintptr_t begin) {
    DeviceOperations& all = device_operations();
    const std::lock_guard lock(all.mutex);
    all.allocations.erase(begin);
}

void add_foreign_ranges(RaceLaunch& launch) {
    const OrderPointer& order = launch.order();
    if (!order) return;
    DeviceOperations& all = device_operations();
    const std::lock_guard lock(all.mutex);
    for (const Operation& operation : all.operations) {
        if (!order->comes_after(*operation.order)) launch.add_foreign(foreign(operation));
    }
    for (const auto& [begin, memory] : all.allocations) {
        ForeignRange range{begin, memory.bytes, true, Tool::memcheck, ""};
        if (!order->comes_after(*memory.allocation)) {
            range.what = "The memory was allocated by cudaMallocAsync in another stream, and nothing orders the kernel "
                         "after that";
        } else if (memory.free && !memory.free->comes_after(*order)) {
            range.what = "The memory is freed by cudaFreeAsync, and nothing orders the kernel before that";
        } else {
            continue;
        }
        launch.add_foreign(std::move(range));
    }
}

}  // namespace simt::checking

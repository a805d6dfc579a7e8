// SPDX-License-Identifier: MIT
#include "common/simt/check/race/streams.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/memory.hpp"
#include "common/simt/check/race/place.hpp"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {
namespace {

// How many copies and fills are remembered: those that no later kernel can overlap soon become the oldest.
constexpr size_t remembered_operations = 4096;

struct Operation {
    uintptr_t begin;
    size_t bytes;
    bool is_write;
    OrderPointer order;
    const void* host_pc = nullptr;  // of the host's own accesses
    bool is_staged = false;         // see runtime/copy.hpp

    bool is_host() const { return host_pc != nullptr; }

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
    range.order = operation.order;
    if (operation.is_host()) {
        range.title = race_with_host;
        range.host_pc = operation.host_pc;
        range.what = std::string("The host ") + (operation.is_write ? "writes" : "reads") +
                     " this memory without having waited for the kernel";
        return range;
    }
    range.what = std::string("A copy or fill in another stream ") + (operation.is_write ? "writes" : "reads") +
                 " this memory, and no event or synchronization orders the two";
    if (operation.is_staged) {
        range.what +=
            ": even cudaMemcpy may return once it has read pageable memory; wait with cudaStreamSynchronize(0), or "
            "copy in the kernel's own stream";
    }
    return range;
}

// The word's store record. Waits while a worker gives the word's bytes their own cells.
ShadowRecord store_of_word(const ShadowCell& cell) {
    for (;;) {
        const ShadowRecord store = ShadowRecord::load(cell.store);
        if (!store.has(ShadowRecord::split) || !store.has(ShadowRecord::pending)) return store;
        std::this_thread::yield();
    }
}

// Whether `visit` returns true for one of the cells of these bytes. It gets the cell's store and use records, and a
// mask of the bytes of the word.
template <typename Visit>
bool any_cell(const Operation& operation, Visit visit) {
    RaceMemory& memory = race_memory();
    const ShadowMap* const variables = memory.variables_at(operation.begin);
    const ShadowMap& words = variables ? *variables : memory.device;
    const uintptr_t end = operation.begin + operation.bytes;
    for (uintptr_t word = operation.begin & ~uintptr_t{3}; word < end; word += 4) {
        const unsigned bytes = bytes_in_word(word, operation.begin, end);
        const ShadowCell& cell = *words.word(word);
        const ShadowRecord store = store_of_word(cell);
        if (!store.has(ShadowRecord::split)) {
            if (visit(store, ShadowRecord::load(cell.use), bytes)) return true;
            continue;
        }
        const ShadowMap& bytes_of_words = memory.bytes_of(words);
        const ShadowCell* const cells = bytes_of_words.bytes_of_word(word);
        for (unsigned byte = 0; byte < 4; ++byte) {
            if (!(bytes >> byte & 1)) continue;
            if (visit(ShadowRecord::load(cells[byte].store), ShadowRecord::load(cells[byte].use), 1u << byte))
                return true;
        }
    }
    return false;
}

bool has_records(const Operation& operation) {
    return any_cell(operation, [](const ShadowRecord& store, const ShadowRecord& use, unsigned) {
        return !store.empty() || !use.empty();
    });
}

// Adds the host's place to a finding if one side is the host's own access.
void add_host(const Operation& access, Finding& finding, const std::vector<const void*>& backtrace) {
    if (!access.is_host()) return;
    finding.backtrace = backtrace;
    finding.backtrace_time = "at the access of the host";
}

// Whether an atomic operation that may write is among the uses.
bool updates_atomically(const ShadowRecord& use) {
    if (use.empty() || is_atomic(use.kind())) return !use.empty();
    if (!Histories::is_history(use.place())) return false;
    const auto [latest, own, of_others] = Histories::instance().of(use);
    const auto is_update = [](const PastAccess& one) { return is_atomic(one.kind); };
    return std::any_of(own.begin(), own.end(), is_update) || std::any_of(of_others.begin(), of_others.end(), is_update);
}

// Compares the operation with the accesses to its memory of kernels not ordered before it, from the shadow memory.
void compare_with_kernels(const Operation& operation) {
    if (operation.is_host() && !has_records(operation)) return;
    auto launches = LaunchHistory::instance().unordered_with(operation.order);
    if (launches.empty()) return;
    const auto known = known_at_start(operation.order);
    std::erase_if(launches, [&known](const BlockNumbers& launch) { return is_known(known, *launch.order); });
    const auto clashes = [&](const ShadowRecord& record, unsigned bytes, bool is_store) {
        if (record.empty() || !(record.bytes() & bytes)) return false;
        // (A volatile load of what a copy stores is milder, so the search goes on for something worse.)
        const bool is_flag =
            operation.is_write && !operation.is_host() && record.kind() == AccessKind::volatile_access && !is_store;
        for (const BlockNumbers& launch : launches) {
            if (!launch.contains(record.owner())) continue;
            if (is_known(known, record)) continue;
            Finding finding;
            finding.tool = Tool::racecheck;
            finding.severity = is_flag ? Severity::warning : Severity::error;
            finding.title = title_of_race(foreign(operation).title, finding.severity);
            finding.kernel = launch.kernel;
            const RecordedLane lane = record.first_lane(record.lanes());
            finding.sides.push_back(side_of(launch, "", latest_place(record), record.owner(), lane));
            finding.details.push_back(foreign(operation).what);
            if (is_flag) finding.details.push_back(flag_of_copy);
            add_host(operation, finding, host_backtrace());
            report(std::move(finding));
            return !is_flag;
        }
        return false;
    };
    any_cell(operation, [&](const ShadowRecord& store, const ShadowRecord& use, unsigned bytes) {
        return clashes(store, bytes, true) ||
               ((operation.is_write || updates_atomically(use)) && clashes(use, bytes, false));
    });
}

void compare_with_operations(const Operation& operation, const std::deque<Operation>& earlier) {
    for (const Operation& other : earlier) {
        if (!operation.overlaps(other) || !(operation.is_write || other.is_write)) continue;
        if (operation.order->comes_after(*other.order) || (operation.is_host() && other.is_host())) continue;
        if (is_known(known_at_start(operation.order), *other.order)) continue;
        Finding finding;
        finding.tool = Tool::racecheck;
        finding.title = operation.is_host() || other.is_host()
                            ? "Error: Race reported between a copy or fill and the host"
                            : "Error: Race reported between two copies or fills in different streams";
        finding.details.push_back("Both touch the same memory, and no event or synchronization orders the two");
        add_host(operation, finding, host_backtrace());
        add_host(other, finding, {other.host_pc});
        report(std::move(finding));
        return;
    }
}

// A host access that continues the previous one is merged with it: the host reads an array element by element.
void remember(const Operation& operation, std::deque<Operation>& operations) {
    if (!operations.empty()) {
        Operation& last = operations.back();
        const bool goes_on = last.is_host() && operation.is_host() && last.order == operation.order &&
                             last.is_write == operation.is_write && last.begin + last.bytes == operation.begin;
        if (goes_on) {
            last.bytes += operation.bytes;
            return;
        }
    }
    operations.push_back(operation);
    if (operations.size() > remembered_operations) operations.pop_front();
}

void carried_out(const Operation& operation) {
    compare_with_kernels(operation);
    {
        DeviceOperations& all = device_operations();
        const std::lock_guard lock(all.mutex);
        compare_with_operations(operation, all.operations);
        remember(operation, all.operations);
    }
    // (A launch that begins in between finds the operation among those remembered.)
    LaunchHistory::instance().warn_running(operation.order, foreign(operation));
}

// Whether kernels use this memory: it is an allocation, or a variable of the device. (Variables of several devices take
// turns at one address, so accesses to them are not compared across devices.)
bool is_of_device(uintptr_t address) {
    if (runtime().memory.address_space().contains(address)) return true;
    if (runtime().device_count() > 1 || !race_memory().variables_at(address)) return false;
    const auto variable = runtime().memory.find(reinterpret_cast<const void*>(address));
    return variable && variable->is_symbol();
}

void operation_touches(uintptr_t begin, size_t bytes, bool is_write, bool is_staged) {
    const OrderPointer& order = current_operation();
    if (!order || bytes == 0 || !is_of_device(begin)) return;
    carried_out({begin, bytes, is_write, order, nullptr, is_staged});
}

// Rows of `width` bytes.
void operation_touches_rows(const void* pointer, size_t pitch, size_t slice, size_t width, size_t height, size_t depth,
                            bool is_write, bool is_staged = false) {
    constexpr size_t most_rows = 1024;
    const auto begin = reinterpret_cast<uintptr_t>(pointer);
    if ((height == 1 || pitch == width) && (depth == 1 || slice == pitch * height)) {
        return operation_touches(begin, width * height * depth, is_write, is_staged);
    }
    if (height * depth > most_rows) return;
    for (size_t z = 0; z < depth; ++z) {
        for (size_t y = 0; y < height; ++y)
            operation_touches(begin + z * slice + y * pitch, width, is_write, is_staged);
    }
}

}  // namespace

void operation_touches(const BlockCopy& copy) {
    if (!orders_operations()) return;
    operation_touches_rows(copy.to, copy.to_pitch, copy.to_slice, copy.width, copy.height, copy.depth, true,
                           is_staged(copy));
    operation_touches_rows(copy.from, copy.from_pitch, copy.from_slice, copy.width, copy.height, copy.depth, false);
}

void operation_touches(const BlockFill& fill) {
    if (!orders_operations()) return;
    operation_touches_rows(fill.to, fill.pitch, fill.slice, fill.width, fill.height, fill.depth, true);
}

void host_touches(uintptr_t begin, size_t bytes, bool is_write, const void* pc) {
    if (const OrderPointer order = host_operation()) carried_out({begin, bytes, is_write, order, pc});
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
            range.order = memory.allocation;
            range.what =
                "The memory was allocated by cudaMallocAsync in another stream, and nothing orders the kernel "
                "after that";
        } else if (memory.free && !memory.free->comes_after(*order)) {
            range.what = "The memory is freed by cudaFreeAsync, and nothing orders the kernel before that";
        } else {
            continue;
        }
        launch.add_foreign(std::move(range));
    }
}

}  // namespace simt::check

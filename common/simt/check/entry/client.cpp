// SPDX-License-Identifier: MIT
// The checkers as a client of the runtime's events (runtime/events.hpp), from start() to finish().
//
// The room is where checked programs come in: by the runtime's events here, by the calls that instrumented code makes
// in hooks.cpp and device_language.cpp. All of it goes out to the checkers of the block (checked_block.hpp) and, what
// the host does, to the rooms of the checkers.
#include <signal.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/counters/places.hpp"
#include "common/simt/check/entry/checked_block.hpp"
#include "common/simt/check/memory/events.hpp"
#include "common/simt/check/predict/launch_costs.hpp"
#include "common/simt/check/predict/predictions.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/memory.hpp"
#include "common/simt/check/race/streams.hpp"
#include "common/simt/exec/machine.hpp"
#include "common/simt/include/cuda_runtime_api.h"
#include "common/simt/runtime/events.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

namespace {

// ---- failed calls of the runtime API and of libraries on top of it

// The host's current API call returns this error, which is a finding if memcheck is on. A code that is an answer, such
// as cudaErrorNotReady from cudaStreamQuery, is not a finding. `why`: what the code itself does not say; may be empty.
void api_failed(cudaError_t error, const std::string& why) {
    if (error == cudaErrorNotReady) return;
    Finding finding;
    finding.backtrace = host_backtrace();
    finding.backtrace_time = "at error";
    const std::string function = api_function(finding.backtrace);  // unknown without symbols
    finding.title = std::string("Program hit ") + cudaGetErrorName(error) + " (error " + std::to_string(error) +
                    ") due to \"" + cudaGetErrorString(error) + "\" on " +
                    (function.empty() ? "a CUDA API call." : "CUDA API call to " + function + ".");
    if (!why.empty()) finding.details.push_back(why);
    report(std::move(finding));
}

// A library on top of the runtime was called in a way that it does not allow. `call`: origin_of_copy() of the call.
void library_misused(const std::string& title, const ClientNote& call) {
    Finding finding;
    finding.title = title;
    if (call) finding.backtrace = *std::static_pointer_cast<const std::vector<const void*>>(call);
    finding.backtrace_time = "at the call";
    report(std::move(finding));
}

// ---- a checked program that dies by a signal still prints its findings

constexpr int fatal_signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT};

// The program is lost anyway. If printing fails because the signal came at a bad moment, a second signal ends it.
void on_fatal_signal(int number) {
    static std::atomic<bool> is_ending{false};
    signal(number, SIG_DFL);
    if (!is_ending.exchange(true)) finish();
    raise(number);
}

// Installs the handlers. Call it before the program can install its own.
void catch_fatal_signals() {
    for (const int number : fatal_signals) {
        struct sigaction previous = {}, action = {};
        action.sa_handler = on_fatal_signal;
        action.sa_flags = SA_NODEFER;
        if (sigaction(number, nullptr, &previous) != 0 || previous.sa_handler != SIG_DFL) continue;
        sigaction(number, &action, nullptr);
    }
}

}  // namespace

// ---- the checks of one launch

std::shared_ptr<LaunchObserver> check_launch(const Launch& launch, const void* stream) {
    if (!launch.checked) return nullptr;
    static std::atomic<uint64_t> launches{0};
    auto check = std::make_shared<LaunchCheck>();
    check->kernel = launch.name;
    check->serial = ++launches;
    check->grid = launch.grid;
    check->block = launch.block;
    check->dynamic_shared_bytes = launch.dynamic_shared_bytes;
    check->stream = stream;
    if (current_check && current_check->launch().costs) current_check->launch().costs->give_up();
    if (current_check) {  // launched by a kernel: both go back to the same launch on the host
        check->is_by_kernel = true;
        check->host_backtrace = current_check->launch().host_backtrace;
    } else if (settings().any_check()) {
        check->host_backtrace = host_backtrace();
    }
    if (settings().counters || settings().predict) check->counters = std::make_shared<LaunchCounters>();
    if (settings().predict)
        check->costs =
            std::make_shared<LaunchCosts>(*predicted_gpu(), launch.grid, launch.block, launch.dynamic_shared_bytes);
    return check;
}

std::unique_ptr<BlockObserver> LaunchCheck::observe(ResidentBlock& block_of_worker) {
    return std::make_unique<CheckedBlock>(block_of_worker);
}

uint64_t LaunchCheck::blocks_to_run(uint64_t count) const {
    return settings().sample_only ? costs->sample().blocks().size() : count;
}

uint64_t LaunchCheck::block_at(uint64_t index, uint64_t count) const {
    return settings().sample_only ? costs->sample().blocks()[index] : random_block(index, count);
}

void LaunchCheck::began() {
    if (costs) costs->clear();
    if (!settings().racecheck) return;
    races = std::make_shared<RaceLaunch>(*this, current_operation());
    LaunchHistory::instance().began(*races);
    add_foreign_ranges(*races);
}

int LaunchCheck::ended(int failure) {
    if (races) {
        races->report_races();
        LaunchHistory::instance().ended(*races);
    }
    print_findings();
    if (failure == 0) failure = error;
    if (settings().counters) keep_counters(*this);
    if (costs) keep_prediction(*this, failure);
    // Where only a sample runs, blocks may wait for others that never come.
    return settings().sample_only ? 0 : failure;
}

// ---- the client

namespace {

// An index that is far too large must not reach the next allocation, and a use after free must not reach a new one.
constexpr size_t smallest_red_zone = 256;
constexpr size_t largest_red_zone = size_t{16} << 20;
constexpr size_t quarantined_blocks = 1 << 16;
// Map bytes per byte of memory, at most: memcheck's and initcheck's; racecheck's with a cell per word, and per byte.
constexpr size_t mapped_by_memcheck = 1;
constexpr size_t mapped_by_racecheck = (1 + 4) * sizeof(ShadowCell) / 4;

void ask_for_memory_events(Events& events) {
    events.smallest_red_zone = smallest_red_zone;
    events.largest_red_zone = largest_red_zone;
    events.quarantined_blocks = quarantined_blocks;
}

// The order of an operation that the running lane starts; null if its kernel is not checked.
ClientNote operation_of_lane(const LaneOperation& operation, const std::vector<ClientNote>& after) {
    RaceCheck* const races = current_check ? CheckedBlock::current()->races() : nullptr;
    if (!races) return nullptr;
    auto order = std::make_shared<OperationOrder>();
    order->stream = operation.stream;
    order->sequence = operation.number;
    order->is_in_tail = operation.is_in_tail;
    order->parent = races->launch_order();
    order->depth = order->parent ? order->parent->depth + 1 : 0;
    order->known = races->publish_to_operation(current_check->running_lane());
    for (const ClientNote& operation_before : after) join(order->after, order_of(operation_before));
    return order;
}

// Asks for the order of operations and for the memory that copies and fills touch.
void ask_for_order(Events& events) {
    events.orders_operations = true;
    events.variables_changed_hands = [] { race_memory().variables.clear(); };
    events.operation_submitted = order_operation;
    events.operation_of_lane = operation_of_lane;
    events.graph_node_reached = order_graph_node;
    events.operation_began = [](const ClientNote& operation) { begin_operation(order_of(operation)); };
    events.operation_ended = end_operation;
    events.host_function_began = [] { host_waited_for(current_operation()); };
    events.host_waited = [](const ClientNote& operation) {
        host_waited_for(order_of(operation));
        if_host_knows_all([] { LaunchHistory::instance().forget_learned(); });
    };
    events.allocated_in_stream = [](const void* pointer, size_t bytes, const ClientNote& operation) {
        allocated_in_stream(reinterpret_cast<uintptr_t>(pointer), bytes, order_of(operation));
    };
    events.freed_in_stream = [](const void* pointer, const ClientNote& operation) {
        freed_in_stream(reinterpret_cast<uintptr_t>(pointer), order_of(operation));
    };
}

// Subscribes to the runtime events that these settings need.
void become_client(const Settings& settings) {
    Events events;
    events.finishes_work = true;  // a report covers everything that was submitted
    events.mapped_beside_memory = mapped_by_memcheck + (settings.racecheck ? mapped_by_racecheck : 0);
    events.launch_submitted = check_launch;
    if (settings.sample_only) events.most_moved_bytes = most_bytes_of_sample;
    if (settings.predict) events.multiprocessors = static_cast<int>(predicted_gpu()->multiprocessors);
    events.device_reset = report_leaks;
    events.checks_memory = settings.memcheck;
    if (settings.memcheck) events.api_failed = api_failed;
    if (settings.memcheck || settings.initcheck) ask_for_memory_events(events);
    if (settings.initcheck) events.copy_requested = origin_of_copy;
    if (settings.racecheck) ask_for_order(events);
    events.library_called = origin_of_copy;
    events.library_misused = [](const std::string& title, const ClientNote& call) {
        library_misused(title, call);
        return true;
    };
    // memcheck goes first: if the copy itself is wrong, that is the nearer cause.
    events.allocated = [](const Allocation& allocation) {
        allocated(allocation);
        memory_was_allocated(allocation.base, allocation.bytes);
    };
    events.freed = [](const Allocation& allocation) {
        freed(allocation);
        released(allocation.base);
    };
    events.copied = [](const BlockCopy& copy, const ClientNote& request) {
        copied(copy, request);
        operation_touches(copy);
    };
    events.filled = [](const BlockFill& fill) {
        filled(fill);
        operation_touches(fill);
    };
    install_events(events);
}

}  // namespace

void start(const Settings& wanted) {
    if (is_checking() || !wanted.any()) return;
    current_settings = wanted;
    if (wanted.counters || wanted.predict) current_settings.schedule = Schedule::independent;
    become_client(current_settings);
    catch_fatal_signals();
}

uint64_t finish() {
    if (!settings().any_check()) return 0;
    static std::once_flag once;
    static uint64_t findings = 0;
    std::call_once(once, [] {
        unless_short([] {
            for (int device = 0; device < runtime().device_count(); ++device) report_leaks(device);
            findings = print_summary();
        });
    });
    return findings;
}

}  // namespace simt::check

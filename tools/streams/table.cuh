// SPDX-License-Identifier: MIT
// What streams offers: its variants with the way each is issued, its options and its columns.
#pragma once

#include <variant>

#include "common/cli/program.hpp"
#include "tools/streams/host.cuh"
#include "tools/streams/kernels.cuh"
#include "tools/streams/launch.cuh"
#include "tools/streams/options.hpp"
#include "tools/streams/overlap.cuh"
#include "tools/streams/priority.cuh"

namespace BACKEND {

// Its ladder is the experiment that it belongs to; its way says what is run, and how it is issued.
struct StreamsVariant : Variant {
    std::variant<CpuWay, CopyWay, KernelWay, PriorityWay, LaunchWay, HostWay> way;
};

inline const StreamsVariant streams_variants[] = {
    {{"cpu", "all cores compute all chains: the baseline of copy-*", Needs::host},
     CpuWay{.compute = &CopyData::compute_on_host}},
    {{"copy-serial", "copy all, compute all, copy all back: nothing overlaps", Needs::nothing, "copy"},
     CopyWay{.issue = issue_depth_first, .whole = true}},
    {{"copy-depth-first", "chunks in turns over streams, each chunk's three stages issued together", Needs::nothing,
      "copy"},
     CopyWay{.issue = issue_depth_first}},
    {{"copy-breadth-first", "one stage of a chunk in every stream issued together, then the next stage", Needs::nothing,
      "copy"},
     CopyWay{.issue = issue_breadth_first}},
    {{"copy-priorities", "depth-first, the first stream with the highest priority", Needs::nothing, "copy"},
     CopyWay{.issue = issue_depth_first, .priorities = true}},
    {{"copy-by-stage", "streams for each stage, an event per chunk: no stage waits longer than it must", Needs::nothing,
      "copy"},
     CopyWay{.issue = issue_by_stage, .stages = 3}},
    {{"copy-graph", "the same captured: one launch", Needs::nothing, "copy"},
     CopyWay{.issue = issue_by_stage, .stages = 3, .graph = true}},
    {{"copy-mapped", "a kernel that reads and writes the host's memory: no copies, no chunks", Needs::nothing, "copy"},
     CopyWay{.issue = issue_mapped, .whole = true, .only_pinned = true, .operations = 1}},
    {{"kernels-default", "five slow kernels in the default stream: one after another", Needs::nothing, "kernels"},
     KernelWay{.issue = issue_in_turns, .default_streams = legacy_stream}},
    {{"kernels-streams", "a stream for each: all at once", Needs::nothing, "kernels"},
     KernelWay{.issue = issue_in_turns}},
    {{"kernels-both-defaults", "the legacy and the per-thread default stream in turns: they wait for each other",
      Needs::nothing, "kernels"},
     KernelWay{.issue = issue_in_turns, .default_streams = both_default_streams}},
    {{"kernels-threads-legacy", "five host threads share the legacy default stream", Needs::nothing, "kernels"},
     KernelWay{.issue = issue_from_threads_into_one, .default_streams = legacy_stream, .from_threads = true}},
    {{"kernels-threads-own", "five host threads, each with its per-thread default stream", Needs::nothing, "kernels"},
     KernelWay{.issue = issue_from_threads, .default_streams = stream_of_each_thread, .from_threads = true}},
    {{"kernels-events", "one kernel, three that wait for it, one that waits for the three, by events", Needs::nothing,
      "kernels"},
     KernelWay{.issue = issue_diamond, .diamond = true}},
    {{"kernels-graph", "the five streams captured: one launch", Needs::nothing, "kernels"},
     KernelWay{.issue = issue_in_turns, .graph = true}},
    {{"kernels-graph-events", "the events captured: they become edges of the graph", Needs::nothing, "kernels"},
     KernelWay{.issue = issue_diamond, .graph = true, .diamond = true}},
    {{"priority-equal", "a short kernel behind one that fills the device many times", Needs::nothing, "priority"},
     PriorityWay{.urgent_first = false}},
    {{"priority-urgent", "the same in a stream of the highest priority", Needs::nothing, "priority"},
     PriorityWay{.urgent_first = true}},
    {{"launch-kernel", "an empty kernel, back to back", Needs::nothing, "launch"},
     LaunchWay{.issue = [](LaunchCost& cost, bool counted) { cost.launch_one(counted); }}},
    {{"launch-event", "with an event after each", Needs::nothing, "launch"},
     LaunchWay{.issue = [](LaunchCost& cost, bool counted) { cost.launch_with_event(counted); }}},
    {{"launch-graph", "as nodes of a graph, one after another", Needs::nothing, "launch"},
     LaunchWay{.issue = [](LaunchCost& cost, bool counted) { cost.launch_one(counted); }, .graph = true}},
    {{"launch-wait", "with a wait after each: the round trip", Needs::nothing, "launch"},
     LaunchWay{.issue = [](LaunchCost& cost, bool counted) { cost.launch_and_wait(counted); }, .by_host = true}},
    {{"launch-synchronize", "a wait for a stream that has nothing to do", Needs::nothing, "launch"},
     LaunchWay{.issue = [](LaunchCost& cost, bool) { cost.wait(); }, .launches = false, .by_host = true}},
    {{"host-synchronize", "the host waits for each of five streams", Needs::nothing, "host"},
     HostWay{.learn = &HostNotice::wait_for_each}},
    {{"host-query", "the host polls, and could do other work in between", Needs::nothing, "host"},
     HostWay{.learn = &HostNotice::ask_each_again_and_again}},
    {{"host-sleep", "the host sleeps until an event wakes it", Needs::nothing, "host"},
     HostWay{.learn = &HostNotice::sleep_until_each}},
    {{"host-callback", "a host function in each stream notifies the host", Needs::nothing, "host"},
     HostWay{.learn = &HostNotice::be_called_for_each}},
    {{"host-blocking-streams", "the default stream between five kernels: blocking streams wait for it", Needs::nothing,
      "host"},
     KernelWay{.issue = issue_around_default, .flags = cudaStreamDefault}},
    {{"host-nonblocking-streams", "the same with non-blocking streams: they do not", Needs::nothing, "host"},
     KernelWay{.issue = issue_around_default}},
};

inline const Program streams_program = {
    .name = "streams",
    .summary =
        "Measures and draws what streams overlap: slow kernels, copies with kernels, launches, and the host "
        "beside them.",
    .examples = {"streams -k kernels-default,kernels-streams --timeline -f human",
                 "streams -k 'copy-*' --tune -f human"},
    .dtypes = {DType::i32},
    .sizes = "128Mi",
    .variants = variants_of(streams_variants),
    .options = own_options<StreamsOptions>,
    .columns = columns_of(streams_columns),
    .is_predicted = false,
};

}  // namespace BACKEND

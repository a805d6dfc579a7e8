// SPDX-License-Identifier: MIT
// The tables of threads: what a row says about a thread, a warp, a block or a multiprocessor.
#pragma once

#include "common/cli/program.hpp"
#include "common/io/table.hpp"
#include "tools/threads/groups.cuh"

namespace BACKEND {

// A row's subject, and what is the same for all rows.
template <typename Subject>
struct RowOf {
    const Session& session;
    const ThreadsOptions& asked;
    const Subject& subject;
    size_t index = 0;                      // of a thread: in the grid
    unsigned long long launch_end_ns = 0;  // of the last thread of all

    size_t per_block() const { return size_t(asked.block.product()); }
    size_t rank() const { return index % per_block(); }  // of a thread: in its block
};

template <typename Integer>
Cell whole_cell(Integer value) {
    return whole(value);
}

template <typename Subject>
Cell device_cell(const RowOf<Subject>& of) {
    return device_label(of.session.device);
}

// clang-format off
using OfThread = RowOf<ThreadRecord>;
inline const ColumnOf<OfThread> thread_columns[] = {
    {{"device"}, device_cell<ThreadRecord>},
    {{"block", "block"}, [](const OfThread& of) { return whole_cell(of.index / of.per_block()); }},
    {{"block_x", "x", 1, 0, 0, 4}, [](const OfThread& of) { return whole_cell(of.subject.block.x); }},
    {{"block_y", "y", 1, 0, 0, 4}, [](const OfThread& of) { return whole_cell(of.subject.block.y); }},
    {{"block_z", "z", 1, 0, 0, 4}, [](const OfThread& of) { return whole_cell(of.subject.block.z); }},
    {{"thread", "thread"}, [](const OfThread& of) { return whole_cell(of.rank()); }},
    {{"thread_x", "x", 1, 0, 0, 4}, [](const OfThread& of) { return whole_cell(of.subject.thread.x); }},
    {{"thread_y", "y", 1, 0, 0, 4}, [](const OfThread& of) { return whole_cell(of.subject.thread.y); }},
    {{"thread_z", "z", 1, 0, 0, 4}, [](const OfThread& of) { return whole_cell(of.subject.thread.z); }},
    {{"index", "index"}, [](const OfThread& of) { return whole_cell(of.index); }},
    {{"global_x", "global x", 1, 0, 0, 3}, [](const OfThread& of) { return whole_cell(size_t{of.asked.block.of[0]} * of.subject.block.x + of.subject.thread.x); }},
    {{"global_y", "y", 1, 0, 0, 3}, [](const OfThread& of) { return whole_cell(size_t{of.asked.block.of[1]} * of.subject.block.y + of.subject.thread.y); }},
    {{"global_z", "z", 1, 0, 0, 3}, [](const OfThread& of) { return whole_cell(size_t{of.asked.block.of[2]} * of.subject.block.z + of.subject.thread.z); }},
    {{"warp", "warp"}, [](const OfThread& of) { return whole_cell(of.rank() / lanes_per_warp); }},
    {{"lane", "lane"}, [](const OfThread& of) { return whole_cell(of.subject.lane); }},
    {{"multiprocessor", "SM"}, [](const OfThread& of) { return whole_cell(of.subject.multiprocessor); }},
    {{"start_ns", "start us", 1e-3, 2, 0, 1}, [](const OfThread& of) { return whole_cell(of.subject.begin_ns); }},
    {{"end_ns", "end us", 1e-3, 2, 0, 1}, [](const OfThread& of) { return whole_cell(of.subject.end_ns); }},
    {{"cycles", "cycles", 1, 0, 0, 2}, [](const OfThread& of) { return whole_cell(of.subject.cycles); }},
};

using OfGroup = RowOf<Group>;
inline const ColumnOf<OfGroup> warp_columns[] = {
    {{"device"}, device_cell<Group>},
    {{"block", "block"}, [](const OfGroup& of) { return whole_cell(of.subject.block); }},
    {{"warp", "warp"}, [](const OfGroup& of) { return whole_cell(of.subject.warp); }},
    {{"first_thread", "first thread"}, [](const OfGroup& of) { return whole_cell(of.subject.warp * lanes_per_warp); }},
    {{"lanes", "lanes"}, [](const OfGroup& of) { return whole_cell(of.subject.threads); }},
    {{"multiprocessor", "SM"}, [](const OfGroup& of) { return whole_cell(of.subject.multiprocessor); }},
    {{"start_ns", "start us", 1e-3, 2}, [](const OfGroup& of) { return whole_cell(of.subject.begin_ns); }},
    {{"end_ns", "end us", 1e-3, 2}, [](const OfGroup& of) { return whole_cell(of.subject.end_ns); }},
    {{"cycles", "cycles"}, [](const OfGroup& of) { return whole_cell(of.subject.cycles); }},
};

inline const ColumnOf<OfGroup> block_columns[] = {
    {{"device"}, device_cell<Group>},
    {{"block", "block"}, [](const OfGroup& of) { return whole_cell(of.subject.block); }},
    {{"block_x", "x"}, [](const OfGroup& of) { return whole_cell(of.subject.block_index.x); }},
    {{"block_y", "y"}, [](const OfGroup& of) { return whole_cell(of.subject.block_index.y); }},
    {{"block_z", "z"}, [](const OfGroup& of) { return whole_cell(of.subject.block_index.z); }},
    {{"threads", "threads"}, [](const OfGroup& of) { return whole_cell(of.subject.threads); }},
    {{"warps", "warps"}, [](const OfGroup& of) { return whole_cell(divide_up(of.subject.threads, lanes_per_warp)); }},
    {{"multiprocessor", "SM"}, [](const OfGroup& of) { return whole_cell(of.subject.multiprocessor); }},
    {{"start_ns", "start us", 1e-3, 2}, [](const OfGroup& of) { return whole_cell(of.subject.begin_ns); }},
    {{"end_ns", "end us", 1e-3, 2}, [](const OfGroup& of) { return whole_cell(of.subject.end_ns); }},
    {{"cycles", "cycles"}, [](const OfGroup& of) { return whole_cell(of.subject.cycles); }},
};

using OfMultiprocessor = RowOf<Multiprocessor>;
inline const ColumnOf<OfMultiprocessor> multiprocessor_columns[] = {
    {{"device"}, device_cell<Multiprocessor>},
    {{"multiprocessor", "SM"}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.number); }},
    {{"blocks", "blocks"}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.blocks.size()); }},
    {{"most_blocks_at_once", "at once"}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.most_at_once); }},
    {{"warps", "warps"}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.blocks.size() * divide_up(of.per_block(), lanes_per_warp)); }},
    {{"threads", "threads"}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.threads()); }},
    {{"start_ns", "start us", 1e-3, 2}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.begin_ns()); }},
    {{"end_ns", "end us", 1e-3, 2}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.end_ns()); }},
    {{"busy_ns", "busy us", 1e-3, 2}, [](const OfMultiprocessor& of) { return whole_cell(of.subject.busy_ns); }},
    {{"busy_percent", "busy %", 1, 1},
     [](const OfMultiprocessor& of) -> Cell { return of.launch_end_ns > 0 ? computed(100.0 * double(of.subject.busy_ns) / double(of.launch_end_ns), 2) : absent(2); }},
};

// --list: what a launch may have on a device.
struct LimitsOfDevice {
    const DeviceInfo& device;
    LaunchLimits limits;
};
inline const ColumnOf<LimitsOfDevice> limit_columns[] = {
    {{"device", "device"}, [](const LimitsOfDevice& of) -> Cell { return device_label(of.device); }},
    {{"name", "name"}, [](const LimitsOfDevice& of) -> Cell { return of.device.name; }},
    {{"multiprocessors", "SMs"}, [](const LimitsOfDevice& of) { return whole_cell(of.device.multiprocessors); }},
    {{"max_block_threads", "threads of a block"}, [](const LimitsOfDevice& of) { return whole_cell(of.limits.block_threads); }},
    {{"max_block_x", "in x"}, [](const LimitsOfDevice& of) { return whole_cell(of.limits.block[0]); }},
    {{"max_block_y", "y"}, [](const LimitsOfDevice& of) { return whole_cell(of.limits.block[1]); }},
    {{"max_block_z", "z"}, [](const LimitsOfDevice& of) { return whole_cell(of.limits.block[2]); }},
    {{"max_grid_x", "grid in x"}, [](const LimitsOfDevice& of) { return whole_cell(of.limits.grid[0]); }},
    {{"max_grid_y", "y"}, [](const LimitsOfDevice& of) { return whole_cell(of.limits.grid[1]); }},
    {{"max_grid_z", "z"}, [](const LimitsOfDevice& of) { return whole_cell(of.limits.grid[2]); }},
};
// clang-format on

inline const Program threads_program = {
    .name = "threads",
    .summary =
        "Launches a grid and shows who runs where: a row per thread, warp, block or multiprocessor, and a timeline.",
    .examples = {"threads --grid 2x2 --block 4x3", "threads -g 40 -b 256 --by block --timeline -f human"},
    .benchmark = false,
    .options = own_options<ThreadsOptions>,
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// How the threads of a launch are grouped: by warps, blocks, and the multiprocessors that they ran on.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/measure/timeline.hpp"
#include "tools/threads/launch.cuh"

namespace BACKEND {

// Threads of one block: all of them, or a warp.
struct Group {
    size_t block = 0, warp = 0;  // numbers: the warp within its block
    uint3 block_index = {};
    size_t threads = 0;
    unsigned multiprocessor = 0;
    unsigned long long begin_ns = ~0ull, end_ns = 0;
    unsigned cycles = 0;  // of the thread that took longest

    void add(const ThreadRecord& record) {
        block_index = record.block;
        multiprocessor = record.multiprocessor;
        begin_ns = std::min(begin_ns, record.begin_ns);
        end_ns = std::max(end_ns, record.end_ns);
        cycles = std::max(cycles, record.cycles);
        ++threads;
    }
};

// The groups, in the order of the grid.
inline std::vector<Group> groups_of(const std::vector<ThreadRecord>& records, size_t per_block, size_t per_group) {
    std::vector<Group> groups;
    for (size_t i = 0; i < records.size(); ++i) {
        const size_t thread = i % per_block;
        if (thread % per_group == 0) {
            groups.emplace_back();
            groups.back().block = i / per_block;
            groups.back().warp = thread / per_group;
        }
        groups.back().add(records[i]);
    }
    return groups;
}

inline std::vector<Group> blocks_of(const std::vector<ThreadRecord>& records, size_t per_block) {
    return groups_of(records, per_block, per_block);
}

// A multiprocessor and the blocks that it had, in the order in which they started.
struct Multiprocessor {
    unsigned number = 0;
    std::vector<Group> blocks = {};
    std::vector<size_t> slots = {};  // of each block: the lowest that no other block had at the same time
    size_t most_at_once = 0;
    unsigned long long busy_ns = 0;  // with at least one block

    size_t threads() const {
        size_t sum = 0;
        for (const Group& block : blocks) sum += block.threads;
        return sum;
    }
    unsigned long long begin_ns() const { return blocks.front().begin_ns; }
    unsigned long long end_ns() const {
        unsigned long long end = 0;
        for (const Group& block : blocks) end = std::max(end, block.end_ns);
        return end;
    }

    // Finds slots and times once all blocks are there.
    void complete() {
        std::stable_sort(blocks.begin(), blocks.end(),
                         [](const Group& a, const Group& b) { return a.begin_ns < b.begin_ns; });
        std::vector<unsigned long long> free_from;  // when each slot is free again
        unsigned long long busy_until = 0;
        for (const Group& block : blocks) {
            size_t slot = 0;
            while (slot < free_from.size() && free_from[slot] > block.begin_ns) ++slot;
            if (slot == free_from.size()) free_from.push_back(0);
            free_from[slot] = block.end_ns;
            slots.push_back(slot);
            const unsigned long long from = std::max(block.begin_ns, busy_until);
            if (block.end_ns > from) busy_ns += block.end_ns - from;
            busy_until = std::max(busy_until, block.end_ns);
        }
        most_at_once = free_from.size();
    }
};

// The multiprocessors that had blocks, by number.
inline std::vector<Multiprocessor> multiprocessors_of(const std::vector<Group>& blocks) {
    std::map<unsigned, Multiprocessor> by_number;
    for (const Group& block : blocks) by_number[block.multiprocessor].blocks.push_back(block);
    std::vector<Multiprocessor> all;
    for (auto& [number, one] : by_number) {
        one.number = number;
        one.complete();
        all.push_back(std::move(one));
    }
    return all;
}

// A line for each slot of a multiprocessor; `most_lanes` at most.
inline Timeline timeline_of(const Session& session, const std::string& name,
                            const std::vector<Multiprocessor>& multiprocessors, size_t most_lanes) {
    Timeline timeline{name, session.device.simulated ? "host time of the simulation" : "time of the device's timer",
                      "digits are the last of a block's number"};
    size_t lanes = 0;
    for (const Multiprocessor& one : multiprocessors) {
        const size_t first = timeline.lanes.size();
        lanes += one.most_at_once;
        if (lanes > most_lanes) continue;
        for (size_t slot = 0; slot < one.most_at_once; ++slot)
            timeline.lanes.push_back(slot == 0 ? text("SM {}", one.number) : text("SM {} +{}", one.number, slot));
        for (size_t i = 0; i < one.blocks.size(); ++i) {
            const Group& block = one.blocks[i];
            timeline.spans.push_back({text("block {}", block.block), "block", char('0' + block.block % 10),
                                      first + one.slots[i], double(block.begin_ns), double(block.end_ns)});
        }
    }
    if (timeline.lanes.size() < lanes)
        timeline.legend += text("; the first {} lines of {}, --trace has all", timeline.lanes.size(), lanes);
    return timeline;
}

}  // namespace BACKEND

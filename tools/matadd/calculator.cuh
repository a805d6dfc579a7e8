// SPDX-License-Identifier: MIT
// The occupancy calculator alone: its table over block sizes, and its comparison with CUDA's own.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/device.cuh"
#include "common/measure/random.hpp"
#include "kernels/matadd/probes.cuh"
#include "tools/matadd/options.hpp"

namespace BACKEND {

struct OccupancyRow {
    const MultiprocessorLimits& device;
    BlockResources resources;
    Occupancy occupancy;
    bool asked;  // its block is the one that was asked for
};

inline Cell room_cell(size_t blocks) { return blocks == no_limit ? Cell(absent()) : Cell(whole(blocks)); }

// clang-format off
inline const ColumnOf<OccupancyRow> occupancy_columns[] = {
    {{"compute_capability", "capability"}, [](const OccupancyRow& of) -> Cell { return of.device.name(); }},
    {{"block", "block"}, [](const OccupancyRow& of) -> Cell { return whole(of.resources.threads); }},
    {{"registers", "registers"}, [](const OccupancyRow& of) -> Cell { return whole(of.resources.registers); }},
    {{"smem_bytes", "smem"}, [](const OccupancyRow& of) -> Cell { return whole(of.resources.dynamic_shared_bytes); }},
    {{"allocated_registers"}, [](const OccupancyRow& of) -> Cell { return whole(of.occupancy.allocated_registers); }},
    {{"allocated_smem_bytes"}, [](const OccupancyRow& of) -> Cell { return whole(of.occupancy.allocated_shared_bytes); }},
    {{"blocks_by_threads", "by threads"}, [](const OccupancyRow& of) { return room_cell(of.occupancy.by_threads); }},
    {{"blocks_by_blocks", "by blocks"}, [](const OccupancyRow& of) { return room_cell(of.occupancy.by_blocks); }},
    {{"blocks_by_registers", "by registers"}, [](const OccupancyRow& of) { return room_cell(of.occupancy.by_registers); }},
    {{"blocks_by_smem", "by shared memory"}, [](const OccupancyRow& of) { return room_cell(of.occupancy.by_shared_memory); }},
    {{"blocks_per_multiprocessor", "blocks"}, [](const OccupancyRow& of) -> Cell { return whole(of.occupancy.blocks()); }},
    {{"warps_per_multiprocessor", "warps"}, [](const OccupancyRow& of) -> Cell { return whole(of.occupancy.warps()); }},
    {{"occupancy_percent", "occupancy %", 1, 1}, [](const OccupancyRow& of) -> Cell { return Fixed{of.occupancy.percent(), 2}; }},
    {{"limiter", "limited by"}, [](const OccupancyRow& of) -> Cell { return of.occupancy.limiter(); }},
    {{"asked"}, [](const OccupancyRow& of) -> Cell { return whole(of.asked); }},
};
// clang-format on

// The multiprocessors of the device in use, unless its capability is not in the table.
inline const MultiprocessorLimits& limits_here(const Session& session, const char* remedy) {
    const MultiprocessorLimits* limits = limits_of(session.device.compute_capability);
    if (!limits)
        fail(Exit::unavailable, "the occupancy of {} is not known: its compute capability {} is not in the table; {}",
             session.device.name, capability_text(session.device.compute_capability), remedy);
    return *limits;
}

inline std::string occupancy_sentence(const OccupancyRow& row) {
    const Occupancy& of = row.occupancy;
    const std::string subject = row.device.compute_capability == 0
                                    ? "A multiprocessor as described"
                                    : "A multiprocessor of compute capability " + row.device.name();
    if (of.blocks() == 0)
        return text("{} has no room for a block of {} threads: {}.", subject, row.resources.threads, of.limiter());
    return text("{} holds {} of {} threads, {} of {} warps: {:.1f} %, limited by {}.", subject,
                text(of.blocks() == 1 ? "{} block" : "{} blocks", of.blocks()), row.resources.threads, of.warps(),
                of.most_warps, of.percent(), of.limiter());
}

// A row per whole number of warps, and for the block that was asked for, on each device.
inline void print_occupancy(Session& session, const OccupancyQuestion& question) {
    std::vector<MultiprocessorLimits> devices = question.devices;
    if (devices.empty()) devices = {limits_here(session, "name one, as in --occupancy cc=9.0")};
    const unsigned asked = question.resources.threads;
    std::set<unsigned> blocks;
    for (unsigned threads = lanes_per_warp; threads <= largest_block; threads += lanes_per_warp) blocks.insert(threads);
    if (asked > 0) blocks.insert(asked);
    Table table(session.output, session.format(), session.options.header, columns_of(occupancy_columns));
    for (const MultiprocessorLimits& device : devices) {
        std::string sentence;
        for (unsigned threads : blocks) {
            BlockResources resources = question.resources;
            resources.threads = threads;
            const OccupancyRow row{device, resources, occupancy_of(device, resources), threads == asked};
            table.add(cells_of(occupancy_columns, row));
            if (row.asked) sentence = occupancy_sentence(row);
        }
        table.flush();
        if (session.format() == Format::human && !sentence.empty()) session.output.write_wrapped(sentence);
    }
}

// A random launch of one of the probes, with the kernel's attributes as CUDA reports them, and both answers.
struct ComparedLaunch {
    BlockResources resources;
    Occupancy ours;
    size_t cuda_blocks = 0;
};

// clang-format off
inline const ColumnOf<ComparedLaunch> comparison_columns[] = {
    {{"block", "block"}, [](const ComparedLaunch& of) -> Cell { return whole(of.resources.threads); }},
    {{"registers", "registers"}, [](const ComparedLaunch& of) -> Cell { return whole(of.resources.registers); }},
    {{"static_smem_bytes", "static smem"}, [](const ComparedLaunch& of) -> Cell { return whole(of.resources.static_shared_bytes); }},
    {{"dynamic_smem_bytes", "dynamic smem"}, [](const ComparedLaunch& of) -> Cell { return whole(of.resources.dynamic_shared_bytes); }},
    {{"most_dynamic_smem_bytes", "opted in to"}, [](const ComparedLaunch& of) -> Cell { return whole(of.resources.most_dynamic_shared_bytes); }},
    {{"carveout_percent", "carve-out %"}, [](const ComparedLaunch& of) -> Cell { return whole(of.resources.carveout_percent); }},
    {{"limiter", "limited by"}, [](const ComparedLaunch& of) -> Cell { return of.ours.limiter(); }},
    {{"blocks_per_multiprocessor", "blocks"}, [](const ComparedLaunch& of) -> Cell { return whole(of.ours.blocks()); }},
    {{"cuda_blocks_per_multiprocessor", "CUDA's"}, [](const ComparedLaunch& of) -> Cell { return whole(of.cuda_blocks); }},
};
// clang-format on

inline ComparedLaunch compare_launch(const MultiprocessorLimits& limits, std::uint64_t seed, size_t number) {
    unsigned drawn = 0;
    const auto draw = [&](size_t end) { return size_t(random_bits(seed, 16 * number + drawn++) >> 16) % end; };
    const OccupancyProbe& probe = occupancy_probes[draw(std::size(occupancy_probes))];
    cudaFuncAttributes attributes{};
    CHECK(cudaFuncGetAttributes(&attributes, probe.kernel));
    // (CUDA's figure may include the shared memory that the system reserves in a block: a probe itself says what it
    // has.)
    const size_t most_dynamic = limits.most_shared_bytes() - attributes.sharedSizeBytes;
    // The default of a kernel that does not opt in, or a random amount; the next launch sets it again either way.
    const size_t opted_in =
        draw(2) == 0 ? shared_bytes_without_asking - attributes.sharedSizeBytes : draw(most_dynamic + 1);
    const int carveout = draw(2) == 0 ? default_carveout : int(draw(101));
    CHECK(cudaFuncSetAttribute(probe.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(opted_in)));
    CHECK(cudaFuncSetAttribute(probe.kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    CHECK(cudaFuncGetAttributes(&attributes, probe.kernel));

    ComparedLaunch launch;
    BlockResources& resources = launch.resources;
    resources.threads = unsigned(draw(4) == 0 ? draw(probe.most_threads) + 1
                                              : lanes_per_warp * (draw(probe.most_threads / lanes_per_warp) + 1));
    resources.registers = unsigned(attributes.numRegs);
    resources.static_shared_bytes = probe.shared_bytes;
    resources.most_dynamic_shared_bytes = size_t(attributes.maxDynamicSharedSizeBytes);
    resources.dynamic_shared_bytes = draw(3) == 0 ? 0 : draw(draw(2) == 0 ? most_dynamic + 1 : opted_in + 1);
    resources.carveout_percent = attributes.preferredShmemCarveout;
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, probe.kernel, int(resources.threads),
                                                        resources.dynamic_shared_bytes));
    launch.cuda_blocks = size_t(blocks);
    launch.ours = occupancy_of(limits, resources);
    return launch;
}

// Prints a row per launch; if any differs, the exit status is that of a wrong result.
inline void compare_with_cuda(Session& session, size_t launches) {
    const MultiprocessorLimits& limits = limits_here(session, "there is nothing to compare");
    Table table(session.output, session.format(), session.options.header, columns_of(comparison_columns));
    size_t different = 0;
    for (size_t i = 0; i < launches; ++i) {
        const ComparedLaunch launch = compare_launch(limits, session.options.seed, i);
        table.add(cells_of(comparison_columns, launch));
        different += launch.ours.blocks() != launch.cuda_blocks;
    }
    table.flush();
    if (session.format() == Format::human)
        session.output.write(
            text("{} launches compared with CUDA's occupancy, {} of them different.\n", launches, different));
    if (different == 0) return;
    session.complain(
        text("{} of {} launches have a different occupancy than cudaOccupancyMaxActiveBlocksPerMultiprocessor "
             "says: the rows whose last two columns differ",
             different, launches));
    session.found_wrong_result();
}

}  // namespace BACKEND

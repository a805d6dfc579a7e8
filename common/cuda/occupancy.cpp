// SPDX-License-Identifier: MIT
#include "common/cuda/occupancy.hpp"

#include <algorithm>

static constexpr unsigned warp_size = 32;

static std::size_t rounded_up(std::size_t number, std::size_t multiple) {
    return (number + multiple - 1) / multiple * multiple;
}

// The smallest size that shared memory can have and that holds so many bytes; 0 if none does.
static std::size_t shared_size_for(const MultiprocessorLimits& limits, std::size_t bytes) {
    for (unsigned kib : limits.shared_kib)
        if (bytes <= std::size_t{kib} * 1024) return std::size_t{kib} * 1024;
    return 0;
}

// A warp's registers are all in one partition: what is left over in each is too little for another warp, even if it
// would be enough taken together.
static std::size_t blocks_by_registers(const MultiprocessorLimits& limits, const BlockResources& resources,
                                       Occupancy& occupancy) {
    if (resources.registers == 0) return no_limit;
    const RegisterRules& rules = limits.register_rules;
    if (rules.are_of_block) {
        const std::size_t warps = rounded_up(occupancy.warps_per_block, rules.partitions);
        occupancy.allocated_registers = rounded_up(warps * warp_size * resources.registers, rules.granularity);
        return resources.registers > rules.most_per_thread ? 0 : limits.registers / occupancy.allocated_registers;
    }
    const std::size_t per_warp = rounded_up(std::size_t{resources.registers} * warp_size, rules.granularity);
    occupancy.allocated_registers = per_warp * occupancy.warps_per_block;
    if (resources.registers > rules.most_per_thread || occupancy.allocated_registers > rules.most_per_block) return 0;
    const std::size_t warps = limits.registers / rules.partitions / per_warp * rules.partitions;
    return warps / occupancy.warps_per_block;
}

static std::size_t blocks_by_shared_memory(const MultiprocessorLimits& limits, const BlockResources& resources,
                                           Occupancy& occupancy) {
    const std::size_t used = resources.static_shared_bytes + resources.dynamic_shared_bytes;
    const bool has_to_opt_in = used > shared_bytes_without_asking;
    const std::size_t most = has_to_opt_in ? resources.most_dynamic_shared_bytes : limits.most_shared_bytes();
    if (resources.dynamic_shared_bytes > most || used > limits.most_shared_bytes()) return 0;
    const std::size_t allocated = rounded_up(used + limits.reserved_shared_bytes(), limits.shared_granularity());
    occupancy.allocated_shared_bytes = allocated;
    if (allocated == 0) return no_limit;
    std::size_t available = limits.shared_bytes();
    if (resources.carveout_percent != default_carveout)
        available = shared_size_for(limits, available * std::size_t(resources.carveout_percent) / 100);
    if (available < allocated) available = shared_size_for(limits, allocated);
    return available / allocated;
}

Occupancy occupancy_of(const MultiprocessorLimits& limits, const BlockResources& resources) {
    Occupancy occupancy;
    occupancy.most_warps = limits.warps();
    occupancy.warps_per_block = std::max(1U, (resources.threads + warp_size - 1) / warp_size);
    const bool fits = resources.threads <= limits.most_threads_per_block;
    occupancy.by_threads = fits ? limits.warps() / occupancy.warps_per_block : 0;
    occupancy.by_blocks = limits.blocks;
    occupancy.by_registers = blocks_by_registers(limits, resources, occupancy);
    occupancy.by_shared_memory = blocks_by_shared_memory(limits, resources, occupancy);
    return occupancy;
}

std::size_t Occupancy::blocks() const { return std::min({by_threads, by_blocks, by_registers, by_shared_memory}); }

std::string Occupancy::limiter() const {
    std::string names;
    const auto add = [&](std::size_t room, const char* name) {
        if (room == blocks()) names += (names.empty() ? "" : "+") + std::string(name);
    };
    add(by_threads, "threads");
    add(by_blocks, "blocks");
    add(by_registers, "registers");
    add(by_shared_memory, "shared-memory");
    return names;
}

// SPDX-License-Identifier: MIT
// The tables of transfer: the ways to move bytes between the host and devices, and what their rows say.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/measure/variant_table.cuh"

struct TransferOptions {
    std::vector<std::size_t> threads = {0}, slots = {std::size_t{2} << 20};  // of the staged copies; 0: by the cores
    std::size_t offset = 0;
    bool matrix = false, break_even = false;

    void add_options(OptionTable& table) {
        table.read("--threads", "LIST", "host threads of the staged copies; by default one per core, 2 to 8", "",
                   threads, [](const std::string& list) { return parse_counts(list, "--threads", 1, 256); });
        table.read("--slot", "LIST", "bytes of each of a thread's two pinned slots", "2Mi", slots,
                   [](const std::string& list) { return parse_counts(list, "--slot", 4096, std::size_t{1} << 30); });
        table.whole("--offset", "N", "begin both ends N bytes past an aligned address", offset, 0, largest_offset);
        table.flag("--matrix", "copy between host and devices, a row for every pair; for people a matrix", matrix);
        table.flag("--break-even", "print the sizes from which staged and pinned copies pay", break_even);
    }
};

namespace BACKEND {

enum class Direction { to_device, to_host, both, on_device, from_peer, both_peers };

// Who moves the bytes: the copy engine, a kernel, the driver page by page, or host threads and the copy engine.
enum class By { engine, kernel, paging, threads };

inline const char* name_of(Direction direction) {
    switch (direction) {
        case Direction::to_device: return "h2d";
        case Direction::to_host: return "d2h";
        case Direction::both: return "both";
        case Direction::on_device: return "d2d";
        default: return "peer";
    }
}

inline const char* name_of(By by) {
    switch (by) {
        case By::engine: return "engine";
        case By::kernel: return "kernel";
        case By::paging: return "paging";
        default: return "threads";
    }
}

struct TransferVariant : Variant {
    const char* memory = "device";  // of the host's end
    Direction direction = Direction::to_device;
    By by = By::engine;
    bool prefetch = false;

    bool touches_host() const { return direction <= Direction::both; }
    bool is_both() const { return direction == Direction::both || direction == Direction::both_peers; }
    bool needs_peer() const { return direction >= Direction::from_peer; }
    // What everybody writes: a call without a stream, on malloc's memory.
    bool is_cuda_memcpy() const { return by == By::engine && std::string(memory) == "pageable" && !is_both(); }
};

// A variant belongs to the group that its direction names.
inline TransferVariant way(const char* name, const char* idea, const char* memory, Direction direction,
                           By by = By::engine, bool prefetch = false) {
    return {{name, idea, Needs::nothing, name_of(direction)}, memory, direction, by, prefetch};
}

inline const TransferVariant transfer_variants[] = {
    way("pageable-h2d", "cudaMemcpy from malloc's memory: the driver copies through its own pinned buffer", "pageable",
        Direction::to_device),
    way("pageable-d2h", "the same, back", "pageable", Direction::to_host),
    way("pageable-both", "both at once, as far as the driver lets them", "pageable", Direction::both),
    way("staged-h2d", "from malloc's memory: host threads fill pinned slots while the engine sends others", "pageable",
        Direction::to_device, By::threads),
    way("staged-d2h", "back: host threads empty slots while the engine fills others", "pageable", Direction::to_host,
        By::threads),
    way("pinned-h2d", "page-locked memory: the copy engine reads it directly", "pinned", Direction::to_device),
    way("pinned-d2h", "the same, back", "pinned", Direction::to_host),
    way("pinned-both", "both at once: two copy engines, and a bus that goes both ways", "pinned", Direction::both),
    way("write-combined-h2d", "page-locked and not cached by the processor, so nothing is snooped", "write-combined",
        Direction::to_device),
    way("write-combined-d2h", "back, to where reading on the host is slow", "write-combined", Direction::to_host),
    way("write-combined-both", "both at once", "write-combined", Direction::both),
    way("mapped-h2d", "a kernel reads the host's memory over the bus", "mapped", Direction::to_device, By::kernel),
    way("mapped-d2h", "a kernel writes the host's memory over the bus", "mapped", Direction::to_host, By::kernel),
    way("mapped-both", "two kernels at once, one each way", "mapped", Direction::both, By::kernel),
    way("managed-h2d", "a kernel reads managed memory: its pages come on page faults", "managed", Direction::to_device,
        By::paging),
    way("managed-d2h", "the host reads managed memory: its pages come back on page faults", "managed",
        Direction::to_host, By::paging),
    way("managed-prefetch-h2d", "its pages are sent ahead, then a kernel reads them", "managed", Direction::to_device,
        By::paging, true),
    way("managed-prefetch-d2h", "its pages are sent back ahead, then the host reads them", "managed",
        Direction::to_host, By::paging, true),
    way("d2d-engine", "cudaMemcpy within the device's memory", "device", Direction::on_device),
    way("d2d-kernel", "a kernel does it: four vectors in flight per thread", "device", Direction::on_device,
        By::kernel),
    way("peer-engine", "cudaMemcpyPeer from the next device's memory", "device", Direction::from_peer),
    way("peer-both", "both at once", "device", Direction::both_peers),
    way("peer-kernel", "a kernel here reads the next device's memory", "device", Direction::from_peer, By::kernel),
};

// What the program's own columns say about a measurement.
struct TransferCells {
    const TransferVariant& variant;
    size_t offset, threads, slot_bytes;
    double allocate_ns;
};

inline const ColumnOf<TransferCells> transfer_columns[] = {
    {{"p_direction", "direction", 1, 0, 9, 8},
     [](const TransferCells& of) -> Cell { return name_of(of.variant.direction); }},
    {{"p_memory", "memory", 1, 0, 14, 7}, [](const TransferCells& of) -> Cell { return of.variant.memory; }},
    {{"p_by", "by", 1, 0, 8, 7},
     [](const TransferCells& of) -> Cell { return of.variant.prefetch ? "prefetch" : name_of(of.variant.by); }},
    {{"p_offset"}, [](const TransferCells& of) -> Cell { return whole(of.offset); }},
    {{"p_threads", "threads", 1, 0, 7, 6}, [](const TransferCells& of) { return whole_if_any(of.threads); }},
    {{"p_slot_bytes", "slot KiB", 1.0 / 1024, 0, 8, 6},
     [](const TransferCells& of) { return whole_if_any(of.slot_bytes); }},
    {{"p_alloc_ns", "alloc us", 1e-3, 1, 9, 8},
     [](const TransferCells& of) -> Cell {
         return of.allocate_ns > 0 ? Fixed{of.allocate_ns, 1} : absent(1);
     }},
};

inline const Program transfer_program = {
    .name = "transfer",
    .summary = "Measures copies between the host and devices, by size, kind of memory, direction and way.",
    .examples = {"transfer -n 1Mi -k 'pinned-*'", "transfer --break-even -n 16Ki:256Ki:x4 -f human"},
    .dtypes = {},
    .unit = "bytes",
    .sizes = "1,4Ki,64Ki,1Mi,16Mi,256Mi",
    .simulator_sizes = "1,4Ki,64Ki",
    .variants = variants_of(transfer_variants),
    .options = own_options<TransferOptions>,
    .columns = columns_of(transfer_columns),
    .is_predicted = false,
};

}  // namespace BACKEND

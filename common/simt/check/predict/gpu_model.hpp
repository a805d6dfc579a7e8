// SPDX-License-Identifier: MIT
// A GPU as the predictions see it: named figures, which a file gives, one to a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simt::check {

/// Every figure is of the whole GPU unless its name says otherwise. Cycles are of the multiprocessors' clock.
struct GpuModel {
    std::string name;    ///< "NVIDIA H200"
    std::string source;  ///< "measured", or "published" if any figure comes from the maker's tables or from papers
    bool is_published() const { return source == "published"; }
    /// For people and tables: "NVIDIA TITAN V (published figures)".
    std::string title() const { return name + (is_published() ? " (published figures)" : ""); }

    double multiprocessors = 0;
    double clock_mhz = 0;
    // What fits on a multiprocessor.
    double threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0, registers_per_multiprocessor = 0;
    double shared_kib_per_multiprocessor = 0;  ///< at most, and per block
    double l1_kib_per_multiprocessor = 0;      ///< including shared memory
    double l1_keeps_loads = 1;                 ///< of global memory; 0: of textures only
    double l2_mib = 0;
    // Bandwidth.
    double dram_gbyte_per_s = 0, l2_gbyte_per_s = 0;
    double wavefronts_per_cycle = 0;      ///< of a multiprocessor, from L1 and shared memory
    double l1_requests_per_cycle = 0;     ///< of a multiprocessor: loads of global memory, at most
    double partial_stores_per_cycle = 0;  ///< of a multiprocessor: sectors that it stores in part
    double l1_lines_per_cycle = 0;        ///< of a multiprocessor: lines in which L1 looks for what a warp loads
    double texels_per_cycle = 0;          ///< of a multiprocessor: at most, and sectors that hold them
    double texture_sectors_per_cycle = 0;
    // Rates of a multiprocessor, in instructions of a warp per cycle.
    double issue_per_cycle = 0, single_per_cycle = 0, double_per_cycle = 0, special_per_cycle = 0;
    // Latency, in cycles.
    double l1_latency = 0, shared_latency = 0, l2_latency = 0, dram_latency = 0;
    double shared_update_latency = 0;  ///< between additions of a block to one floating-point number
    double arithmetic_latency = 0, exchange_latency = 0, barrier_latency = 0;
    // Others.
    double atomic_ns = 0;          ///< between additions of warps to one float,
    double integer_atomic_ns = 0;  ///< or to one integer
    double launch_ns = 0;          ///< of an empty kernel, between events
    double next_launch_ns = 0;     ///< of another one after it
    double block_ns = 0;           ///< between the starts of two blocks
};

/// A figure's name in the file, its unit, and its place in the model.
struct GpuFigure {
    using Member = double GpuModel::*;

    const char* name;
    const char* unit;
    Member value;
};
const std::vector<GpuFigure>& gpu_figures();

/// Reads a model: lines "name = value  # where it comes from". The line "like = h200" takes every figure from a shipped
/// model; the lines after it say what differs. Returns an error text with the line, or "".
std::string read_gpu_model(std::string_view text, GpuModel& model);

/// The models that come with the simulator, by the names that --predict takes, the newest first.
const std::vector<std::string>& shipped_gpu_models();
/// The text of one of them; none if there is no such model.
std::optional<std::string_view> shipped_gpu_model(std::string_view name);

/// A shipped model by its name, or the file of that path. Returns an error text, or "".
std::string load_gpu_model(const std::string& name_or_path, GpuModel& model);

}  // namespace simt::check

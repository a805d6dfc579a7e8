// SPDX-License-Identifier: MIT
// The description of a program: data only, the same in every backend it is built for.
#pragma once

#include <any>
#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cuda/device_info.hpp"
#include "common/io/dtype.hpp"
#include "common/io/table.hpp"
#include "common/measure/lectures.hpp"
#include "common/measure/team.hpp"
#include "common/measure/variant.hpp"

// A program's own options are a struct: its fields hold the defaults, and its add_options(OptionTable&) adds the rows.
// It is declared outside of namespace BACKEND, since one backend's main() fills in what another one's run() reads.
template <typename Settings>
void own_options(std::any& settings, OptionTable& table) {
    settings.emplace<Settings>().add_options(table);
}

// Whether the chosen devices work together on one problem or on a filter's input: never, with --gang, or always.
enum class Gangs { never, on_request, always };

struct Program {
    const char* name;
    const char* summary;                     // one sentence, for --help
    const char* operands = "";               // "[FILE]..." for --help; "" if it takes none
    std::vector<const char*> examples = {};  // two commands, for -h
    std::size_t most_operands = 0;
    bool has_kernels = true;                    // if not: no devices, and nothing to check (see host_program.hpp)
    bool prints_table = true;                   // --format and the like apply
    bool benchmark = true;                      // has variants, samples and timings, and the common options for them
    std::vector<DType> dtypes = {DType::f32};   // the element types it supports, the default first; none: words
    const char* unit = "elements";              // of -n
    const char* sizes = "1Mi";                  // default of -n on a GPU,
    const char* simulator_sizes = "64Ki";       // and in the simulator
    std::vector<const Variant*> variants = {};  // variants_of(its table)
    const Lectures* lectures = nullptr;         // their names and figures for variants
    void (*options)(std::any&, OptionTable&) = nullptr;  // own_options<Settings>, after the common ones
    std::vector<Column> columns = {};                    // its own p_ columns, after the common ones
    // For completion: the words that one of its own options accepts, or for "" its operands; none where files are meant.
    std::vector<std::string> (*words)(const std::string& option) = nullptr;
    bool counts_in_simulator = false;               // the simulator's counters are the result: --counters is implied,
    std::vector<ShownCounter> shown_counters = {};  // and the human table shows these beside its own columns
    bool shows_steps = false;                       // --steps: how a small launch combines its values
    bool every_device = false;                      // "auto" means all GPUs, not the first
    // Whether its own options ask for what is the same on every device: then none is looked for, and it runs once.
    bool (*needs_no_device)(const std::any& own) = nullptr;
    Gangs gangs = Gangs::never;
    JoinGang* join = nullptr;  // of programs with gangs
    bool input_files = true;   // operands name data: --input-format applies
    // In the simulator, the times of its kernels: not if copies are timed, too, or steps that depend on each other.
    bool is_predicted = true;
};

// ---- the interface between a program's main(), compiled once, and its CUDA part, compiled once per backend:
// namespace gpu by nvcc, namespace sim by simcc, namespace checked by simcc --check. Each backend's objects export
// exactly one symbol, backend().

class Session;

struct Backend {
    const Program* program;
    Probe (*probe)();
    void (*run)(Session&);  // on the device of the session
};

namespace gpu {
[[gnu::weak]] const Backend& backend();  // absent from a build without nvcc
}
namespace sim {
const Backend& backend();
}
namespace checked {
[[gnu::weak]] const Backend& backend();  // absent from a program that was linked without it
}

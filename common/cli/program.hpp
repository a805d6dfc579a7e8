// What a program says about itself: data only, the same in every backend it is built for.
#pragma once

#include <string>
#include <vector>

#include "common/io/table.hpp"

// Where a variant can run.
enum class Needs {
    nothing,  // any backend: textbook CUDA
    gpu,      // a real GPU: hardware or a library that the simulator does not model
    host,     // the CPU: the reference and the baseline of the speed-up columns
};

// A row of a program's variant table.
struct Variant {
    const char* name;    // the kernel column and -k
    const char* idea;    // one line for --list: what it does, or which cost it removes from the one before
    Needs needs = Needs::nothing;
    const char* ladder = "";  // the ladder it is a step of: its group in --ladder
};

// A row of the option table: the command line, --help and the manual page's check are made from it.
struct OptionSpec {
    const char* flags;     // "-n,--size"
    const char* argument;  // "LIST"; nullptr for a flag
    const char* help;
    const char* fallback;  // the default, as it would be typed; "" for none
};

struct Program {
    const char* name;
    const char* summary;                  // one sentence, for --help
    const char* operands = "";            // "[FILE]..." for --help; "" if it takes none
    std::size_t most_operands = 0;
    bool benchmark = true;                // has variants, samples and timings, and so their common options
    const char* dtypes = "f32";           // the element types it knows, the default first
    const char* sizes = "1Mi";            // default of -n on a GPU,
    const char* simulator_sizes = "64Ki"; // and in the simulator
    const char* block = "256";            // default of -b
    std::vector<Variant> variants = {};
    std::vector<OptionSpec> options = {};  // its own, after the common ones
    std::vector<Column> columns = {};      // its own p_ columns, after the common ones
    bool every_device = false;             // "auto" means all GPUs, not the first
    bool shapes = false;                   // -n is a list of shapes, which the program reads itself
    bool input_files = true;               // operands name data: --input-format applies
    int simulator_timeout_s = 0;           // SIMCC_TIMEOUT unless the user sets it; 0: the simulator's own default
};

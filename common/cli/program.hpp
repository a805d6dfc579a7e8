// What a program says about itself: data only, the same in every backend it is built for.
#pragma once

#include <string>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/io/table.hpp"
#include "common/measure/variant.hpp"

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
    std::vector<DType> dtypes = {DType::f32};  // the element types it knows, the default first
    const char* sizes = "1Mi";            // default of -n on a GPU,
    const char* simulator_sizes = "64Ki"; // and in the simulator
    const char* block = "256";            // default of -b
    std::vector<const Variant*> variants = {};  // variants_of() its table
    std::vector<OptionSpec> options = {};       // its own, after the common ones
    std::vector<Column> columns = {};           // its own p_ columns, after the common ones
    bool every_device = false;                  // "auto" means all GPUs, not the first
    bool shapes = false;                        // -n is a list of shapes, which the program reads itself
    bool input_files = true;                    // operands name data: --input-format applies
};

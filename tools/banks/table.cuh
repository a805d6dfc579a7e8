// SPDX-License-Identifier: MIT
// The tables of banks: each pattern, and the columns that describe it.
#pragma once

#include "common/cli/program.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/banks.cuh"
#include "tools/banks/formula.hpp"
#include "tools/banks/options.hpp"

namespace BACKEND {

// The option that a pattern takes its value from.
enum class BankOption { none, stride, padding };

struct BankVariant : Variant {
    BankPattern (*pattern)(unsigned value) = nullptr;  // value: the stride, or the padding
    BankOption option = BankOption::none;
};

// The tiles have 32 rows of 32 words; a warp touches one row or column, neither the first nor a multiple of four.
constexpr unsigned tile_side = 32, tile_line = 5;

inline const BankVariant bank_variants[] = {
    {{"stride", "lane l touches word l * --stride"},
     [](unsigned stride) {
         return BankPattern{stride, 0, 0, 0};
     },
     BankOption::stride},
    {{"row", "a row of a 32 x 32 tile with --padding words after each row"},
     [](unsigned padding) {
         return BankPattern{1, tile_line * (tile_side + padding), 0, 0};
     },
     BankOption::padding},
    {{"column", "a column of the same tile"},
     [](unsigned padding) {
         return BankPattern{tile_side + padding, tile_line, 0, 0};
     },
     BankOption::padding},
    {{"swizzled-row", "a row of a tile that holds element (y, x) in column x ^ y, without padding"},
     [](unsigned) {
         return BankPattern{0, tile_line * tile_side, tile_line, tile_side - 1};
     }},
    {{"swizzled-column", "a column of that tile"},
     [](unsigned) {
         return BankPattern{tile_side, 0, tile_line, tile_side - 1};
     }},
};

// What the program's own columns say about a measurement.
struct BankCells {
    const BankVariant* variant;
    unsigned word_bytes, value;
    const char* operation;
    BankCost cost;
    double cycles;  // per request and multiprocessor; 0 in the simulator

    Cell option(BankOption option) const { return variant->option == option ? Cell(whole(value)) : Cell(absent()); }
};

inline Cell cycles_cell(double cycles) { return cycles > 0 ? Fixed{cycles, 3} : absent(3); }

// No cycles for people in the simulator.
#ifdef __SIMCC__
constexpr const char *request_heading = "", *wavefront_heading = "";
#else
constexpr const char *request_heading = "cycles", *wavefront_heading = "per wavefront";
#endif

// clang-format off
inline const ColumnOf<BankCells> bank_columns[] = {
    {{"p_word_bytes", "word", 1, 0, 4, 3}, [](const BankCells& of) -> Cell { return whole(of.word_bytes); }},
    {{"p_op", "op", 1, 0, 6, 4}, [](const BankCells& of) -> Cell { return of.operation; }},
    {{"p_stride", "stride"}, [](const BankCells& of) { return of.option(BankOption::stride); }},
    {{"p_padding", "padding"}, [](const BankCells& of) { return of.option(BankOption::padding); }},
    {{"p_ways", "ways"}, [](const BankCells& of) -> Cell { return whole(of.cost.ways); }},
    {{"p_wavefronts_per_request", "wavefronts"}, [](const BankCells& of) -> Cell { return whole(of.cost.wavefronts); }},
    {{"p_cycles_per_request", request_heading, 1, 2, 6, 1}, [](const BankCells& of) { return cycles_cell(of.cycles); }},
    {{"p_cycles_per_wavefront", wavefront_heading, 1, 3, 5, 1}, [](const BankCells& of) { return cycles_cell(of.cycles / of.cost.wavefronts); }},
};
// clang-format on

inline const Program banks_program = {
    .name = "banks",
    .summary = "Measures what bank conflicts in shared memory cost; without a GPU, counts them.",
    .examples = {"banks -k row,column,swizzled-column", "banks -k stride --stride 1:32 | plot"},
    .dtypes = {},
    .unit = "requests",
    .sizes = "4Ki",
    .simulator_sizes = "64",
    .variants = variants_of(bank_variants),
    .options = own_options<BanksOptions>,
    .columns = columns_of(bank_columns),
    .counts_in_simulator = true,
    .shown_counters = {{"sld_wavefronts_per_request", "loads counted"},
                       {"sst_wavefronts_per_request", "stores counted"},
                       {"satom_wavefronts_per_request", "atomics counted"}},
};

}  // namespace BACKEND

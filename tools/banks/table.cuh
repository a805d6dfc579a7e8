// SPDX-License-Identifier: MIT
// What banks offers: its options, each pattern with its textbook cost, and the columns that describe it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/banks.cuh"

struct BanksOptions {
    PerBackend<unsigned> block = {1024, 256};
    std::vector<std::size_t> words = {4};  // bytes
    std::vector<std::string> operations = {"read"};
    std::vector<std::size_t> strides = {0, 1, 2, 3, 4, 8, 16, 32, 33};
    std::vector<std::size_t> paddings = {0, 1, 2};

    void add_options(OptionTable& table) {
        table.whole("-b,--block", "THREADS", "threads per block", block, 1, 1024);
        const std::vector<std::size_t> word_sizes = {1, 2, 4, 8, 16};
        table.read("--word", "LIST", "1, 2, 4, 8 or 16: bytes of a word", "4", words,
                   [=](const std::string& list) { return parse_counts(list, "--word", word_sizes); });
        table.read("--op", "LIST", "read, write or atomic: what is done with the words", "read", operations,
                   parse_operations);
        table.read("--stride", "LIST", "words between neighboring lanes of pattern 'stride', 0:33",
                   "0,1,2,3,4,8,16,32,33", strides,
                   [](const std::string& list) { return parse_counts(list, "--stride", 0, 33); });
        table.read("--padding", "LIST", "words after each row of the tile of patterns 'row' and 'column', 0:2", "0,1,2",
                   paddings, [](const std::string& list) { return parse_counts(list, "--padding", 0, 2); });
    }

private:
    static std::vector<std::string> parse_operations(const std::string& list) {
        const std::vector<std::string> known = {"read", "write", "atomic"};
        std::vector<std::string> names = split(list, ',');
        for (const std::string& name : names)
            if (std::find(known.begin(), known.end(), name) == known.end())
                fail(Exit::usage, "--op '{}' is not one of {}", name, list_text(known, "or"));
        return names;
    }
};

// ---- the textbook cost of one request to shared memory: how many passes through the banks it takes

// Shared memory has 32 banks, each of which holds every 32nd word of 4 bytes and serves one of them in a pass.
struct BankCost {
    unsigned ways = 0;        // the most passes that one bank needs for the lanes that are served together
    unsigned wavefronts = 0;  // passes of the whole request
};

// The cost of a request whose lanes touch words of `word_bytes` at these byte offsets. Words of up to 4 bytes are
// served for the whole warp at once, words of 8 bytes for half a warp, words of 16 for a quarter. Lanes that read or
// write the same word of a bank share one pass, and if all lanes read the same word, twice as many are served together.
// Atomic operations on one word take a pass each.
enum class BankRequest { read, write, atomic };
inline BankCost bank_cost(const std::vector<unsigned>& bytes, unsigned word_bytes, BankRequest request) {
    constexpr unsigned banks = 32, unit_bytes = 4;
    const bool is_broadcast = std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) == bytes.end();
    const unsigned parts = word_bytes > unit_bytes ? word_bytes / unit_bytes : 1;
    unsigned together = unsigned(bytes.size()) / parts;
    if (is_broadcast && request == BankRequest::read && parts > 1) together *= 2;
    BankCost cost;
    for (std::size_t first = 0; first < bytes.size(); first += together) {
        std::vector<unsigned> units_of[banks];
        unsigned fullest = 0;
        for (std::size_t lane = first; lane < first + together; ++lane)
            for (unsigned part = 0; part < parts; ++part) {
                const unsigned unit = bytes[lane] / unit_bytes + part;
                std::vector<unsigned>& units = units_of[unit % banks];
                const bool is_known = std::find(units.begin(), units.end(), unit) != units.end();
                if (request == BankRequest::atomic || !is_known) units.push_back(unit);
                fullest = std::max(fullest, unsigned(units.size()));
            }
        cost.ways = std::max(cost.ways, fullest);
        cost.wavefronts += fullest;
    }
    return cost;
}

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
    {{"p_stride", "stride", 1, 0, 0, 1}, [](const BankCells& of) { return of.option(BankOption::stride); }},
    {{"p_padding", "padding", 1, 0, 0, 1}, [](const BankCells& of) { return of.option(BankOption::padding); }},
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

// SPDX-License-Identifier: MIT
// What access offers: its options, each a list, whose cross product are the rows; each pattern with its textbook count
// of sectors; and the columns that describe it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/access.cuh"

struct AccessOptions {
    std::vector<std::size_t> words = {4};  // bytes
    std::vector<std::string> operations = {"read"};
    std::vector<std::size_t> unrolls = {4};
    std::vector<std::size_t> offsets = {1};
    std::vector<std::size_t> strides = {2, 4, 8, 32};
    std::vector<std::size_t> footprints = {0};  // bytes; 0: as many words as are accessed
    std::size_t fetch = 0;                      // bytes; 0: the device's own choice

    void add_options(OptionTable& table) {
        add_alias(table, "--pattern", "--kernel");
        const std::vector<std::size_t> word_sizes = {1, 2, 4, 8, 16}, unrollings = {1, 2, 4, 8};
        table.read("--word", "LIST", "1, 2, 4, 8 or 16: bytes of a word", "4", words,
                   [=](const std::string& list) { return parse_counts(list, "--word", word_sizes); });
        table.read("--op", "LIST", "read, write or both: what is done with the words", "read", operations,
                   parse_operations);
        table.read("--unroll", "LIST", "1, 2, 4 or 8: words that a thread requests at a time", "4", unrolls,
                   [=](const std::string& list) { return parse_counts(list, "--unroll", unrollings); });
        table.read("--offset", "LIST", "words that pattern 'offset' begins past an aligned address, 0:31", "1", offsets,
                   [](const std::string& list) { return parse_counts(list, "--offset", 0, 31); });
        table.read("--stride", "LIST", "words between neighboring lanes of pattern 'stride', 1:64", "2,4,8,32", strides,
                   [](const std::string& list) { return parse_counts(list, "--stride", 1, 64); });
        table.read("--footprint", "LIST", "bytes of the array, such as 32Mi; as many words as are accessed by default",
                   "", footprints,
                   [](const std::string& list) { return parse_counts(list, "--footprint", 1, largest_size); });
        constexpr Choice<std::size_t> fetches[] = {{"32", 32}, {"64", 64}, {"128", 128}};
        table.choice("--fetch", "BYTES", "the most bytes that a GPU's L2 cache fetches on a miss", fetch, fetches);
    }

private:
    // A second name for an option.
    static void add_alias(OptionTable& table, const char* alias, const std::string& name) {
        const auto is_named = [&](const OptionRow& row) { return row.long_name() == name; };
        OptionRow row = *std::find_if(table.rows().begin(), table.rows().end(), is_named);
        row.flags = alias;
        row.help = "the same as " + name;
        table.add(row);
    }

    static std::vector<std::string> parse_operations(const std::string& list) {
        const std::vector<std::string> known = {"read", "write", "both"};
        std::vector<std::string> names = split(list, ',');
        for (const std::string& name : names)
            if (std::find(known.begin(), known.end(), name) == known.end())
                fail(Exit::usage, "--op '{}' is not one of {}", name, list_text(known, "or"));
        return names;
    }
};

namespace BACKEND {

constexpr unsigned sector_bytes = 32;

// The sectors that a request of a pattern without random places loads in lines of line_bytes: the mean over as many
// tiles as it takes for a tile to begin at a line again, and all columns.
inline double sectors_in_lines(const AccessPattern& pattern, unsigned word_bytes, unsigned line_bytes) {
    unsigned lines = 0, requests = 0;
    for (size_t tile = 0; tile < line_bytes / word_bytes; ++tile)
        for (unsigned column = 0; column < pattern.columns; ++column, ++requests) {
            std::set<size_t> touched;
            for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
                touched.insert((tile * pattern.tile_words + column + pattern.place_of(lane)) * word_bytes / line_bytes);
            lines += unsigned(touched.size());
        }
    return double(lines) * (line_bytes / sector_bytes) / requests;
}

// The size of a word, and the offset or stride of a pattern that has one, else 0.
struct PatternShape {
    unsigned word_bytes, value;

    unsigned words_per_sector() const { return sector_bytes / word_bytes; }
};

// The option that a pattern takes its value from.
enum class PatternOption { none, offset, stride };

struct AccessVariant : Variant {
    AccessPattern (*pattern)(PatternShape) = nullptr;  // all but the number of tiles
    unsigned (*sectors)(PatternShape) = nullptr;       // of a request of 32 lanes
    PatternOption option = PatternOption::none;
    unsigned distinct_words = lanes_per_warp;  // that such a request touches
};

// Lanes `stride` words apart; later passes touch the words in between.
inline AccessPattern strided(unsigned stride) {
    AccessPattern pattern;
    pattern.lane_multiplier = pattern.columns = stride;
    pattern.tile_words = lanes_per_warp * stride;
    return pattern;
}

inline unsigned all_sectors(PatternShape shape) { return lanes_per_warp * shape.word_bytes / sector_bytes; }
inline unsigned one_per_lane(PatternShape) { return lanes_per_warp; }
inline unsigned sectors_at_offset(PatternShape shape) {
    const bool is_aligned = shape.value * shape.word_bytes % sector_bytes == 0;
    return all_sectors(shape) + !is_aligned;
}
inline unsigned sectors_at_stride(PatternShape shape) {
    const unsigned sectors = shape.value * all_sectors(shape);
    return sectors < lanes_per_warp ? sectors : lanes_per_warp;
}

inline const AccessVariant access_variants[] = {
    {{"coalesced", "lane l touches word l: neighboring lanes, neighboring words"},
     [](PatternShape) { return AccessPattern{}; },
     all_sectors},
    {{"permuted", "word 7 l mod 32: the same words, each by another lane"},
     [](PatternShape) {
         AccessPattern pattern;
         pattern.lane_multiplier = 7;
         pattern.lane_mask = lanes_per_warp - 1;
         return pattern;
     },
     all_sectors},
    {{"reversed", "word 31 - l: the same words from the last to the first"},
     [](PatternShape) {
         AccessPattern pattern;
         pattern.lane_multiplier = pattern.lane_addend = pattern.lane_mask = lanes_per_warp - 1;
         return pattern;
     },
     all_sectors},
    {{"broadcast", "one word for all lanes of a warp"},
     [](PatternShape shape) {
         AccessPattern pattern;
         pattern.lane_multiplier = 0;
         pattern.tile_words = pattern.columns = shape.words_per_sector();
         return pattern;
     },
     [](PatternShape) { return 1U; },
     PatternOption::none,
     1},
    {{"offset", "word l + --offset: neighbors, but misaligned"},
     [](PatternShape shape) {
         AccessPattern pattern;
         pattern.offset = shape.value;
         return pattern;
     },
     sectors_at_offset,
     PatternOption::offset},
    {{"stride", "word l * --stride: the words in between are left for later"},
     [](PatternShape shape) { return strided(shape.value); },
     sectors_at_stride,
     PatternOption::stride},
    {{"one-per-sector", "the smallest stride that gives each lane a sector of 32 bytes"},
     [](PatternShape shape) { return strided(shape.words_per_sector()); },
     one_per_lane},
    {{"scattered", "access i touches word 121 i modulo the array's words"},
     [](PatternShape) {
         AccessPattern pattern;
         pattern.lane_multiplier = pattern.tile_multiplier = 121;
         return pattern;
     },
     one_per_lane},
    {{"random", "a random permutation of the array's words"},
     [](PatternShape) {
         AccessPattern pattern;
         pattern.random_shift = 1;
         return pattern;
     },
     one_per_lane},
};

// What the program's own columns say about a measurement.
struct AccessCells {
    const AccessVariant* variant;
    PatternShape shape;
    const char* operation;
    size_t unroll, footprint_bytes, fetch_bytes;
    double words;  // accessed: copied ones count twice
    double median_ns;
    const AccessPattern& pattern;
    unsigned line_bytes;  // of loads

    // Random places are in lines of their own.
    double sectors() const {
        if (line_bytes == sector_bytes) return variant->sectors(shape);
        return pattern.random_shift != 0 ? double(lanes_per_warp) * line_bytes / sector_bytes
                                         : sectors_in_lines(pattern, shape.word_bytes, line_bytes);
    }
    Cell option(PatternOption option) const {
        return variant->option == option ? Cell(whole(shape.value)) : Cell(absent());
    }
    double efficiency() const { return variant->distinct_words * shape.word_bytes / (sectors() * sector_bytes); }
    double moved_bytes() const { return words / lanes_per_warp * sectors() * sector_bytes; }
};

// In the simulator, arrays are small, and people see no rates.
#ifdef __SIMCC__
constexpr const char *footprint_heading = "KiB", *moved_heading = "";
constexpr double footprint_scale = 1.0 / (1 << 10);
#else
constexpr const char *footprint_heading = "MiB", *moved_heading = "moved GB/s";
constexpr double footprint_scale = 1.0 / (1 << 20);
#endif

// clang-format off
inline const ColumnOf<AccessCells> access_columns[] = {
    {{"p_word_bytes", "word", 1, 0, 4, 3}, [](const AccessCells& of) -> Cell { return whole(of.shape.word_bytes); }},
    {{"p_op", "op", 1, 0, 5, 3}, [](const AccessCells& of) -> Cell { return of.operation; }},
    {{"p_unroll", "unroll", 1, 0, 0, 8}, [](const AccessCells& of) -> Cell { return whole(of.unroll); }},
    {{"p_offset", "offset", 1, 0, 0, 5}, [](const AccessCells& of) { return of.option(PatternOption::offset); }},
    {{"p_stride", "stride", 1, 0, 0, 1}, [](const AccessCells& of) { return of.option(PatternOption::stride); }},
    {{"p_footprint_bytes", footprint_heading, footprint_scale, 0, 0, 8}, [](const AccessCells& of) -> Cell { return whole(of.footprint_bytes); }},
    {{"p_fetch_bytes"}, [](const AccessCells& of) { return whole_if_any(of.fetch_bytes); }},
    {{"p_sectors_per_request", "formula"}, [](const AccessCells& of) -> Cell { return Fixed{of.sectors(), 0}; }},
    {{"p_efficiency_percent", "useful %", 1, 1, 0, 4}, [](const AccessCells& of) -> Cell { return Fixed{100 * of.efficiency(), 2}; }},
    {{"p_moved_gbyte_per_s", moved_heading, 1, 1, 6, 2}, [](const AccessCells& of) -> Cell { return of.moved_bytes() > 0 ? computed(of.moved_bytes() / of.median_ns, 3) : absent(3); }},
};
// clang-format on

inline const Program access_program = {
    .name = "access",
    .summary = "Measures how the words that a warp touches decide the bandwidth; without a GPU, counts their sectors.",
    .examples = {"access -k coalesced,offset,stride,scattered", "access -k stride --stride 1,2,4,8,16,32 | plot"},
    .dtypes = {},
    .sizes = "64Mi",
    .simulator_sizes = "16Ki",
    .variants = variants_of(access_variants),
    .lectures = &lectures,
    .options = own_options<AccessOptions>,
    .columns = columns_of(access_columns),
    .counts_in_simulator = true,
    .shown_counters = {{"gld_sectors_per_request", "sectors read"}, {"gst_sectors_per_request", "written"}},
};

}  // namespace BACKEND

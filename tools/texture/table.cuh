// SPDX-License-Identifier: MIT
// The tables of texture: patterns, paths, the variants that are their product, and columns.
#pragma once

#include <vector>

#include "common/cli/program.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/texture.cuh"
#include "tools/texture/input.cuh"
#include "tools/texture/patterns.hpp"

namespace BACKEND {

// ---- patterns: what a thread reads

inline void row_places(const Reads&, size_t x, size_t y, Places& places) { places.push_back({long(x), long(y)}); }
inline void column_places(const Reads&, size_t x, size_t y, Places& places) { places.push_back({long(y), long(x)}); }

inline void neighbor_places(const Reads& reads, size_t x, size_t y, Places& places) {
    for (size_t i = x * reads.width; i < (x + 1) * reads.width && i < reads.shape.columns; ++i)
        places.push_back({long(i), long(y)});
}

// A rectangle around the thread's element.
inline void rectangle(unsigned width, unsigned height, size_t x, size_t y, Places& places) {
    for (unsigned j = 0; j < height; ++j)
        for (unsigned i = 0; i < width; ++i)
            places.push_back({long(x) + long(i) - long(width / 2), long(y) + long(j) - long(height / 2)});
}
inline void filter_x_places(const Reads& reads, size_t x, size_t y, Places& places) {
    rectangle(reads.width, 1, x, y, places);
}
inline void filter_y_places(const Reads& reads, size_t x, size_t y, Places& places) {
    rectangle(1, reads.width, x, y, places);
}
inline void window_places(const Reads& reads, size_t x, size_t y, Places& places) {
    rectangle(reads.width, reads.width, x, y, places);
}

inline void random_places(const Reads& reads, size_t x, size_t y, Places& places) {
    TextureOffsets offsets{unsigned(x), unsigned(y), int(reads.width)};
    for (unsigned i = 0; i < texture_random_samples; ++i) {
        const int dx = offsets.next(), dy = offsets.next();
        places.push_back({long(x) + dx, long(y) + dy});
    }
}

inline unsigned one_sample(unsigned) { return 1; }
inline unsigned as_many_samples(unsigned width) { return width; }
inline unsigned squared_samples(unsigned width) { return width * width; }
inline unsigned random_samples(unsigned) { return texture_random_samples; }

inline const std::vector<unsigned>& no_widths(const TextureOptions&) {
    static const std::vector<unsigned> one = {1};
    return one;
}
inline const std::vector<unsigned>& neighbors_of(const TextureOptions& options) { return options.neighbors; }
inline const std::vector<unsigned>& widths_of(const TextureOptions& options) { return options.widths; }
inline const std::vector<unsigned>& radii_of(const TextureOptions& options) { return options.radii; }

inline constexpr Pattern row = {"row", row_places, one_sample, no_widths};
inline constexpr Pattern column = {"column", column_places, one_sample, no_widths, true};
inline constexpr Pattern neighbors = {"neighbors", neighbor_places, as_many_samples, neighbors_of, false, true};
inline constexpr Pattern filter_x = {"filter-x", filter_x_places, as_many_samples, widths_of};
inline constexpr Pattern filter_y = {"filter-y", filter_y_places, as_many_samples, widths_of};
inline constexpr Pattern window = {"window", window_places, squared_samples, widths_of};
inline constexpr Pattern random_reads = {"random", random_places, random_samples, radii_of, false, false, true};
inline constexpr const Pattern* patterns[] = {&row, &column, &neighbors, &filter_x, &filter_y, &window, &random_reads};

// ---- variants

enum class Path { global, read_only, array, pitched };

inline const char* name_of_path(Path path) {
    constexpr const char* names[] = {"global", "restrict", "texture-array", "texture-pitch"};
    return names[int(path)];
}

template <typename T>
using LaunchReads = LaunchShape(const TextureArguments<T>&);

struct TextureVariant : Variant {
    const Pattern* pattern = nullptr;  // null: constant memory
    Path path = Path::global;
    FunctionSet<LaunchReads, float, __half> launch = {};
    LaunchShape (*on_constants)(const ConstantArguments&) = nullptr;
    unsigned (*first_constant)(unsigned block, unsigned lane) = nullptr;  // where a thread begins
    unsigned passes = 0;                                                  // of the constant cache, for a request
};

inline TextureVariant reads(const char* name, const char* idea, const Pattern& pattern, Path path,
                            FunctionSet<LaunchReads, float, __half> launch) {
    return {{name, idea, Needs::nothing, pattern.name}, &pattern, path, launch};
}

template <typename Start>
TextureVariant constants(const char* name, const char* idea, unsigned passes) {
    return {{name, idea, Needs::nothing, "constant"}, nullptr,      Path::global, {},
            launch_texture_constants<Start>,          Start::first, passes};
}

// A pattern on all paths; its ladder compares them.
#define ON_PATHS(name, what, pattern, launch)                                                      \
    reads(name "-global", what ": ordinary loads", pattern, Path::global,                          \
          [](const auto& arguments) { return launch<GlobalPath>(arguments); }),                    \
        reads(name "-restrict", what ": loads of read-only data", pattern, Path::read_only,        \
              [](const auto& arguments) { return launch<ReadOnlyPath>(arguments); }),              \
        reads(name "-texture-array", what ": a texture on an array", pattern, Path::array,         \
              [](const auto& arguments) { return launch<TexturePath>(arguments); }),               \
        reads(name "-texture-pitch", what ": a texture on pitched memory", pattern, Path::pitched, \
              [](const auto& arguments) { return launch<TexturePath>(arguments); })

inline const TextureVariant texture_variants[] = {
    ON_PATHS("row", "lanes along a row", row, launch_texture_rows),
    ON_PATHS("column", "lanes along a column", column, launch_texture_columns),
    ON_PATHS("neighbors", "a thread adds neighbors of a row", neighbors, launch_texture_neighbors),
    ON_PATHS("filter-x", "a filter along rows", filter_x, launch_texture_filter_x),
    ON_PATHS("filter-y", "a filter along columns", filter_y, launch_texture_filter_y),
    ON_PATHS("window", "a square window slides", window, launch_texture_window),
    ON_PATHS("random", "eight random elements nearby", random_reads, launch_texture_random),
    constants<ConstantUniform>("constant-uniform", "constant memory, the same word for all", 1),
    constants<ConstantPerBlock>("constant-block", "constant memory, a word for each block", 1),
    constants<ConstantPerThread>("constant-thread", "constant memory, a word for each lane", lanes_per_warp),
};
#undef ON_PATHS

// ---- columns

// What the program's own columns say about a measurement; what is 0 does not apply.
struct TextureCells {
    const char* path = "constant";
    const char* pattern = "";
    unsigned width = 0, samples = 0;
    size_t rows = 0, columns = 0;
    double sectors_per_request = 0;
    unsigned passes_per_request = 0;
    double cycles_per_access = 0;
};

inline Cell cell_if_any(double value, int digits) { return value > 0 ? computed(value, digits) : absent(digits); }

// clang-format off
inline const ColumnOf<TextureCells> texture_table_columns[] = {
    {{"p_path"}, [](const TextureCells& of) -> Cell { return of.path; }},
    {{"p_pattern"}, [](const TextureCells& of) -> Cell { return of.pattern; }},
    {{"p_width", "width", 1, 0, 5, 2}, [](const TextureCells& of) { return whole_if_any(of.width); }},
    {{"p_samples", "reads each", 1, 0, 5, 4}, [](const TextureCells& of) { return whole_if_any(of.samples); }},
    {{"p_rows"}, [](const TextureCells& of) { return whole_if_any(of.rows); }},
    {{"p_columns"}, [](const TextureCells& of) { return whole_if_any(of.columns); }},
    {{"p_sectors_per_request", "textbook sectors", 1, 2, 6, 3},
     [](const TextureCells& of) { return cell_if_any(of.sectors_per_request, 4); }},
    {{"p_passes_per_request", "textbook passes", 1, 0, 6, 3},
     [](const TextureCells& of) { return whole_if_any(of.passes_per_request); }},
    {{"p_cycles_per_access", "cycles each", 1, 1, 6, 2},
     [](const TextureCells& of) { return cell_if_any(of.cycles_per_access, 2); }},
};
// clang-format on

inline const Program texture_program = {
    .name = "texture",
    .summary =
        "Reads a matrix through global memory, the read-only path and textures, and constant memory: a "
        "benchmark.",
    .examples = {"texture -k 'row-*,column-*'", "texture -k filter-y-global -b 32x8,16x16,8x32,4x64"},
    .dtypes = {DType::f32, DType::f16},
    .sizes = "8Ki",
    .simulator_sizes = "64",
    .variants = variants_of(texture_variants),
    .options = own_options<TextureOptions>,
    .columns = columns_of(texture_table_columns),
    .counts_in_simulator = true,
    .shown_counters = {{"gld_sectors_per_request", "global sectors"}, {"tex_sectors_per_request", "texture sectors"}},
};

}  // namespace BACKEND

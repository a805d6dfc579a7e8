// SPDX-License-Identifier: MIT
// The tables of texture: patterns, paths, the variants that are their product, and columns.
#pragma once

#include <cmath>
#include <vector>

#include "common/cli/program.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/texture/chains.cuh"
#include "kernels/texture/copies.cuh"
#include "kernels/texture/reads.cuh"
#include "tools/texture/input.cuh"
#include "tools/texture/patterns.hpp"

namespace BACKEND {

// ---- patterns: what a thread reads

inline void row_places(const Reads&, size_t x, size_t y, Places& places) { places.push_back({long(x), long(y)}); }
inline void column_places(const Reads&, size_t x, size_t y, Places& places) { places.push_back({long(y), long(x)}); }

inline void row_neighbor_places(const Reads& reads, size_t x, size_t y, Places& places) {
    for (size_t i = x * reads.width; i < (x + 1) * reads.width && i < reads.shape.columns; ++i)
        places.push_back({long(i), long(y)});
}
inline void column_neighbor_places(const Reads& reads, size_t x, size_t y, Places& places) {
    for (size_t i = x * reads.width; i < (x + 1) * reads.width && i < reads.shape.rows; ++i)
        places.push_back({long(y), long(i)});
}

inline void row_slide_places(const Reads& reads, size_t x, size_t y, Places& places) {
    for (; y < reads.shape.rows; y += reads.block.y) places.push_back({long(x), long(y)});
}
inline void column_slide_places(const Reads& reads, size_t x, size_t y, Places& places) {
    for (; y < reads.shape.columns; y += reads.block.y) places.push_back({long(y), long(x)});
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

// The four elements around a point, by the CUDA programming guide's rule for linear filtering.
inline void zoom_places(const Reads& reads, size_t x, size_t y, Places& places) {
    const double u = texture_zoomed(int(x), int(reads.width)) - 0.5, v = texture_zoomed(int(y), int(reads.width)) - 0.5;
    const double left = std::floor(u), top = std::floor(v);
    const auto weight = [&](double fraction) {
        return reads.rounds_weights ? std::floor(fraction * 256 + 0.5) / 256 : fraction;
    };
    const double across = weight(u - left), down = weight(v - top);
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i)
            places.push_back({long(left) + i, long(top) + j, (i ? across : 1 - across) * (j ? down : 1 - down)});
}

inline unsigned one_sample(const Reads&) { return 1; }
inline unsigned four_samples(const Reads&) { return 4; }
inline unsigned as_many_samples(const Reads& reads) { return reads.width; }
inline unsigned squared_samples(const Reads& reads) { return reads.width * reads.width; }
inline unsigned random_samples(const Reads&) { return texture_random_samples; }
inline unsigned sliding_samples(const Reads& reads) {
    const size_t extent = reads.pattern->by_columns ? reads.shape.columns : reads.shape.rows;
    return unsigned(divide_up(extent, reads.block.y));
}

inline const std::vector<unsigned>& no_widths(const TextureOptions&) {
    static const std::vector<unsigned> one = {1};
    return one;
}
inline const std::vector<unsigned>& neighbors_of(const TextureOptions& options) { return options.neighbors; }
inline const std::vector<unsigned>& widths_of(const TextureOptions& options) { return options.widths; }
inline const std::vector<unsigned>& radii_of(const TextureOptions& options) { return options.radii; }
inline const std::vector<unsigned>& zooms_of(const TextureOptions& options) { return options.zooms; }

// clang-format off
inline constexpr Pattern row_pattern = {.name = "row", .places = row_places, .most_samples = one_sample,
    .widths = no_widths, .tutorial = Tutorial::one_dimension};
inline constexpr Pattern column_pattern = {.name = "column", .places = column_places, .most_samples = one_sample,
    .widths = no_widths, .tutorial = Tutorial::one_dimension, .by_columns = true};
inline constexpr Pattern row_neighbors = {.name = "neighbors", .places = row_neighbor_places,
    .most_samples = as_many_samples, .widths = neighbors_of, .tutorial = Tutorial::one_dimension, .shares_lines = true};
inline constexpr Pattern column_neighbors = {.name = "neighbors-column", .places = column_neighbor_places,
    .most_samples = as_many_samples, .widths = neighbors_of, .tutorial = Tutorial::one_dimension, .by_columns = true,
    .shares_lines = true};
inline constexpr Pattern row_slide = {.name = "slide-row", .places = row_slide_places, .most_samples = sliding_samples,
    .widths = no_widths, .tutorial = Tutorial::two_dimensions, .slides = true};
inline constexpr Pattern column_slide = {.name = "slide-column", .places = column_slide_places,
    .most_samples = sliding_samples, .widths = no_widths, .tutorial = Tutorial::two_dimensions, .by_columns = true,
    .slides = true};
inline constexpr Pattern filter_x = {.name = "filter-x", .places = filter_x_places, .most_samples = as_many_samples,
    .widths = widths_of, .tutorial = Tutorial::two_dimensions, .looks_beyond = true};
inline constexpr Pattern filter_y = {.name = "filter-y", .places = filter_y_places, .most_samples = as_many_samples,
    .widths = widths_of, .tutorial = Tutorial::two_dimensions, .looks_beyond = true};
inline constexpr Pattern window = {.name = "window", .places = window_places, .most_samples = squared_samples,
    .widths = widths_of, .looks_beyond = true};
inline constexpr Pattern random_reads = {.name = "random", .places = random_places, .most_samples = random_samples,
    .widths = radii_of, .tutorial = Tutorial::two_dimensions, .looks_beyond = true, .is_random = true};
inline constexpr Pattern zoom = {.name = "zoom", .places = zoom_places, .most_samples = four_samples,
    .widths = zooms_of, .looks_beyond = true, .interpolates = true};
inline constexpr Pattern written = {.name = "written", .places = column_places, .most_samples = one_sample,
    .widths = no_widths, .by_columns = true, .copies = true};
// clang-format on
inline constexpr const Pattern* patterns[] = {&row_pattern, &column_pattern, &row_neighbors, &column_neighbors,
                                              &row_slide,   &column_slide,   &filter_x,      &filter_y,
                                              &window,      &random_reads,   &zoom,          &written};

// ---- variants

enum class Path { global, read_only, pitched, texture_array, texture_pitch };

inline const char* name_of_path(Path path) {
    constexpr const char* names[] = {"global", "restrict", "pitched", "texture-array", "texture-pitch"};
    return names[int(path)];
}
inline bool is_texture(Path path) { return path >= Path::texture_array; }
inline Memory memory_of(Path path) {
    if (path == Path::texture_array) return Memory::array;
    return path == Path::pitched || path == Path::texture_pitch ? Memory::pitched : Memory::linear;
}

template <typename T>
using LaunchReads = LaunchShape(const TextureArguments<T>&, size_t across, size_t down);
using LaunchesOfReads = FunctionSet<LaunchReads, float, __half, float4, uchar4, NormalizedBytes>;

struct TextureVariant : Variant {
    const Pattern* pattern = nullptr;  // null: a chain of loads
    Path path = Path::global;
    LaunchesOfReads launch = {};
    // Of a chain:
    const char *memory = "", *index = "";
    LaunchShape (*on_chains)(const ChainArguments&) = nullptr;
    unsigned (*first_word)(unsigned block, unsigned lane) = nullptr;  // where a thread begins
    unsigned passes = 0, sectors = 0;                                 // of the constant cache, of L1; for a request

    // Whether the tutorial's tables have it: these run by default.
    bool is_of_tutorial() const {
        if (!pattern) return true;
        if (pattern->tutorial == Tutorial::none) return false;
        const bool flat = pattern->tutorial == Tutorial::one_dimension;
        return path != (flat ? Path::pitched : Path::read_only) && (!flat || path != Path::texture_pitch);
    }
};

inline TextureVariant reads(const char* name, const char* idea, const Pattern& pattern, Path path,
                            LaunchesOfReads launch) {
    return {{name, idea, Needs::nothing, pattern.name}, &pattern, path, launch};
}

template <typename Memory, typename Start>
TextureVariant chain(const char* name, const char* idea, const char* memory, const char* index, unsigned passes,
                     unsigned sectors) {
    TextureVariant variant{{name, idea, Needs::nothing, "constant"}};
    variant.memory = memory;
    variant.index = index;
    variant.on_chains = launch_texture_chains<Memory, Start>;
    variant.first_word = Start::first;
    variant.passes = passes;
    variant.sectors = sectors;
    return variant;
}

// A pattern on all paths; its ladder compares them.
#define ON_PATH(Kernel, Path_)                                         \
    [](const auto& arguments, size_t across, size_t down) {            \
        return launch_texture<Kernel, Path_>(arguments, across, down); \
    }
#define ON_PATHS(name, what, pattern, Kernel)                                                             \
    reads(name "-global", what ": ordinary loads", pattern, Path::global, ON_PATH(Kernel, OrdinaryPath)), \
        reads(name "-restrict", what ": loads of read-only data", pattern, Path::read_only,               \
              ON_PATH(Kernel, ReadOnlyPath)),                                                             \
        reads(name "-pitched", what ": ordinary loads of aligned rows", pattern, Path::pitched,           \
              ON_PATH(Kernel, OrdinaryPath)),                                                             \
        reads(name "-texture-array", what ": a texture on an array", pattern, Path::texture_array,        \
              ON_PATH(Kernel, TexturePath)),                                                              \
        reads(name "-texture-pitch", what ": a texture on pitched memory", pattern, Path::texture_pitch,  \
              ON_PATH(Kernel, TexturePath))

inline const TextureVariant texture_variants[] = {
    ON_PATHS("row", "lanes along a row", row_pattern, TextureRow),
    ON_PATHS("column", "lanes along a column", column_pattern, TextureColumn),
    ON_PATHS("neighbors", "a thread adds neighbors of a row", row_neighbors, TextureRowNeighbors),
    ON_PATHS("neighbors-column", "a thread adds neighbors of a column", column_neighbors, TextureColumnNeighbors),
    ON_PATHS("slide-row", "blocks slide down, lanes along a row", row_slide, TextureRowSlide),
    ON_PATHS("slide-column", "blocks slide across, lanes along a column", column_slide, TextureColumnSlide),
    ON_PATHS("filter-x", "a filter along rows", filter_x, TextureFilterX),
    ON_PATHS("filter-y", "a filter along columns", filter_y, TextureFilterY),
    ON_PATHS("window", "a square window slides", window, TextureWindow),
    ON_PATHS("random", "eight random elements nearby", random_reads, TextureRandom),
    ON_PATHS("zoom", "four elements are interpolated", zoom, TextureZoom),
    ON_PATHS("written", "a column of what the launch before wrote", written, TextureWritten),
    chain<ConstantMemory, ChainUniform>("constant-uniform", "constant memory, the same word for all", "constant",
                                        "uniform", 1, 0),
    chain<ConstantMemory, ChainPerBlock>("constant-block", "constant memory, a word for each block", "constant",
                                         "block", 1, 0),
    chain<ConstantMemory, ChainPerThread>("constant-thread", "constant memory, a word for each lane", "constant",
                                          "thread", lanes_per_warp, 0),
    chain<GlobalMemory, ChainPerBlock>("global-block", "global memory, a word for each block", "global", "block", 0, 1),
    chain<GlobalMemory, ChainPerThread>("global-thread", "global memory, a word for each lane", "global", "thread", 0,
                                        4),
    chain<ReadOnlyMemory, ChainPerBlock>("restrict-block", "read-only data, a word for each block", "restrict", "block",
                                         0, 1),
    chain<ReadOnlyMemory, ChainPerThread>("restrict-thread", "read-only data, a word for each lane", "restrict",
                                          "thread", 0, 4),
};
#undef ON_PATHS
#undef ON_PATH

// ---- columns

// What the program's own columns say about a measurement; what is 0 does not apply.
struct TextureCells {
    const char* path = "";
    const char* pattern = "";
    const char *texel = "none", *beyond = "none";
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
    {{"p_texel", "texel", 1, 0, 6, 3}, [](const TextureCells& of) -> Cell { return of.texel; }},
    {{"p_address", "beyond", 1, 0, 6, 2}, [](const TextureCells& of) -> Cell { return of.beyond; }},
    {{"p_width", "width", 1, 0, 5}, [](const TextureCells& of) { return whole_if_any(of.width); }},
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
    .examples = {"texture -k 'row-*,column-*'", "texture -k 'filter-x-*' --address clamp,border,wrap,mirror"},
    .dtypes = {DType::f32, DType::f16},
    .variants = variants_of(texture_variants),
    .lectures = &lectures,
    .options = own_options<TextureOptions>,
    .columns = columns_of(texture_table_columns),
    .counts_in_simulator = true,
    .shown_counters = {{"gld_sectors_per_request", "global sectors"}, {"tex_sectors_per_request", "texture sectors"}},
};

}  // namespace BACKEND

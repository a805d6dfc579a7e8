// SPDX-License-Identifier: MIT
// The options of texture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"

// What is read beyond the edges.
enum class Addressing { clamp, border, wrap, mirror };
inline constexpr Choice<Addressing> addressings[] = {{"clamp", Addressing::clamp},
                                                     {"border", Addressing::border},
                                                     {"wrap", Addressing::wrap},
                                                     {"mirror", Addressing::mirror}};

// An element of the matrix.
enum class Texel { f32, f16, float4, uchar4, unorm4 };
inline constexpr Choice<Texel> texels[] = {{"f32", Texel::f32},
                                           {"f16", Texel::f16},
                                           {"float4", Texel::float4},
                                           {"uchar4", Texel::uchar4},
                                           {"unorm4", Texel::unorm4}};

// "32x8,256": the second block has one row.
inline std::vector<BlockShape> parse_block_shapes(const std::string& list) {
    std::vector<BlockShape> shapes;
    for (const std::string& word : split(list, ',')) shapes.push_back(parse_block_shape(word, "--block"));
    return shapes;
}

// A list of whole numbers from smallest to largest.
inline std::vector<unsigned> parse_widths(const std::string& list, const char* option, std::size_t smallest,
                                          std::size_t largest) {
    std::vector<unsigned> widths;
    for (std::size_t width : parse_counts(list, option, smallest, largest)) widths.push_back(unsigned(width));
    return widths;
}

struct TextureOptions {
    // In the simulator eight neighbors per thread make the sums of a row a warp, as do those of a column.
    PerBackend<std::vector<MatrixShape>> shapes = {{{8192, 8192}}, {{256, 256}}};
    std::vector<BlockShape> blocks = {{32, 8}};
    std::vector<Texel> elements = {};  // none: the --dtype
    std::vector<Addressing> beyond = {Addressing::clamp};
    std::vector<unsigned> neighbors = {2, 4, 8};
    std::vector<unsigned> widths = {5};
    std::vector<unsigned> radii = {8};
    std::vector<unsigned> zooms = {3};

    void add_options(OptionTable& table) {
        table.read("-n,--size", "LIST", "matrices: N, ROWSxCOLUMNS, or N in a range A:B:xF or A:B:+S",
                   default_text(shapes, [](const auto& all) { return all.front().name(); }), shapes,
                   parse_matrix_shapes);
        table.read("-b,--block", "LIST", "threads per block: WIDTHxHEIGHT, or WIDTH", "32x8", blocks,
                   parse_block_shapes);
        table.choices("--texel", "LIST", "elements of the matrix; those of --dtype by default", elements, texels);
        table.choices("--address", "LIST", "what is read beyond the edges, of f32", beyond, addressings);
        const auto list_of_widths = [&](const char* flags, const char* help, const char* fallback,
                                        std::vector<unsigned>& field, std::size_t smallest, std::size_t largest) {
            table.read(flags, "LIST", help, fallback, field,
                       [=](const std::string& word) { return parse_widths(word, flags, smallest, largest); });
        };
        list_of_widths("--neighbors", "neighboring elements that a thread adds", "2,4,8", neighbors, 1, 64);
        list_of_widths("--width", "elements along x, y or both, of filters and windows", "5", widths, 1, 64);
        list_of_widths("--vicinity", "how far away random samples may be, in x and in y", "8", radii, 0, 32767);
        list_of_widths("--zoom", "how often the matrix is magnified", "3", zooms, 1, 64);
    }
};

// The shapes of --size: "4096" is a cube, "1000x333x77" is m x n x k; both in lists, and cubes in ranges.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"
#include "common/io/text.hpp"

// C is m x n, A m x k, B k x n.
struct ProductShape {
    std::size_t m = 0, n = 0, k = 0;

    double flop() const { return 2.0 * double(m) * double(n) * double(k); }
    double elements() const { return double(m) * double(k) + double(k) * double(n) + double(m) * double(n); }
    std::string name() const { return text("{}x{}x{}", m, n, k); }
};

// Failure(usage) for extents with which the kernels do not count: an int holds them, and the end of the last tile, too.
inline ProductShape checked(const ProductShape& shape) {
    constexpr std::size_t most = (std::size_t{1} << 31) - 512;
    for (std::size_t extent : {shape.m, shape.n, shape.k})
        if (extent > most)
            fail(Exit::usage, "size {}: {} is more than {} rows or columns", shape.name(), extent, most);
    return shape;
}

inline std::vector<ProductShape> parse_shapes(const std::string& list) {
    std::vector<ProductShape> shapes;
    for (const std::string& part : split(list, ',')) {
        const std::vector<std::string> extents = split(part, 'x');
        if (part.find(':') == part.npos && part.find('x') != part.npos) {
            if (extents.size() != 3) fail(Exit::usage, "size '{}' is neither N nor MxNxK", part);
            shapes.push_back(checked(
                {parse_count(extents[0], "size"), parse_count(extents[1], "size"), parse_count(extents[2], "size")}));
        } else {
            if (part.empty()) fail(Exit::usage, "size '{}' names no shape in one of its parts", list);
            for (std::size_t side : parse_sizes(part)) shapes.push_back(checked({side, side, side}));
        }
    }
    if (shapes.empty()) fail(Exit::usage, "size '{}' names no shape", list);
    return shapes;
}

struct MatmulOptions {
    PerBackend<std::vector<ProductShape>> shapes = {{{1024, 1024, 1024}}, {{64, 64, 64}}};  // of a benchmark
    std::optional<ProductShape> file_shape;
    bool explain = false;

    void add_options(OptionTable& table) {
        const auto side = [](const std::vector<ProductShape>& cubes) { return std::to_string(cubes.front().m); };
        table.read("-n,--size", "LIST", "shapes: N, MxNxK, or N in a range A:B:xF or A:B:+S", default_text(shapes, side), shapes,
                   parse_shapes);
        table.read("--shape", "MxNxK", "the shape of raw or text operands", "", file_shape, [](const std::string& word) {
            const std::vector<ProductShape> one = parse_shapes(word);
            if (one.size() != 1) fail(Exit::usage, "--shape '{}' is not MxNxK", word);
            return one.front();
        });
        table.flag("--explain", "say which kernel 'fastest' is, and why", explain);
    }
};

// SPDX-License-Identifier: MIT
#include "tools/matmul/shape.hpp"

#include "common/cli/sizes.hpp"
#include "common/io/failure.hpp"

ProductShape within_limits(const ProductShape& shape) {
    constexpr std::size_t most = (std::size_t{1} << 31) - 512;
    for (std::size_t extent : {shape.m, shape.n, shape.k})
        if (extent > most) fail(Exit::usage, "size {}: {} is more than {} rows or columns", shape.name(), extent, most);
    return shape;
}

Transposes parse_transposes(const std::string& list) {
    Transposes transposed;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
        end = list.find(',', begin);
        const std::string word = list.substr(begin, end == std::string::npos ? end : end - begin);
        if (word == "a") transposed.a = true;
        else if (word == "b") transposed.b = true;
        else fail(Exit::usage, "--transpose '{}': '{}' is neither a nor b", list, word);
    }
    return transposed;
}

std::vector<ProductShape> parse_shapes(const std::string& list) {
    std::vector<ProductShape> shapes;
    for (const std::vector<std::size_t>& extents : parse_extents(list, 3, "MxNxK"))
        shapes.push_back(within_limits({extents[0], extents[1], extents[2]}));
    return shapes;
}

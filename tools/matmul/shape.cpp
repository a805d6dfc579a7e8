#include "tools/matmul/shape.hpp"

#include "common/cli/sizes.hpp"
#include "common/io/failure.hpp"

ProductShape within_limits(const ProductShape& shape) {
    constexpr std::size_t most = (std::size_t{1} << 31) - 512;
    for (std::size_t extent : {shape.m, shape.n, shape.k})
        if (extent > most) fail(Exit::usage, "size {}: {} is more than {} rows or columns", shape.name(), extent, most);
    return shape;
}

std::vector<ProductShape> parse_shapes(const std::string& list) {
    std::vector<ProductShape> shapes;
    for (const std::string& part : split(list, ',')) {
        const std::vector<std::string> extents = split(part, 'x');
        if (part.find(':') == part.npos && part.find('x') != part.npos) {
            if (extents.size() != 3) fail(Exit::usage, "size '{}' is neither N nor MxNxK", part);
            shapes.push_back(within_limits(
                {parse_count(extents[0], "size"), parse_count(extents[1], "size"), parse_count(extents[2], "size")}));
        } else {
            if (part.empty()) fail(Exit::usage, "size '{}' names no shape in one of its parts", list);
            for (std::size_t side : parse_sizes(part)) shapes.push_back(within_limits({side, side, side}));
        }
    }
    if (shapes.empty()) fail(Exit::usage, "size '{}' names no shape", list);
    return shapes;
}

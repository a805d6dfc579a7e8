// The shapes of --size: "4096" is a cube, "1000x333x77" is m x n x k; both in lists, and cubes in ranges.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/text.hpp"

// C is m x n, A m x k, B k x n.
struct ProductShape {
    std::size_t m = 0, n = 0, k = 0;

    double flop() const { return 2.0 * double(m) * double(n) * double(k); }
    double elements() const { return double(m) * double(k) + double(k) * double(n) + double(m) * double(n); }
    std::string name() const { return text("{}x{}x{}", m, n, k); }
};

// Failure(usage) for extents that the kernels cannot count: an int must hold them, and the end of the last tile, too.
ProductShape within_limits(const ProductShape& shape);

// Failure(usage) for text that is no such list.
std::vector<ProductShape> parse_shapes(const std::string& list);

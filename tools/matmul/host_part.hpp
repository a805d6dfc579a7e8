// SPDX-License-Identifier: MIT
// The host's side of a process of a gang: generates the elements of A and B that its ranks and their verification need,
// as they are needed, and checks its parts of C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/measure/verify.hpp"
#include "tools/matmul/blocks.hpp"
#include "tools/matmul/shape.hpp"

// A block of A or B on the host, with contiguous rows.
struct HostBlock {
    ProductBlock place;  // in all of A or B
    const unsigned char* elements;
    std::size_t element_bytes;

    std::size_t row_bytes() const { return place.columns.size * element_bytes; }
    const unsigned char* at(std::size_t row, std::size_t column) const {
        return elements + (row - place.rows.begin) * row_bytes() + (column - place.columns.begin) * element_bytes;
    }
};

class HostPart {
public:
    using UseBlock = std::function<void(const HostBlock& block)>;

    virtual ~HostPart() = default;

    // Generates A's rows, and then B's columns, some rows at a time, and passes on each such block, which does not
    // outlive the call. With verification, the reference is computed along the way. May be called again.
    virtual void make(const UseBlock& use_a, const UseBlock& use_b) = 0;

    // Where to copy the part of C that is to be checked next, with contiguous rows.
    virtual void* c() = 0;
    // Whether the part of C with this number is that of A B, within the error of such sums.
    virtual Verdict check(std::size_t part) const = 0;
    // Whether that looks at every element; large products are checked by some rows and a random vector.
    virtual bool checks_all() const = 0;
};

struct HostPartSettings {
    std::uint64_t seed = 0;
    bool verify = true;
    double tolerance = -1;                                // relative; negative: what follows from type and k
    std::size_t elements_at_once = std::size_t{1} << 22;  // of B
};

// For these parts of C, which may be empty, of a product of this shape. The elements are those of make_host_product().
std::unique_ptr<HostPart> make_host_part(DType dtype, const ProductShape& shape, const std::vector<ProductBlock>& parts,
                                         const HostPartSettings& settings);

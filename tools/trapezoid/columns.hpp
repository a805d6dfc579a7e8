// SPDX-License-Identifier: MIT
// The program's own columns, and what they are taken from.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/io/table.hpp"
#include "common/measure/variant.hpp"

// The longest chain of dependent additions; adding 0 for a term that is not there does not count.
struct Steps {
    std::size_t in_block;  // until a block's heights are in its sum, or in the total; 0 where there are no blocks
    std::size_t in_all;    // until all heights are in the total
};

// What is known about a measurement; what is not known is nan.
struct TrapezoidCells {
    std::string function;
    double from, to;
    int digits;  // that tell the numbers of the type from each other
    double integral, off_closed_form, off_reference, richardson, order;
    Steps steps;
};

std::vector<Column> trapezoid_columns();
std::vector<Cell> cells_of(const TrapezoidCells& cells);

// The integrals so far of each variant, by n.
class Convergence {
public:
    // `rounding`: how far rounding has moved it, nan if that is not known.
    void add(const Variant& variant, std::size_t n, double integral, double rounding);
    bool has(const Variant& variant, std::size_t n) const;

    // The integral by n trapezoids minus that by n / 2.
    double change(const Variant& variant, std::size_t n) const;
    // Extrapolated from n / 2 and n trapezoids: an integral whose error has no term in the square of the width.
    double richardson(const Variant& variant, std::size_t n) const;
    // The power of the width that the error is proportional to, from the integrals by n, n / 2 and n / 4; nan where
    // rounding may be an eighth of the last change, which then says nothing about it.
    double order(const Variant& variant, std::size_t n) const;

private:
    struct Result {
        double integral, rounding;
    };

    // Nan if n / divisor is not a whole number, or there is no result.
    Result at(const Variant& variant, std::size_t n, std::size_t divisor) const;

    std::map<std::pair<const Variant*, std::size_t>, Result> results_;
};

// SPDX-License-Identifier: MIT
// The sum of heights in higher precision, and how far a correct method may be from it.
#pragma once

#include <cstddef>
#include <string>

#include "common/io/dtype.hpp"
#include "tools/trapezoid/expression.hpp"

// The trapezoidal rule as the host knows it: bounds and step are numbers of the type in which the device computes.
struct HostRule {
    std::size_t n = 1;
    double from = 0, to = 1, step = 1;
};

struct Reference {
    long double sum = 0;        // of the heights: times the step it is the integral
    double magnitude = 0;       // of their absolute values
    double function_error = 0;  // how much that sum may change by the rounding within the function
    std::string escaped = {};   // where the function, or a part of it, is not finite in the type; "" for nowhere
    bool escaped_type = false;  // it would be one of a wider type

    // The absolute error allowed for a method that passes no height through more than `additions` additions: with
    // the unit roundoff u, each of them changes a sum by at most u times what has been added up by then (Higham,
    // Accuracy and Stability of Numerical Algorithms, 4.2). The reference's own rounding is below a thousandth of it.
    double allowed_error(std::size_t additions, DType dtype) const;
};

// Evaluates the function at exactly the device's points, which fma() rounds once, in double for f32 and in long double
// for f64, and adds up its values in pairs of long doubles. The effect of rounding within the function is followed
// through its operations: each adds its own rounding and passes on the errors of its operands (running error analysis:
// Higham, 3.3). Uses all cores.
Reference reference_sum(const Expression& expression, const HostRule& rule, DType dtype);

// The sum of heights begin to end in the type itself, one after the other, as a loop on the host would add them.
template <typename T>
T sum_in_type(const Expression& expression, const HostRule& rule, std::size_t begin, std::size_t end);

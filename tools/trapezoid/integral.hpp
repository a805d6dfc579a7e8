// SPDX-License-Identifier: MIT
// What is integrated: a function, by name or as an expression, and from where to where.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/trapezoid/expression.hpp"

// A function that is compiled with the program, whose integral is known.
struct KnownFunction {
    const char* name;
    const char* expression;
    const char *from, *to;  // the default bounds
    long double (*antiderivative)(long double x);
};

const std::vector<KnownFunction>& known_functions();

struct Integral {
    Expression function;
    std::optional<std::size_t> known;  // which of known_functions() it is, if any
    double from = 0, to = 1;

    // By the antiderivative.
    long double closed_form() const;
};

// The function of --function: a name, or an expression, which may turn out to be one of those. Failure(usage) for a bad
// expression or bound; an empty bound stands for the default one, which for an expression is 0 or 1.
Integral parse_integral(const std::string& function, const std::string& from, const std::string& to);

// A bound: an expression without x.
double parse_bound(const std::string& text, const std::string& option);

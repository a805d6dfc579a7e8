// SPDX-License-Identifier: MIT
#include "tools/trapezoid/math_functions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "common/io/text.hpp"

namespace {

// `function` of one argument, and of two.
#define OF_ONE(name, function, ulps)                                                                                 \
    {                                                                                                                \
        name, #function, 1, ulps, [](float a, float) { return function##f(a); },                                     \
            [](double a, double) { return function(a); }, [](long double a, long double) { return function##l(a); }, \
    }
#define OF_TWO(name, function, ulps)                                                  \
    {                                                                                 \
        name, #function, 2, ulps, [](float a, float b) { return function##f(a, b); }, \
            [](double a, double b) { return function(a, b); },                        \
            [](long double a, long double b) { return function##l(a, b); },           \
    }

// (The gamma function's logarithm is off by more where it is nearly zero, and so are functions close to a pole.)
constexpr MathFunction functions[] = {
    OF_ONE("abs", fabs, 0),      OF_ONE("sqrt", sqrt, 0.5),    OF_ONE("cbrt", cbrt, 2),   OF_ONE("exp", exp, 2),
    OF_ONE("exp2", exp2, 2),     OF_ONE("expm1", expm1, 2),    OF_ONE("log", log, 2),     OF_ONE("log2", log2, 2),
    OF_ONE("log10", log10, 3),   OF_ONE("log1p", log1p, 2),    OF_ONE("sin", sin, 2),     OF_ONE("cos", cos, 2),
    OF_ONE("tan", tan, 4),       OF_ONE("asin", asin, 4),      OF_ONE("acos", acos, 4),   OF_ONE("atan", atan, 4),
    OF_ONE("sinh", sinh, 3),     OF_ONE("cosh", cosh, 2),      OF_ONE("tanh", tanh, 3),   OF_ONE("asinh", asinh, 4),
    OF_ONE("acosh", acosh, 4),   OF_ONE("atanh", atanh, 4),    OF_ONE("erf", erf, 2),     OF_ONE("erfc", erfc, 6),
    OF_ONE("gamma", tgamma, 11), OF_ONE("lgamma", lgamma, 16), OF_ONE("floor", floor, 0), OF_ONE("ceil", ceil, 0),
    OF_ONE("round", round, 0),   OF_ONE("trunc", trunc, 0),    OF_TWO("pow", pow, 9),     OF_TWO("atan2", atan2, 3),
    OF_TWO("hypot", hypot, 3),   OF_TWO("fmod", fmod, 0),      OF_TWO("min", fmin, 0),    OF_TWO("max", fmax, 0),
};

}  // namespace

const MathFunction* find_math_function(const std::string& name) {
    const auto found = std::find_if(std::begin(functions), std::end(functions),
                                    [&](const MathFunction& one) { return one.name == name; });
    return found == std::end(functions) ? nullptr : found;
}

std::string nearest_math_function(const std::string& name) {
    std::vector<std::string> names;
    for (const MathFunction& one : functions) names.push_back(one.name);
    return nearest_name(name, names);
}

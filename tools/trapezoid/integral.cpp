// SPDX-License-Identifier: MIT
#include "tools/trapezoid/integral.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "common/io/text.hpp"
#include "tools/trapezoid/evaluation.hpp"

const std::vector<KnownFunction>& known_functions() {
    static const std::vector<KnownFunction> functions = {
        {"parabola", "x^2+1", "-3", "3", [](long double x) { return x * x * x / 3 + x; }},
        {"lorentz", "4/(1+x^2)", "0", "1", [](long double x) { return 4 * std::atan(x); }},
        {"sin", "sin(x)", "0", "pi", [](long double x) { return -std::cos(x); }},
        {"gauss", "exp(-x^2)", "0", "1",
         [](long double x) { return std::sqrt(std::numbers::pi_v<long double>) / 2 * std::erf(x); }},
        {"sqrt", "sqrt(x)", "0", "1", [](long double x) { return 2 * x * std::sqrt(x) / 3; }},
    };
    return functions;
}

long double Integral::closed_form() const {
    const auto antiderivative = known_functions()[*known].antiderivative;
    return antiderivative(to) - antiderivative(from);
}

Integral parse_integral(const std::string& function, const std::string& from, const std::string& to) {
    const std::vector<KnownFunction>& known = known_functions();
    Integral integral;
    for (std::size_t i = 0; i < known.size() && !integral.known; ++i)
        if (function == known[i].name) integral.known = i;
    integral.function = Expression::parse(integral.known ? known[*integral.known].expression : function, "--function");
    for (std::size_t i = 0; i < known.size() && !integral.known; ++i)
        if (integral.function.printed() == known[i].expression) integral.known = i;
    const auto bound = [&](const std::string& given, const char* of_known, const char* otherwise, const char* option) {
        return parse_bound(!given.empty() ? given : integral.known ? of_known : otherwise, option);
    };
    const KnownFunction& one = known[integral.known.value_or(0)];
    integral.from = bound(from, one.from, "0", "--from");
    integral.to = bound(to, one.to, "1", "--to");
    return integral;
}

double parse_bound(const std::string& text, const std::string& option) {
    const Expression bound = Expression::parse(text, option);
    if (bound.depends_on_x()) fail(Exit::usage, "{} '{}' is not a number: a bound has no x in it", option, text);
    BlockValues<long double> values(bound);
    const long double none = 0;
    values.evaluate(&none, 1);
    const auto value = static_cast<double>(values.result()[0]);
    if (!std::isfinite(value)) fail(Exit::usage, "{} '{}' is {}: a bound is a finite number", option, text, value);
    return value;
}

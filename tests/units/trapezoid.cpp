// SPDX-License-Identifier: MIT
// Tests of trapezoid's parts that need no device: the verification's bound, how far --settle
// doubles, and the kernels' source text for GPUs.
// Prints what is wrong; nothing if all is right. The argument says which: host, sizes or gpu.
#include <cmath>
#include <cstdio>
#include <string>

#include "common/io/failure.hpp"
#include "common/io/text.hpp"
#include "tools/trapezoid/kernel_sources.hpp"
#include "tools/trapezoid/options.hpp"
#include "tools/trapezoid/reference.hpp"

namespace {

int faults = 0;

void expect(bool right, const std::string& what) {
    if (right) return;
    std::printf("%s\n", what.c_str());
    ++faults;
}

HostRule rule_of(std::size_t n, double from, double to, DType dtype) {
    const double step = (to - from) / double(n);
    if (dtype == DType::f64) return {n, from, to, step};
    return {n, float(from), float(to), float(step)};
}

// In f64 the bound is so small that a missing or extra height cannot hide, however the heights were added.
void test_missing_heights() {
    const std::size_t n = 1'000'000;
    const Expression function = Expression::parse("x^2+1", "");
    const HostRule rule = rule_of(n, -3, 3, DType::f64);
    const Reference reference = reference_sum(function, rule, DType::f64);
    const double allowed = reference.allowed_error(n, DType::f64);
    expect(allowed < 0.01, text("a million heights of at least 1 may be off by {}", allowed));
    const auto off = [&](std::size_t begin, std::size_t end) {
        return std::fabs(double(sum_in_type<double>(function, rule, begin, end) - reference.sum));
    };
    expect(off(0, n) <= allowed, text("the sum in f64 is off by {}, allowed are {}", off(0, n), allowed));
    expect(off(0, n - 1) > allowed, "the last height is not missed");
    expect(off(1, n) > allowed, "the first height is not missed");
}

// Functions computed in the type are within the bound, even if errors grow: cancellation, poles, steps, powers.
void test_bounds() {
    // sharp: if no error grows, the bound is a small part of the sum.
    const struct {
        const char* words;
        bool sharp;
    } functions[] = {
        {"x", true},
        {"1-x+x-1", true},
        {"exp(10*sin(50*x))", true},
        {"1/(x-1.0001)", true},
        {"tan(1.57*x)", true},
        {"x^17-x^16*pi", true},
        {"pow(x+0.1,-3.3)", true},
        {"log(1+x/1000)", true},
        {"lgamma(1+x)", true},
        {"erfc(3*x)", true},
        {"gamma(5*x+0.1)", true},
        {"(x+1000)-1000", false},
        {"sqrt(1-x*x)", false},
        {"floor(100*x)/7", false},
        {"fmod(37*x,0.1)", false},
        {"atan2(x-0.5,x-0.3)", false},
        {"sinh(9*x)-cosh(9*x)", false},
    };
    for (const auto& [words, sharp] : functions) {
        const Expression function = Expression::parse(words, "");
        for (const DType dtype : {DType::f32, DType::f64}) {
            for (const std::size_t n : {1, 2, 1000, 20000}) {
                const HostRule rule = rule_of(n, 0, 1, dtype);
                const Reference reference = reference_sum(function, rule, dtype);
                expect(reference.escaped.empty(), text("{}: {}", words, reference.escaped));
                const double sum = dtype == DType::f32 ? double(sum_in_type<float>(function, rule, 0, n))
                                                       : sum_in_type<double>(function, rule, 0, n);
                const double off = std::fabs(double(sum - reference.sum));
                const double allowed = reference.allowed_error(n, dtype);
                expect(off <= allowed,
                       text("{}, {}, n = {}: off by {}, allowed are {}", words, name_of(dtype), n, off, allowed));
                const double most = dtype == DType::f32 ? 1e-2 : 1e-11;
                expect(!sharp || n > 1000 || allowed <= most * (1 + reference.magnitude),
                       text("{}, {}, n = {}: as much as {} is allowed in {}", words, name_of(dtype), n, allowed,
                            reference.magnitude));
            }
        }
    }
}

// No doubling makes a grid too large.
void test_settling_sizes() {
    for (const bool simulated : {false, true}) {
        const std::size_t one = most_settling_size(simulated, 1), two = most_settling_size(simulated, 2);
        expect(one <= most_blocks, text("blocks of a thread: a grid of {}", one));
        expect((two + 1) / 2 <= most_blocks && two >= one, text("blocks of two threads: {} trapezoids", two));
        expect(two == most_settling_size(simulated, 1024), "a block of two threads limits nothing");
    }
}

// The kernels as machine code, or as PTX for a GPU that is newer than the compiler, with all functions at once.
void test_kernels_from_text() {
    const DeviceCode code = compile_kernels(Expression::parse("exp(-x^2)*sin(3*x)", ""), DType::f64, 90);
    expect(code.names.size() == kernel_names().size() && code.image.size() > 10000, "the kernels are missing");
    std::string all;
    for (const char* name : {"abs",   "sqrt",  "cbrt", "exp",  "exp2",  "expm1",  "log",   "log2", "log10", "log1p",
                             "sin",   "cos",   "tan",  "asin", "acos",  "atan",   "sinh",  "cosh", "tanh",  "asinh",
                             "acosh", "atanh", "erf",  "erfc", "gamma", "lgamma", "floor", "ceil", "round", "trunc"})
        all += std::string(name) + "(x)+";
    for (const char* name : {"pow", "atan2", "hypot", "fmod", "min", "max"}) all += std::string(name) + "(x,2)+";
    const DeviceCode text_code = compile_kernels(Expression::parse(all + "x^5-x^-2+--x", ""), DType::f32, 999);
    const std::string ptx(text_code.image.begin(), text_code.image.end());
    for (const std::string& name : text_code.names)
        expect(ptx.find(".entry " + name) != std::string::npos, name + " is not in the PTX for a newer GPU");
}

}  // namespace

int main(int, char** arguments) {
    const std::string which = arguments[1];
    try {
        if (which == "host") test_missing_heights(), test_bounds();
        else if (which == "sizes") test_settling_sizes();
        else test_kernels_from_text();
    } catch (const Failure& failure) {
        expect(false, failure.what());
    }
    return faults == 0 ? 0 : 1;
}

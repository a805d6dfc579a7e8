// SPDX-License-Identifier: MIT
// An expression in x as a syntax tree: numbers, x, pi, e, + - * / ^, parentheses and calls of functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/dtype.hpp"

// ---- the functions that an expression may call: those of math.h that are real functions of one or two real numbers

struct MathFunction {
    const char* name;    // in an expression
    const char* c_name;  // of the function of doubles in C; the one of floats has an f appended
    int arguments;       // 1 or 2
    // The largest error in units in the last place, of CUDA's functions for either type (CUDA C++ Programming Guide,
    // "Mathematical Functions") and of the C library's; 0 for one whose results are exact.
    double ulps;
    float (*f32)(float, float);
    double (*f64)(double, double);
    long double (*wide)(long double, long double);

    template <typename T>
    T call(T a, T b) const {
        if constexpr (sizeof(T) == sizeof(float)) return f32(a, b);
        else if constexpr (sizeof(T) == sizeof(double)) return f64(a, b);
        else return wide(a, b);
    }
};

// The function, or null.
const MathFunction* find_math_function(const std::string& name);

// The function whose name is most like this one; "" if none is.
std::string nearest_math_function(const std::string& name);

enum class NodeKind { variable, number, add, subtract, multiply, divide, negate, integer_power, call };

struct Node {
    NodeKind kind = NodeKind::number;
    long double number = 0;                  // of a number
    int exponent = 0;                        // of an integer power, whose base is `first`
    const MathFunction* function = nullptr;  // of a call
    std::size_t first = 0, second = 0;       // operands or arguments: indices of earlier nodes
};

class Expression {
public:
    // Reads an expression. Failure(usage) says what is wrong with it, shows it and marks the place; `option` is where
    // it comes from.
    static Expression parse(const std::string& text, const std::string& option);

    // Every node comes after its operands; the last one is the whole.
    const std::vector<Node>& nodes() const { return nodes_; }
    bool depends_on_x() const;
    // Arithmetic operations and calls, of which each counts once; powers count their products.
    std::size_t operations() const;

    // As it may be typed, with as few parentheses as possible. Arguments are separated by semicolons, which a table of
    // comma-separated values can hold.
    std::string printed() const;
    // The part of it that ends in this node.
    std::string printed(std::size_t node) const;
    // As an expression in CUDA C++ of that type, in which x is the variable, and which needs powers_source.
    std::string source(DType dtype) const;

private:
    friend class ExpressionParser;
    std::vector<Node> nodes_;
};

// The function template that integer powers call: power<exponent>(base), the exponent at least 0.
extern const char* const powers_source;

// base to the power of `exponent`, at least 0, by the same products.
template <typename T>
T power_by_squaring(T base, int exponent) {
    T result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result *= base;
        base *= base;
    }
    return result;
}

// SPDX-License-Identifier: MIT
// The functions that an expression may call: those of math.h that are real functions of one or two real numbers.
#pragma once

#include <string>

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

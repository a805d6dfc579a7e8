// SPDX-License-Identifier: MIT
// Reduces a piece of the input on one core, with its vector units and from its caches.
#pragma once

#include <cstddef>
#include <cstdint>

// Holds the sum of as many 64-bit numbers as there can be.
using ExactSum = __int128;

// The sum: in double for floating-point numbers, exact for integers. The order of the additions depends only on n, so
// that a sum is the same on every processor.
double sum_of_piece(const float* values, std::size_t n);
double sum_of_piece(const double* values, std::size_t n);
ExactSum sum_of_piece(const std::int32_t* values, std::size_t n);
ExactSum sum_of_piece(const std::int64_t* values, std::size_t n);

// NaN if one of the values is; n > 0.
template <typename T>
T minimum_of_piece(const T* values, std::size_t n);
template <typename T>
T maximum_of_piece(const T* values, std::size_t n);

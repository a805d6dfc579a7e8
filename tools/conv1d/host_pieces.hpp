// SPDX-License-Identifier: MIT
// The convolution of a piece by one core with its vector units.
#pragma once

#include <cstddef>

// output[i] is the sum over j < width of taps[j] * inputs[i + j]: there are n outputs and n + width - 1 inputs.
// Products are added in the order of the taps, on every processor.
template <typename T>
void convolve_piece(const T* inputs, const T* taps, unsigned width, T* output, std::size_t n);

// Whether all n values are finite.
template <typename T>
bool is_all_finite(const T* values, std::size_t n);

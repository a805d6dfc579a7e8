// SPDX-License-Identifier: MIT
// The weights of a convolution: typed, read from a file, or drawn at random; and their spectrum.
#pragma once

#include <complex>
#include <string>
#include <vector>

// The weights of --weights: numbers separated by commas, or a file of them ("-": standard input). "" is the lecture's
// filter, the average of an input and its neighbors. Failure(usage) or Failure(bad_input) for anything but 1 to
// largest_width finite numbers.
std::vector<double> given_weights(const std::string& weights);

// The discrete Fourier transform of a sequence whose length is a power of two.
std::vector<std::complex<double>> discrete_transform(const std::vector<double>& sequence);

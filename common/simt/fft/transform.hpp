// SPDX-License-Identifier: MIT
// Fourier transforms of dense arrays, in double precision: by FFTW if it is installed, else by our own code.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace simt::fft {

using Number = std::complex<double>;

/// Transforms `batch` arrays of up to three dimensions, one after another in memory, in place. Direction -1 is forward,
/// 1 is backward; neither divides by the number of elements.
class Transform {
public:
    Transform(std::vector<size_t> extents, size_t batch);
    ~Transform();
    Transform(const Transform&) = delete;
    Transform& operator=(const Transform&) = delete;

    void run(std::vector<Number>& data, int direction);

private:
    const std::vector<size_t> extents_;
    const size_t batch_;
    void* plans_[2] = {nullptr, nullptr};  // FFTW's, forward and backward
};

}  // namespace simt::fft

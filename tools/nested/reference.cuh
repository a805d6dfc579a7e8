// SPDX-License-Identifier: MIT
// The Mandelbrot set's image on the host: pixel by pixel, and by squares as the kernel makes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/measure/parallel.hpp"
#include "kernels/nested/dwell.cuh"
#include "kernels/nested/launches.cuh"

namespace BACKEND {

class MandelbrotReference {
public:
    MandelbrotReference(unsigned side, unsigned steps) : side_(side), steps_(steps), pixels_(size_t(side) * side) {
        parallel_for(pixels_.size(), [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i)
                pixels_[i] = dwell_of_pixel(unsigned(i % side_), unsigned(i / side_), side_, steps_);
        });
        squares_ = pixels_;
        const unsigned square = mandelbrot_first_side(side);
        for (unsigned y = 0; y < side; y += square)
            for (unsigned x = 0; x < side; x += square) make_square(x, y, square);
    }

    const std::vector<unsigned>& pixels() const { return pixels_; }
    const std::vector<unsigned>& squares() const { return squares_; }

private:
    // (Every pixel has been computed: a square is only filled, or left as it is.)
    void make_square(unsigned left, unsigned top, unsigned square) {
        if (left >= side_ || top >= side_) return;
        const unsigned width = std::min(square, side_ - left), height = std::min(square, side_ - top);
        const unsigned first = pixels_[size_t(top) * side_ + left];
        bool is_uniform = true;
        for (unsigned i = 0; i < border_length(width, height) && is_uniform; ++i) {
            unsigned x, y;
            border_pixel(i, width, height, x, y);
            is_uniform = pixels_[size_t(top + y) * side_ + left + x] == first;
        }
        const unsigned part = square / mandelbrot_split;
        if (is_uniform) {
            for (unsigned y = top; y < top + height; ++y)
                std::fill_n(squares_.begin() + std::ptrdiff_t(size_t(y) * side_ + left), width, first);
        } else if (part >= mandelbrot_smallest) {
            for (unsigned i = 0; i < mandelbrot_split * mandelbrot_split; ++i)
                make_square(left + i % mandelbrot_split * part, top + i / mandelbrot_split * part, part);
        }
    }

    unsigned side_, steps_;
    std::vector<unsigned> pixels_, squares_;
};

}  // namespace BACKEND

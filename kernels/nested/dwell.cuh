// SPDX-License-Identifier: MIT
#pragma once
// The arithmetic of the Mandelbrot set, the same to the last bit on every device and on the host: every multiply-add is
// an explicit fma, so that compilers have no choice.
#include <cmath>

namespace BACKEND {

/// How many steps of z -> z^2 + c it takes until |z| >= 2; at most `most`.
__host__ __device__ inline unsigned dwell(float c_x, float c_y, unsigned most) {
    float x = c_x, y = c_y;
    unsigned steps = 0;
    while (steps < most && fmaf(x, x, y * y) < 4.0F) {
        const float next_x = fmaf(x, x, fmaf(-y, y, c_x));
        y = fmaf(2.0F * x, y, c_y);
        x = next_x;
        ++steps;
    }
    return steps;
}

/// The dwell of pixel (x, y) in an image of the whole set, whose upper left corner is -2 - 1.25 i.
__host__ __device__ inline unsigned dwell_of_pixel(unsigned x, unsigned y, unsigned side, unsigned most) {
    const float step = 2.5F / static_cast<float>(side);
    return dwell(fmaf(static_cast<float>(x), step, -2.0F), fmaf(static_cast<float>(y), step, -1.25F), most);
}

/// How many pixels the border of a rectangle has, and the coordinates of border pixel i.
__host__ __device__ constexpr unsigned border_length(unsigned width, unsigned height) {
    return height == 1 || width == 1 ? width * height : 2 * (width + height) - 4;
}
__host__ __device__ inline void border_pixel(unsigned i, unsigned width, unsigned height, unsigned& x, unsigned& y) {
    if (i < width) {
        x = i, y = 0;
    } else if (i < 2 * width && height > 1) {
        x = i - width, y = height - 1;
    } else {
        const unsigned rest = i - (height > 1 ? 2 * width : width);
        x = rest % 2 ? width - 1 : 0, y = 1 + rest / 2;
    }
}

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// The kernels of nested, which launch kernels: see the Makefile's LAUNCHING.
#include "kernels/nested/grids.cuh"
#include "kernels/nested/hello.cuh"
#include "kernels/nested/mandelbrot.cuh"
#include "kernels/nested/quadrature.cuh"

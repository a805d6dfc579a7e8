// SPDX-License-Identifier: MIT
// The kernels of nested, which launch kernels: see LAUNCHING in common/cuda/nvcc.mk.
#include "kernels/nested/grids.cuh"
#include "kernels/nested/hello.cuh"
#include "kernels/nested/mandelbrot.cuh"
#include "kernels/nested/quadrature.cuh"

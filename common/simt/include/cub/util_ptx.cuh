// SPDX-License-Identifier: MIT
// All of CUB's algorithms include this header of PTX instructions, which the simulator does not have.
#pragma once
#error simcc: CUB is written for the GPU's own instructions and not available in the simulator; \
use Thrust, which is, or build with nvcc for a GPU

// SPDX-License-Identifier: MIT
// Only the toolkit's own headers include this. The parts of its CUB that Thrust uses get a namespace of their own, so
// that the simulator's CUB and Thrust go together.
#pragma once
#define CUB_WRAPPED_NAMESPACE simt_toolkit
#include_next <cub/util_namespace.cuh>

// SPDX-License-Identifier: MIT
// Include this before CUB's headers. It leaves out CUB's NVTX ranges, a third of the compile time of these headers.
// (Element types are not left out: without half, CUB 3.0 reduces floats through function calls.)
#pragma once

#define CCCL_DISABLE_NVTX

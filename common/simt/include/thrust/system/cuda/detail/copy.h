// SPDX-License-Identifier: MIT
// The toolkit's header declares copies on the device that only nvcc defines.
#pragma once
#include <thrust/system/cuda/detail/util.h>

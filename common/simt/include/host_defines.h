// SPDX-License-Identifier: MIT
// Part of cuda_runtime.h.
#pragma once
#define __HOST_DEFINES_H__  // programs test for it

// The toolkit's headers bracket deprecated code with these.
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#include "cuda_runtime.h"

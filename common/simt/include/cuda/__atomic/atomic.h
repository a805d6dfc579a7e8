// SPDX-License-Identifier: MIT
// The toolkit's own headers find cuda::atomic here.
#include "../atomic"

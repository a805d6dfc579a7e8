// SPDX-License-Identifier: MIT
// assert() from the C library on the host; in a kernel, a failed assertion ends the launch with cudaErrorAssert. Like
// the original, this header takes effect anew each time it is included.
#include_next <assert.h>

#if !defined(NDEBUG) && defined(__cplusplus)
#include "simt/wait.hpp"
#undef assert
#define assert(expression)           \
    (static_cast<bool>(expression)   \
         ? static_cast<void>(0)      \
         : ::simt::assertion_failed(#expression, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

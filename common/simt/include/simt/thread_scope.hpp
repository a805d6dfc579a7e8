// SPDX-License-Identifier: MIT
// cuda::thread_scope: the toolkit's if its C++ library is available, so that programs can use both.
#pragma once

#if __has_include(<cuda/std/__atomic/scopes.h>)
#include <cuda/std/__atomic/scopes.h>
#elif __has_include(<cuda/std/atomic>)
#include <cuda/std/atomic>
#else
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };
}
#endif

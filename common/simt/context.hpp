// Preparing contexts for the switch in include/simt/context.hpp.
#pragma once

#include <cstddef>

#include "common/simt/include/simt/context.hpp"

namespace simt {

// Makes a switch to `context` call entry(&context) on the stack that ends at `stack_top`. The entry must not return.
void prepare_context(Context& context, char* stack_top, size_t stack_bytes, void (*entry)(Context* self));

}  // namespace simt

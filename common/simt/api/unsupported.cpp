// SPDX-License-Identifier: MIT
// Weak definitions of the runtime functions that the simulator does not have.
#include <atomic>
#include <cstdio>

#include "common/simt/api/error.hpp"

namespace {

cudaError_t refuse(const char* function, std::atomic<bool>& said) {
    if (!said.exchange(true)) std::fprintf(stderr, "simcc: %s is not supported\n", function);
    return simt::report(cudaErrorNotSupported);
}

}  // namespace

#define SIMT_DEFINE_UNSUPPORTED(name)             \
    __attribute__((weak)) cudaError_t name(...) { \
        static std::atomic<bool> said{false};     \
        return refuse(#name, said);               \
    }
SIMT_UNSUPPORTED_FUNCTIONS(SIMT_DEFINE_UNSUPPORTED)

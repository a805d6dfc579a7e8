// SPDX-License-Identifier: MIT
// The entry for libFuzzer: FUZZ_TARGET names the target.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.hpp"

static const Target* chosen = nullptr;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* const name = std::getenv("FUZZ_TARGET");
    chosen = &find_target(name ? name : "");
    return std::freopen("/dev/null", "w", stdout) ? 0 : 1;  // what --help prints
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->run({reinterpret_cast<const char*>(data), size});
    return 0;
}

// SPDX-License-Identifier: MIT
#include "common/simt/runtime/event.hpp"

#include <chrono>

namespace simt {

Work stamp(std::shared_ptr<Recording> recording) {
    return [recording] {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        recording->nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
        return 0;
    };
}

}  // namespace simt

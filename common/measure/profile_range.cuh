// SPDX-License-Identifier: MIT
// A named range in the timeline of Nsight Systems and in Nsight Compute's filters (NVTX; nothing in the simulator).
#pragma once

#if defined(__CUDACC__) && !defined(__SIMCC__)
#include <nvtx3/nvToolsExt.h>
#endif

namespace BACKEND {

class ProfileRange {
public:
#if defined(__CUDACC__) && !defined(__SIMCC__)
    explicit ProfileRange(const char* name) { nvtxRangePushA(name); }
    ~ProfileRange() { nvtxRangePop(); }
#else
    explicit ProfileRange(const char*) {}
#endif
    ProfileRange(const ProfileRange&) = delete;
    ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace BACKEND

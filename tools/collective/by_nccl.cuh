// SPDX-License-Identifier: MIT
// NCCL's names for our reductions.
#pragma once

#include "common/gang/nccl_call.cuh"
#include "kernels/collective/reduction.hpp"

namespace BACKEND {

inline ncclRedOp_t nccl_operation(Reduction reduction) {
    switch (reduction) {
        case Reduction::product: return ncclProd;
        case Reduction::minimum: return ncclMin;
        case Reduction::maximum: return ncclMax;
        case Reduction::average: return ncclAvg;
        default: return ncclSum;
    }
}

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// Operations by NCCL, and its names for our reductions.
#pragma once

#include "common/gang/nccl_call.cuh"
#include "kernels/collective/reduction.hpp"
#include "tools/collective/case.cuh"

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

template <typename T>
class NcclCase final : public CollectiveCase<T> {
public:
    NcclCase(const Session& session_, Gang& gang_, const CollectiveVariant& variant_, const CollectiveShape& shape_,
             const GangBuffers<T>& buffers_)
        : CollectiveCase<T>(session_, gang_, variant_, shape_, buffers_),
          communicators_(gang_.communicators()),
          reduction_(nccl_operation(session_.own<CollectiveOptions>().op)) {}

private:
    LaunchShape exchange_all() override {
        Gang& gang = this->gang;
        const CollectiveShape& shape = this->shape;
        if (shape.total() == 0) return {};
        gang.nccl().group([&] {
            gang.on_each([&](size_t rank) {
                NcclPart{gang.nccl(),
                         shape,
                         rank,
                         this->buffers.input(shape, rank),
                         this->buffers.output(shape, rank),
                         sizeof(T),
                         nccl_type<T>(),
                         reduction_,
                         communicators_[rank],
                         gang.stream(rank)}
                    .call();
            });
        });
        return {};
    }
    const char* method() const override { return "nccl"; }

    const Communicators& communicators_;
    const ncclRedOp_t reduction_;
};

}  // namespace BACKEND

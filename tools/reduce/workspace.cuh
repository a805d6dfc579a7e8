// SPDX-License-Identifier: MIT
// The workspace of a variant's launches.
#pragma once

#include <optional>

#include "common/cuda/buffers.cuh"
#include "tools/reduce/table.cuh"

namespace BACKEND {

// Allocates and clears what the variant asks for, and enters it into the arguments. It must outlive their launches,
// which have to follow in the arguments' stream, or when the device is idle.
template <typename T>
DeviceBuffer<unsigned char> give_workspace(const ReduceVariant& variant, ReduceArguments<T>& arguments) {
    DeviceBuffer<unsigned char> workspace(variant.workspace_bytes(arguments));
    if (workspace.size() > 0) CHECK(cudaMemsetAsync(workspace.data(), 0, workspace.size(), arguments.stream));
    arguments.d_workspace = workspace.data();
    arguments.workspace_bytes = workspace.size();
    return workspace;
}

// The workspace of a variant's launches, one after another. Each leaves it ready for the next one if that is of the
// same type and size; others may lay it out differently.
class Workspace {
public:
    // Enters it into the arguments of the next launch.
    template <typename T>
    void serve(const ReduceVariant& variant, ReduceArguments<T>& arguments) {
        if (dtype_ != dtype_of<T> || variant.workspace_bytes(arguments) != room_.size())
            room_ = give_workspace(variant, arguments);
        dtype_ = dtype_of<T>;
        arguments.d_workspace = room_.data();
        arguments.workspace_bytes = room_.size();
    }

private:
    DeviceBuffer<unsigned char> room_;
    std::optional<DType> dtype_;
};

}  // namespace BACKEND

// The workspace of a variant's launches.
#pragma once

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

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
#include "tools/trapezoid/kernel_sources.hpp"

#include "common/io/text.hpp"

// The kernels' file and all that it includes. Headers of the standard library and CUDA's own are empty: the compiler
// knows all that device code needs of them.
// clang-format off
static const std::vector<SourceText>& kernel_sources() {
    static const std::vector<SourceText> sources = {
        {"kernels/trapezoid/kernels.cuh",
#include "build/text/kernels/trapezoid/kernels.cuh.inc"
        },
        {"common/cuda/block_reduction.cuh",
#include "build/text/common/cuda/block_reduction.cuh.inc"
        },
        {"common/cuda/mailbox.cuh",
#include "build/text/common/cuda/mailbox.cuh.inc"
        },
        {"common/cuda/launch_shape.cuh",
#include "build/text/common/cuda/launch_shape.cuh.inc"
        },
        {"cuda_runtime.h", ""},
        {"cstddef", ""},
        {"cstring", ""},
    };
    return sources;
}
// clang-format on

const std::vector<std::string>& kernel_names() {
    static const std::vector<std::string> names = {
        "trapezoid_atomic",        "trapezoid_per_thread", "trapezoid_shuffle", "trapezoid_shuffle_xor",
        "trapezoid_dissemination", "trapezoid_block",      "trapezoid_tree",    "trapezoid_grid_stride"};
    return names;
}

DeviceCode compile_kernels(const Expression& function, DType dtype, int capability) {
    const char* const type = dtype == DType::f32 ? "float" : "double";
    const std::string source = text(
        "#include \"kernels/trapezoid/kernels.cuh\"\n{}namespace gpu {{\nstruct Expression {{\n"
        "    __device__ {} operator()({} x) const {{ return {}; }}\n"
        "    template <typename Action>\n    __device__ auto apply(Action action) const {{ return action(*this); }}\n"
        "}};\n}}\n",
        powers_source, type, type, function.source(dtype));
    std::vector<std::string> instances;
    for (const std::string& name : kernel_names())
        instances.push_back(text("gpu::{}<{}, gpu::Expression>", name, type));
    return compile_for_gpu(source, kernel_sources(), instances, capability);
}

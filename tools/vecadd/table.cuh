// The tables of vecadd: what each variant is, and how it is launched for an element type.
#pragma once

#include <string>

#include "common/cli/program.hpp"
#include "kernels/vecadd/textbook.cuh"
#include "kernels/vecadd/streaming.cuh"
#ifndef __SIMCC__
#include "kernels/vecadd/cub.cuh"
#endif

namespace BACKEND {

inline const Program vecadd_program = {
    "vecadd",
    "Adds two vectors: a benchmark of variants and kinds of memory, or a filter over A and B (files, or - for one of them).",
    "[A B]",
    2,
    true,
    "f32,f64,i32,i64",
    "16Mi",
    "64Ki",
    "256",
    {
        {"cpu", "one core", Needs::host},
        {"cpu-parallel", "all cores, a share each", Needs::host},
        {"one-per-thread", "a thread per element and a test for the threads beyond the end"},
        {"grid-stride", "a resident grid strides over the elements: few blocks to launch"},
        {"unroll4", "eight loads in flight per thread before the first addition"},
        {"vector4", "16 bytes per load and store: a quarter of the instructions"},
        {"streaming", "the fastest: chosen by size, with cache hints"},
        {"cub", "the peer: CUB's DeviceTransform", Needs::gpu},
    },
    {
        {"--memory", "LIST", "device, pageable, pinned, write-combined, mapped, managed or all", "device"},
        {"--offset", "N", "begin the vectors N elements past an aligned address", "0"},
    },
    {
        {"p_memory", "memory"},
        {"p_offset"},
        {"p_alloc_ns", "alloc us", 1e-3, 1},
        {"p_h2d_ns", "h2d us", 1e-3, 1},
        {"p_kernel_ns", "kernel us", 1e-3, 1},
        {"p_d2h_ns", "d2h us", 1e-3, 1},
        {"p_total_ns", "total us", 1e-3, 1},
    },
};

template <typename T>
using Method = LaunchShape (*)(const VecaddArguments<T>&);

// How a device variant of the table runs; nullptr for one that this build lacks or that runs on the host.
template <typename T>
Method<T> method_named(const std::string& name) {
    if (name == "one-per-thread") return launch_vecadd_one_per_thread<T>;
    if (name == "grid-stride") return launch_vecadd_grid_stride<T>;
    if (name == "unroll4") return launch_vecadd_unroll4<T>;
    if (name == "vector4") return launch_vecadd_vector4<T>;
    if (name == "streaming") return launch_vecadd_streaming<T>;
#if !defined(__SIMCC__) && HAVE_CUB_TRANSFORM
    if (name == "cub") return launch_vecadd_cub<T>;
#endif
    return nullptr;
}

}  // namespace BACKEND

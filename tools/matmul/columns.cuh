// SPDX-License-Identifier: MIT
// The columns that matmul adds to every table: the shape, the tile, and how well the kernel uses a multiprocessor.
#pragma once

#include <cstddef>
#include <string>

#include "common/cuda/check.cuh"
#include "common/cuda/device.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/io/table.hpp"
#include "tools/matmul/shape.hpp"

namespace BACKEND {

// A row's figures for one product. A variant on the host has no kernel, and zeros for a kernel's figures.
struct MatmulCells {
    ProductShape shape;
    ProductForm form;
    std::string tile = "none";
    std::string method = "none";  // the plan, see Plan::name()
    size_t tried = 0;             // plans that were timed to choose this one
    double bytes = 0;             // of A, B and C
    double peak_percent = 0;      // of the device's rate of multiply-adds; 0 if it is not known
    double error_ppm = -1;        // see ProductCheck
    int registers = 0;            // per thread
    std::size_t static_shared_bytes = 0;
    double occupancy_percent = 0;
    const char* split = "none";  // among devices

    double flop() const { return shape.flop() * double(form.products()); }
    void describe_kernel(const LaunchShape& launch, int ordinal) {
        if (!launch.kernel) return;
        const int threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
        cudaFuncAttributes attributes{};
        int blocks = 0;
        CHECK(cudaFuncGetAttributes(&attributes, launch.kernel));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, launch.kernel, threads,
                                                            launch.dynamic_shared_bytes));
        registers = attributes.numRegs;
        static_shared_bytes = attributes.sharedSizeBytes;
        const double most_threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, ordinal);
        occupancy_percent = most_threads > 0 ? 100.0 * blocks * threads / most_threads : 0;
    }
};

inline Cell whole_cell(std::size_t value) { return static_cast<long long>(value); }

// clang-format off
inline const ColumnOf<MatmulCells> matmul_columns[] = {
    {{"p_m"}, [](const MatmulCells& of) { return whole_cell(of.shape.m); }},
    {{"p_n"}, [](const MatmulCells& of) { return whole_cell(of.shape.n); }},
    {{"p_k"}, [](const MatmulCells& of) { return whole_cell(of.shape.k); }},
    {{"p_tile", "tile", 1, 0, 14, 2}, [](const MatmulCells& of) -> Cell { return of.tile; }},
    {{"p_method", "method", 1, 0, 34, 10}, [](const MatmulCells& of) -> Cell { return of.method; }},
    {{"p_tried", "tried", 1, 0, 0, 9}, [](const MatmulCells& of) { return whole_cell(of.tried); }},
    {{"p_flop_per_byte", "flop/B", 1, 1, 0, 7},
     [](const MatmulCells& of) -> Cell { return of.bytes > 0 ? computed(of.flop() / of.bytes, 2) : absent(2); }},
    {{"p_peak_percent", "% of peak", 1, 1, 0, 1}, [](const MatmulCells& of) -> Cell { return of.peak_percent > 0 ? computed(of.peak_percent, 2) : absent(2); }},
    {{"p_registers", "registers", 1, 0, 0, 8}, [](const MatmulCells& of) { return whole_if_any(of.registers); }},
    {{"p_static_smem_bytes", "static smem", 1, 0, 0, 8}, [](const MatmulCells& of) { return whole_cell(of.static_shared_bytes); }},
    {{"p_occupancy_percent", "occupancy %", 1, 0, 0, 8},
     [](const MatmulCells& of) -> Cell { return of.occupancy_percent > 0 ? Fixed{of.occupancy_percent, 1} : absent(1); }},
    {{"p_transpose", "transposed", 1, 0, 4, 9}, [](const MatmulCells& of) -> Cell { return of.form.transposed.name(); }},
    {{"p_batch", "batch", 1, 0, 0, 9}, [](const MatmulCells& of) { return whole_cell(of.form.products()); }},
    {{"p_split"}, [](const MatmulCells& of) -> Cell { return of.split; }},
    {{"p_error_ppm", "error ppm", 1, 1, 0, 9},
     [](const MatmulCells& of) -> Cell { return of.error_ppm >= 0 ? computed(of.error_ppm, 4) : absent(4); }},
};
// clang-format on

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// The launch: its limits and CUDA's errors beyond them, what its threads have reported, and whether that is right.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/device.cuh"
#include "common/io/process.hpp"
#include "common/measure/verify.hpp"
#include "kernels/threads.cuh"
#include "tools/threads/options.hpp"

namespace BACKEND {

inline dim3 dim3_of(const Extents& extents) { return {extents.of[0], extents.of[1], extents.of[2]}; }

// The most that a device takes.
struct LaunchLimits {
    int block_threads;
    int block[3], grid[3];

    explicit LaunchLimits(int ordinal)
        : block_threads(attribute(cudaDevAttrMaxThreadsPerBlock, ordinal)),
          block{attribute(cudaDevAttrMaxBlockDimX, ordinal), attribute(cudaDevAttrMaxBlockDimY, ordinal),
                attribute(cudaDevAttrMaxBlockDimZ, ordinal)},
          grid{attribute(cudaDevAttrMaxGridDimX, ordinal), attribute(cudaDevAttrMaxGridDimY, ordinal),
               attribute(cudaDevAttrMaxGridDimZ, ordinal)} {}

    // Why the device cannot take the launch, in words; empty if it can.
    std::string fault(const Extents& grid_asked, const Extents& block_asked) const {
        std::string faults;
        const auto add = [&](const std::string& fault) { faults += (faults.empty() ? "" : ", and ") + fault; };
        const auto compare = [&](const char* what, const Extents& asked, const int(&most)[3]) {
            for (int i = 0; i < 3; ++i) {
                const char axis = static_cast<char>('x' + i);
                if (asked.of[i] == 0) add(text("a {} of 0 in {} is none", what, std::string(1, axis)));
                else if (asked.of[i] > unsigned(most[i]))
                    add(text("a {} of {} in {} is more than {}", what, asked.of[i], std::string(1, axis), most[i]));
            }
        };
        if (block_asked.product() > block_threads)
            add(text("a block of {} threads is more than {}", double(block_asked.product()), block_threads));
        compare("block", block_asked, block);
        compare("grid", grid_asked, grid);
        return faults;
    }
};

// For a launch beyond the limits, fails with exit status 3, CUDA's own error, and the reason, which the error does not
// tell.
inline void refuse_impossible(const Session& session, const ThreadsOptions& asked) {
    const std::string fault = LaunchLimits(session.device.ordinal).fault(asked.grid, asked.block);
    if (fault.empty()) return;
    record_threads<<<dim3_of(asked.grid), dim3_of(asked.block)>>>(nullptr, 0);  // it never starts
    const cudaError_t error = cudaGetLastError();
    fail(Exit::cuda_error, "kernels/threads.cuh: record_threads<<<{}, {}>>>: {} ({}): {}; {} --list shows the limits",
         asked.grid.name(), asked.block.name(), cudaGetErrorString(error), cudaGetErrorName(error), fault,
         called("threads"));
}

inline void refuse_too_many(const Session& session, const ThreadsOptions& asked) {
    const long double threads = asked.grid.product() * asked.block.product();
    std::size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    const long double bytes = threads * sizeof(ThreadRecord);
    if (bytes <= static_cast<long double>(free_bytes)) return;
    fail(Exit::cuda_error,
         "kernels/threads.cuh: record_threads<<<{}, {}>>>: the records of {:.0f} threads need {}, and {} are free on "
         "device {}; "
         "choose a smaller --grid",
         asked.grid.name(), asked.block.name(), double(threads), human_bytes(double(bytes)),
         human_bytes(double(free_bytes)), session.device.ordinal);
}

// The records of a launch, in the order of the grid; times count from the first thread's start.
inline std::vector<ThreadRecord> run_launch(Session& session, const ThreadsOptions& asked) {
    refuse_impossible(session, asked);
    refuse_too_many(session, asked);
    const size_t threads = size_t(asked.grid.product() * asked.block.product());
    session.begin_step(text("running {} threads", threads));
    const DeviceBuffer<ThreadRecord> d_records(threads);
    const unsigned steps = asked.steps.on(session.device);
    // (A first launch loads the kernel, which would be part of the first blocks' time.)
    for (int launch = 0; launch < (session.device.simulated ? 1 : 2); ++launch) {
        CHECK(cudaMemset(d_records.data(), 0xa5, d_records.bytes()));
        record_threads<<<dim3_of(asked.grid), dim3_of(asked.block)>>>(d_records.data(), steps);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<ThreadRecord> records(threads);
    CHECK(cudaMemcpy(records.data(), d_records.data(), d_records.bytes(), cudaMemcpyDeviceToHost));
    session.end_step();
    unsigned long long first = ~0ull;
    for (const ThreadRecord& record : records) first = std::min(first, record.begin_ns);
    for (ThreadRecord& record : records) record.begin_ns -= first, record.end_ns -= first;
    return records;
}

inline uint3 point_of(size_t rank, const Extents& extents) {
    const size_t row = rank / extents.of[0];
    return {unsigned(rank % extents.of[0]), unsigned(row % extents.of[1]), unsigned(row / extents.of[1])};
}

// Many steps of next_of() at once: each is an affine map, and so is their composition.
struct Steps {
    unsigned factor = 1, addend = 0;

    explicit Steps(unsigned count) {
        Steps power(next_of(1) - next_of(0), next_of(0));
        for (; count > 0; count /= 2) {
            if (count % 2 != 0) *this = power.after(*this);
            power = power.after(power);
        }
    }
    unsigned from(unsigned work) const { return factor * work + addend; }

private:
    Steps(unsigned factor_, unsigned addend_) : factor(factor_), addend(addend_) {}
    Steps after(const Steps& first) const { return {factor * first.factor, factor * first.addend + addend}; }
};

// Whether every thread that was launched has run once, has reported its own indices, and has taken its steps.
inline Verdict check_records(const std::vector<ThreadRecord>& records, const ThreadsOptions& asked, unsigned count) {
    const size_t n = records.size(), per_block = size_t(asked.block.product());
    const Steps steps(count);
    const auto same = [](uint3 a, uint3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
    const auto is_right = [&](size_t i) {
        const ThreadRecord& record = records[i];
        return same(record.block, point_of(i / per_block, asked.grid)) &&
               same(record.thread, point_of(i % per_block, asked.block)) &&
               record.lane == i % per_block % lanes_per_warp && record.work == steps.from(unsigned(i));
    };
    const auto first_wrong = [&](size_t begin, size_t end) {
        while (begin < end && is_right(begin)) ++begin;
        return begin < end ? begin : n;
    };
    const size_t wrong = parallel_reduce(n, n, first_wrong, [](size_t a, size_t b) { return std::min(a, b); });
    if (wrong == n) return {};
    const ThreadRecord& record = records[wrong];
    return {false,
            text("thread {} of block {} says that it is thread ({},{},{}) of block ({},{},{}), lane {}, with {:08x}",
                 wrong % per_block, wrong / per_block, record.thread.x, record.thread.y, record.thread.z,
                 record.block.x, record.block.y, record.block.z, record.lane, record.work)};
}

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
// The ladders that reduce climbs: of a conference tutorial (CUDA and Applications to Task-based Programming,
// Eurographics 2021: 268 million floats), of M. Harris' "Optimizing Parallel Reduction in CUDA" as a university course
// shows it (4 million integers, blocks of 128), and of notes on the book "Professional CUDA C Programming" (in place in
// global memory, without figures).
#include <utility>
#include <vector>

#include "common/measure/lectures.hpp"

static LectureRow tutorial(const char* name, const char* variant, const char* ms, const char* gbyte_per_s,
                           const char* step, const char* cumulative, const char* over_cpu) {
    return {"tutorial",
            name,
            variant,
            "",
            "TITAN V",
            1 << 28,
            {{"ms", ms},
             {"gbyte_per_s", gbyte_per_s},
             {"step_speedup", step},
             {"cumulative_speedup", cumulative},
             {"cpu_speedup", over_cpu}}};
}

static LectureRow harris(const char* name, const char* variant, std::vector<PublishedFigure> figures) {
    return {"harris", name, variant, "", "", 1 << 22, std::move(figures)};
}

static LectureRow book(const char* name, const char* variant) { return {"book", name, variant}; }

const Lectures lectures = {
    {"tutorial", "CPU Baseline", "cpu", "", "", 1 << 28, {{"ms", "283.989"}}},
    {"tutorial", "CPU Parallel Baseline", "cpu-parallel", "", "", 1 << 28, {{"ms", "85.393"}}},
    tutorial("AtomicGlobal or reduceAtomicGlobal", "atomic-global", "635.355", "1.520", "1.0", "1.00", "0.3"),
    tutorial("AtomicShared or reduceAtomicShared", "atomic-shared", "26.911", "35.674", "23.6", "23.61", "3.7"),
    tutorial("ReduceShared", "shared-tree", "2.903", "333.536", "9.2", "218.86", "29.3"),
    tutorial("SharedShuffle or reduceSharedShuffle", "shared-shuffle", "2.101", "460.501", "1.3", "302.38", "40.4"),
    harris("Kernel 1 or reduce1", "interleaved-divergent", {{"ms", "8.054"}, {"gbyte_per_s", "2.083"}}),
    harris("Kernel 2", "interleaved-conflicts",
           {{"ms", "3.456"}, {"gbyte_per_s", "4.854"}, {"step_speedup", "2.33"}, {"cumulative_speedup", "2.33"}}),
    harris("Kernel 3", "sequential",
           {{"ms", "1.722"}, {"gbyte_per_s", "9.741"}, {"step_speedup", "2.01"}, {"cumulative_speedup", "4.68"}}),
    harris("Kernel 4", "first-add",
           {{"ms", "0.965"}, {"gbyte_per_s", "17.377"}, {"step_speedup", "1.78"}, {"cumulative_speedup", "8.34"}}),
    harris("Kernel 5", "unrolled-warp",
           {{"ms", "0.536"}, {"gbyte_per_s", "31.289"}, {"step_speedup", "1.8"}, {"cumulative_speedup", "15.01"}}),
    // The whole deck has two more, which the course leaves out.
    harris("Kernel 6", "unrolled-block", {}),
    harris("Kernel 7", "multiple-elements", {}),
    book("reduceNeighbored", "neighbored"),
    book("reduceNeighboredLess", "neighbored-dense"),
    book("reduceInterleaved", "interleaved-pairs"),
    book("reduceUnrolling2", "unroll2"),
    book("reduceUnrolling8", "unroll8"),
    book("reduceUnrollWarps8", "unroll8-warp"),
    book("reduceCompleteUnrollWarps8", "unroll8-complete"),
    book("reduceCompleteUnroll", "unroll8-complete-static"),
    {"book", "gpuRecursiveReduce", "nested", "", "", 0, {{"blocks", "2048"}, {"child_launches", "16384"}}},
    book("gpuRecursiveReduceNosync", "nested-nosync"),
    book("gpuRecursiveReduce2", "nested2"),
};

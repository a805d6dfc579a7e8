// SPDX-License-Identifier: MIT
// How long a plan takes, as far as that is known without running it: a sum of what it does, each times what that costs
// the kernel with this tile. The costs, none of them negative, are in coefficients.inc: tests/measure/matmul_plans.py fits
// them, all in one run, to the times of every plan for a few hundred products on one GPU. The estimate only has to keep
// the fastest plan among the first few, which tune.hpp times.
#pragma once

#include <cstddef>
#include <string>

#include "common/io/dtype.hpp"
#include "tools/matmul/shape.hpp"

// What a plan asks of the device. Bytes are in KB, and those of the memory, like multiply-adds, are divided by the number
// of multiprocessors.
struct Work {
    double once = 1;
    double blocks = 0;           // of the busiest multiprocessor
    double stages = 0;           // of these blocks: a tile's steps along k that are loaded together
    double stages_of_block = 0;  // of one of them
    double read = 0;             // A and B
    double uncached = 0;         // the same, beyond what an L2 cache holds
    double stored_sectors = 0;   // C, if its rows begin at multiples of 32 bytes,
    double stored_pieces = 0;    // of 16 bytes,
    double stored_elements = 0;  // or elsewhere
    double half_sectors = 0;     // stages whose rows begin at odd multiples of 16 bytes
    double unaligned = 0;        // stages whose rows begin elsewhere, but are read in place
    double copied = 0;           // rows that are copied first
    double copies = 0;           // whether there are any
    double parts = 0;            // along k of a tile, by blocks that add their sums
    double shared = 0;           // whether tiles have such parts,
    double clusters = 0;         // and of how many clusters, or whether blocks exchange their sums
    double uneven = 0;           // stages of shares that are not equal parts of a tile
    double multiply_adds = 0;    // thousands
    double planned = 0;          // thousands of cycles, as the kernel's own plan estimates the part that it chooses
};

// The same as numbers, with the members' names, in their order.
constexpr std::size_t work_terms = sizeof(Work) / sizeof(double);
using WorkTerms = double[work_terms];
extern const char* const names_of_work[work_terms];
void get_terms(const Work& work, WorkTerms& terms);

// The nanoseconds of a plan of a GPU whose memory is `memory_speed` times as fast as an H200's. `row`: the kernel and its
// tile, as "hopper:128x256x64:stream-k". 0: nobody has measured it.
double estimated_ns(DType dtype, const std::string& row, const Work& work, double memory_speed);

// The types whose kernels take the same time have the same name: "16" for f16 and bf16, "8" for e4m3 and e5m2.
std::string timed_as(DType dtype);

// SPDX-License-Identifier: MIT
// A variant of a program: one way to do what the program does.
#pragma once

#include <cstddef>
#include <vector>

// Where a variant can run.
enum class Needs {
    nothing,  // any backend: textbook CUDA
    gpu,      // a real GPU: hardware or a library that the simulator does not model
    host,     // the CPU: the reference and the baseline of the speed-up columns
};

// What every program says about its variants. A program's own rows derive from it and add how each is launched.
struct Variant {
    const char* name = "";  // the kernel column and -k
    const char* idea = "";  // one line for --list: what it does, or which cost of the one before it removes
    Needs needs = Needs::nothing;
    const char* ladder = "";    // the ladder it is a step of: its group in --ladder
    bool peer = false;          // a library's: ours are measured against it
    bool bound = false;         // does only the unavoidable part of the work: no rival
    bool other_on_gpu = false;  // is another kernel on a GPU than in the simulator, which thus predicts no time for it
};

// A simulator counter that a program's human table shows, by its column's name.
struct ShownCounter {
    const char* name;
    const char* heading;
};

// A program's variants, from the table of its rows, which must outlive them.
template <typename Row, std::size_t count>
std::vector<const Variant*> variants_of(const Row (&rows)[count]) {
    std::vector<const Variant*> variants;
    for (const Row& row : rows) variants.push_back(&row);
    return variants;
}

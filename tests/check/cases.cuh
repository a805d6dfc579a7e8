// SPDX-License-Identifier: MIT
// What the programs of this folder share. Each has several cases: `./program NAME` has a defect, which is marked in the
// source by a comment "@NAME", followed by how its finding begins; `./program NAME fixed` has none.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

struct Case {
    const char* name;
    void (*run)(bool fixed);
};

template <class T>
T* device_array(size_t count) {
    T* array = nullptr;
    cudaMalloc(&array, count * sizeof(T));
    cudaMemset(array, 0, count * sizeof(T));
    return array;
}

template <size_t count>
int run_case(const Case (&cases)[count], int argc, char** argv) {
    for (const Case& one : cases) {
        if (argc < 2 || std::strcmp(argv[1], one.name) != 0) continue;
        one.run(argc > 2);
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
    std::fprintf(stderr, "no such case\n");
    return 2;
}

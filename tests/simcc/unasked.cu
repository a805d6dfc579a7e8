// SPDX-License-Identifier: MIT
// What goes wrong in a program that never asks for errors, and what is right although it looks similar.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void store(int* to, int value) { to[blockIdx.x] = value; }
__global__ void load(const int* from, int* to) { *to = *from + 1; }
__global__ void is_null(const void* pointer, int* to) { *to = pointer == nullptr; }
__global__ void count(const int* from, const int* end, int* to) {
    int n = 0;
    for (; from != end; ++from) ++n;
    *to = n;
}

static int global_of_host = 6;

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    const auto is = [=](const char* name) { return std::strcmp(what, name) == 0; };
    int result = -1, on_stack = 4;
    int* const on_heap = static_cast<int*>(std::malloc(64));
    *on_heap = 5;
    int* d;
    cudaMalloc(&d, sizeof(int));
    cudaMemcpy(d, &result, sizeof result, cudaMemcpyHostToDevice);
    if (is("null")) store<<<2, 3>>>(nullptr, 1);
    if (is("heap")) load<<<1, 1>>>(on_heap, d);
    if (is("stack")) load<<<1, 1>>>(&on_stack, d);
    if (is("static")) load<<<1, 1>>>(&global_of_host, d);
    if (is("refused") || is("asked")) store<<<1, 2048>>>(d, 1);
    if (is("asked")) std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    // Right: a pointer that nobody follows, registered memory and its end.
    if (is("unused")) is_null<<<1, 1>>>(on_heap, d);
    if (is("registered")) {
        cudaHostRegister(on_heap, 64, cudaHostRegisterMapped);
        count<<<1, 1>>>(on_heap + 1, on_heap + 16, d);
    }
    cudaMemcpy(&result, d, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("%d\n", result);
    return 0;
}

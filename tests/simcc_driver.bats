#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# simcc: modules, the driver API that loads them, and NVRTC.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

programs=$root/tests/simcc

@test "the driver API loads modules and launches their kernels" {
    local option
    for option in cubin fatbin ptx; do
        capture simcc -$option "$programs/module.cu"
        expect_status 0 || return
        expect_no_errors || return
        [ -s module.$option ] || complain "-$option wrote no module.$option" || return
    done
    capture simcc "$programs/modules.cpp" -lcuda -o modules
    expect_status 0
    expect_no_errors
    for option in cubin ptx; do
        capture ./modules module.$option
        expect_status 0 || return
        expect_output "4 8.5 15 23.5 23.5
0 30 0
1234 7 1234
0 failures" || return
        expect_errors_like "^simcc: PTX text cannot run here; the simulator's modules are made by simcc -cubin, -fatbin or -ptx, or by NVRTC$" || return
    done
}

@test "a checked program loads checked modules" {
    echo 'extern "C" __global__ void beyond(int* p) { p[4] = 1; }' >beyond.cu
    cat >main.cpp <<'CPP'
#include <cuda.h>
int main() {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction beyond;
    CUdeviceptr p;
    cuInit(0), cuDeviceGet(&device, 0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    if (cuModuleLoad(&module, "beyond.cubin") || cuModuleGetFunction(&beyond, module, "beyond")) return 3;
    cuMemAlloc(&p, 16);
    void* arguments[] = {&p};
    cuLaunchKernel(beyond, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    return cuCtxSynchronize() != CUDA_SUCCESS;
}
CPP
    echo '__global__ void k() {}' >k.cu
    capture simcc -G -cubin beyond.cu
    expect_status 0
    capture simcc -G k.cu main.cpp -lcuda -o main
    expect_status 0
    capture ./main
    expect_status 86
    expect_errors_like "Invalid __global__ write of size 4 bytes"
    expect_errors_like "beyond.cu:1"
}

@test "NVRTC compiles at run time, with headers in memory, lowered names and a log" {
    capture simcc "$programs/nvrtc.cpp" -lnvrtc -lcuda -o nvrtc
    expect_status 0
    expect_no_errors
    mkdir temporary
    TMPDIR=$PWD/temporary capture ./nvrtc
    expect_status 0
    expect_output "NVRTC_SUCCESS
NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION
NVRTC_SUCCESS
_Z4fillIiLi3EEvPT_ _ZN1n6offsetE
number 106
0
NVRTC_ERROR_COMPILATION
1
NVRTC_ERROR_INVALID_OPTION"
    [ -z "$(ls temporary)" ] || complain "temporary files are left"
    SIMCC=/nowhere/simcc capture ./nvrtc
    expect_errors_like "^simcc: NVRTC needs simcc, which is not in PATH; the variable SIMCC may name it$"
}

@test "the runtime API loads modules as libraries" {
    cat >library.cu <<'CU'
#include <cstdio>
__global__ void own(double, int*) {}
int main() {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned count = 0;
    float* x;
    int n = 2;
    struct { double a; char b; } pair = {1, 2};
    if (cudaLibraryLoadFromFile(&library, "module.cubin", 0, 0, 0, 0, 0, 0)) return 1;
    if (cudaLibraryGetKernel(&kernel, library, "scale") || cudaLibraryGetKernelCount(&count, library)) return 2;
    cudaMallocManaged(&x, 8);
    void* arguments[] = {&x, &n, &pair};
    const cudaError_t error = cudaLaunchKernel((const void*)kernel, 1, 32, arguments, 0, 0);
    cudaDeviceSynchronize();
    size_t offset = 0, bytes = 0;
    cudaFuncGetParamInfo(own, 1, &offset, &bytes);
    printf("%d %u %g %zu %zu\n", error, count, x[1], offset, bytes);
    printf("%d\n", cudaLibraryGetKernel(&kernel, library, "none"));
}
CU
    simcc -cubin "$programs/module.cu"
    capture simcc library.cu -lcuda -o library
    expect_status 0
    expect_no_errors
    capture ./library
    expect_status 0
    expect_output "0 3 3 8 8
500"
}

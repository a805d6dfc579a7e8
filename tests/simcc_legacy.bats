#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs of old, and what few programs use: names that CUDA has removed mean what they meant.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

programs=$BATS_TEST_DIRNAME/simcc

# both PROGRAM TEXT: tests/simcc/PROGRAM.cu prints TEXT in the fast and the checked simulator, without findings.
both() {
    local option
    for option in -O1 "-G -O0"; do
        if [ "${SANITIZE-}" = thread ] && [ "$option" != -O1 ]; then continue; fi
        # shellcheck disable=SC2086  # words
        capture simcc -Wall -Wextra $option "$programs/$1.cu" -o "$1"
        expect_status 0 && expect_no_errors || return
        capture "./$1"
        expect_status 0 && expect_output "$2" || return
    done
}

@test "texture and surface references read linear memory, pitched memory and arrays" {
    both references "linear: 2 4 6 8
from the third on, with offset: 2 4 6 8
offset 8
normalized: 0 0.2 0.4 1
filtered: 25 35 45 50
not filtered, with a border: 50 60 70 0
surface: 0.5 10.5 20 30
four channels: 1.2 0.4
three dimensions: 0 1 2 3 4 5 6 7
second layer: 4 5
unbound: 0 0 0 0
cudaSuccess"
}

@test "a texture that is bound wrongly is an error" {
    cat >wrong.cu <<'CU'
#include <cstdio>
texture<int, 1> whole;
texture<int, 1, cudaReadModeNormalizedFloat> scaled;
int main() {
    int* memory;
    cudaMalloc(&memory, 64);
    cudaError_t errors[5];
    const textureReference* reference;
    size_t offset;
    errors[0] = cudaBindTexture(nullptr, whole, memory + 1);
    errors[1] = cudaBindTexture(nullptr, scaled, memory);
    whole.filterMode = cudaFilterModeLinear;
    errors[2] = cudaBindTexture(nullptr, whole, memory);
    errors[3] = cudaGetTextureReference(&reference, "missing");
    errors[4] = cudaBindTexture(&offset, whole, nullptr);
    for (cudaError_t error : errors) printf("%s\n", cudaGetErrorName(error));
}
CU
    simcc wrong.cu -o wrong
    capture ./wrong
    expect_status 0 && expect_output "cudaErrorInvalidValue
cudaErrorInvalidNormSetting
cudaErrorInvalidFilterSetting
cudaErrorInvalidTexture
cudaErrorInvalidValue"
}

@test "each file and each device has its own texture of a name" {
    cat >texture.h <<'CU'
texture<int, 1> numbers;
static __global__ void k(int* out) { *out = tex1Dfetch(numbers, 0); }
static int read(int number) {
    int *memory, *out, value = -1;
    cudaMalloc(&memory, 4);
    cudaMalloc(&out, 4);
    if (number) cudaMemcpy(memory, &number, 4, cudaMemcpyHostToDevice);
    if (number) cudaBindTexture(nullptr, numbers, memory, 4);
    k<<<1, 1>>>(out);
    cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
    return value;
}
CU
    printf '#include "texture.h"\nint other(int number) { return read(number); }\n' >other.cu
    cat >main.cu <<'CU'
#include <cstdio>
#include "texture.h"
int other(int);
int main() {
    read(1), other(2);
    cudaSetDevice(1);
    read(3), other(4);
    cudaSetDevice(0);
    printf("%d %d", read(0), other(0));
    cudaSetDevice(1);
    printf(" %d %d\n", read(0), other(0));
}
CU
    simcc main.cu other.cu -o main
    SIMCC_DEVICES=2 capture ./main
    expect_status 0 && expect_output "1 2 3 4"
}

@test "an access outside of a surface ends the kernel" {
    cat >outside.cu <<'CU'
#include <cstdio>
surface<void, 1> line;
__global__ void k() { surf1Dwrite(1, line, 4096); }
int main() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 4);
    cudaBindSurfaceToArray(line, array);
    k<<<1, 1>>>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
    simcc outside.cu -o outside
    capture ./outside
    expect_status 0
    expect_output cudaErrorLaunchFailure
    expect_errors_like "kernel k, .*: a surface was accessed outside of it"
}

@test "warp functions without a mask, and functions of threads, mean what they meant" {
    both names_of_old "100010496 9170496 610496 101011520 611520
time runs: 1
cudaSuccess"
}

@test "the runtime finds a variable by its name in a string" {
    cat >named.cu <<'CU'
#include <cstdio>
__constant__ int table[2];
__device__ int results[2];
texture<int, 1> numbers;
__global__ void twice() { results[threadIdx.x] = 2 * table[threadIdx.x] + tex1Dfetch(numbers, 1); }
int main() {
    int values[2] = {3, 4}, *memory;
    const textureReference* reference;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMalloc(&memory, sizeof values);
    cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol("table", values, sizeof values, 0, cudaMemcpyHostToDevice);
    cudaGetTextureReference(&reference, "numbers");
    cudaBindTexture(nullptr, reference, memory, &format, sizeof values);
    twice<<<1, 2>>>();
    cudaMemcpyFromSymbol(values, "results", sizeof values);
    printf("%d %d\n", values[0], values[1]);
    printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol("missing", values, sizeof values)));
}
CU
    simcc named.cu -o named
    capture ./named
    expect_status 0 && expect_output "10 12
cudaErrorInvalidSymbol"
}

@test "a program may use the removed names for its own" {
    both own_names_of_old "cudaSuccess: 46 10"
}

@test "threads of a pipeline may only produce or only consume" {
    both pipelines "cudaSuccess: -12593 -9650
cudaSuccess: -12593 -9650
cudaSuccess: -12593 -9650
cudaSuccess: -12593 -9650"
}

@test "halves convert to bfloat16, pointers to constants are allocated, references stay references" {
    both conversions "000
1.5 inf
1 -3
2 7 3 8
cudaSuccess"
}

@test "graphs allocate and free memory, and run parts of them as often as kernels say" {
    both graph_nodes "cudaStreamSynchronize(stream): cudaSuccess
sums 300 393, freed what was allocated: 1
cudaGraphLaunch(executable, stream): cudaSuccess
cudaFreeAsync(kept, stream): cudaSuccess
cudaGraphLaunch(executable, stream): cudaSuccess
sums 314 469
cudaFree(kept): cudaSuccess
bytes in use: 0
cudaStreamSynchronize(stream): cudaSuccess
rounds 5, left 0
rounds 7, left 0
-1 10 10 10 
110 111 112 -1 
cudaDeviceSynchronize(): cudaSuccess"
}

@test "a graph whose memory was not freed is launched again only if the launch frees it" {
    cat >again.cu <<'CU'
#include <cstdio>
int main() {
    for (unsigned flags : {0u, (unsigned)cudaGraphInstantiateFlagAutoFreeOnLaunch}) {
        int* kept;
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        cudaMallocAsync(&kept, 4096, stream);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&executable, graph, flags);
        cudaGraphLaunch(executable, stream);
        printf("%s\n", cudaGetErrorName(cudaGraphLaunch(executable, stream)));
    }
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    int* own;
    cudaMalloc(&own, 4);
    printf("%s\n", cudaGetErrorName(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, own)));
}
CU
    simcc again.cu -o again
    capture ./again
    expect_status 0 && expect_output "cudaErrorInvalidValue
cudaSuccess
cudaErrorInvalidValue"
}

@test "processes share device memory and events" {
    both processes "child: the same address 1
parent: last 199998, sum 1409965408, other 1010101, child 0"
}

@test "handles that are wrong, old or of this process are refused" {
    cat >handles.cu <<'CU'
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#define NAMED(call) printf("%s\n", cudaGetErrorName(call))
int main() {
    cudaIpcMemHandle_t handle = {}, old = {};
    int *memory, *other;
    int ends[2];
    if (pipe(ends)) return 1;
    if (fork() == 0) {
        cudaMalloc(&memory, 4);
        cudaIpcGetMemHandle(&handle, memory);
        return write(ends[1], &handle, sizeof handle) != sizeof handle;
    }
    if (read(ends[0], &old, sizeof old) != sizeof old) return 1;
    wait(nullptr);
    cudaMalloc(&memory, 8);
    NAMED(cudaIpcGetMemHandle(&handle, memory + 1));
    NAMED(cudaIpcGetMemHandle(&handle, memory));
    NAMED(cudaIpcOpenMemHandle((void**)&other, handle, cudaIpcMemLazyEnablePeerAccess));
    NAMED(cudaIpcOpenMemHandle((void**)&other, old, cudaIpcMemLazyEnablePeerAccess));
    NAMED(cudaIpcOpenMemHandle((void**)&other, {}, cudaIpcMemLazyEnablePeerAccess));
    NAMED(cudaIpcCloseMemHandle(memory));
    cudaEvent_t event;
    cudaIpcEventHandle_t event_handle;
    cudaEventCreate(&event);
    NAMED(cudaIpcGetEventHandle(&event_handle, event));
}
CU
    simcc handles.cu -o handles
    capture ./handles
    expect_status 0 && expect_output "cudaErrorInvalidValue
cudaSuccess
cudaErrorDeviceUninitialized
cudaErrorInvalidResourceHandle
cudaErrorInvalidResourceHandle
cudaErrorInvalidValue
cudaErrorInvalidResourceHandle"
}

@test "member templates need no word template, and an alias may have its template's name" {
    both lenient "cudaSuccess: 7.5 6.5"
}

@test "a shared array may have an index beyond the linker's reach on a path that no thread takes" {
    capture simcc -O3 "$root/tests/simcc/far_index.cu" -o far_index
    expect_status 0
    expect_no_errors
    capture ./far_index
    expect_status 0
    expect_output "cudaSuccess: 4 3 250 0 1000"
}

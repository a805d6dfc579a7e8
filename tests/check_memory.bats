#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What memcheck and initcheck of the checked simulator promise: every planted mistake is found at its line, and the same
# program without it gives no finding.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/check

# under_check CHECKS COMMAND...
under_check() {
    local checks=$1
    shift
    capture env SIMCC_CHECK="$checks" "$@"
}

# finds_each PROGRAM CHECKS [DISTANCE]: every case of tests/check/PROGRAM.cu has its finding where the source marks it (or
# DISTANCE lines below), and none when it is fixed.
finds_each() {
    local program=$1 checks=$2 distance=${3:-0} line marker name title cases=0
    once "$program" simcc -G "$programs/$program.cu" -o "$program"
    while IFS=: read -r line marker; do
        read -r name title <<<"${marker#*@}"
        cases=$((cases + 1))
        under_check "$checks" "./$program" "$name"
        expect_status 86
        grep -qF -- "========= $title" <<<"$errors" || complain "$name: no '$title' in: $errors"
        grep -q " in $program.cu:$((line + distance))\b" <<<"$errors" || complain "$name: not line $line: $errors"
        under_check "$checks" "./$program" "$name" fixed
        expect_status 0
        [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "$name fixed: $errors"
    done < <(grep -n '// @' "$programs/$program.cu")
    [ "$cases" -ge 10 ] || complain "only $cases cases"
}

@test "wrong accesses of kernels are found at their lines, the corrected kernels are clean" {
    finds_each memory_device memcheck,initcheck
}

@test "mistakes of the host are found at their lines, the corrected programs are clean" {
    finds_each memory_host memcheck,initcheck,leakcheck 1
}

@test "unused memory is found on request" {
    once memory_host simcc -G "$programs/memory_host.cu" -o memory_host
    under_check unusedcheck ./memory_host unused
    expect_status 86
    [[ $errors == *"Not written 512 bytes, the first at 0x"*"50% of allocation were unused."* ]] || complain "$errors"
    under_check unusedcheck ./memory_host unused fixed
    expect_status 0
}

@test "an access out of bounds is reported with thread, block, allocation and both backtraces" {
    once memory_device simcc -G "$programs/memory_device.cu" -o memory_device
    under_check memcheck ./memory_device past-end
    expect_status 86
    local lines=(
        '========= Invalid __global__ write of size 4 bytes'
        '=========     at past_end\(int\*, int\)\+0x[0-9a-f]+ in memory_device\.cu:[0-9]+'
        '=========     by thread \(64,0,0\) in block \(0,0,0\)'
        '=========     Access to 0x[0-9a-f]+ is out of bounds'
        '=========     and is 1 bytes after the nearest allocation at 0x[0-9a-f]+ of size 256 bytes'
        '=========     Saved host backtrace up to driver entry point at kernel launch time'
        '=========         Host Frame: main in memory_device\.cu:[0-9]+ \[0x[0-9a-f]+\] in memory_device'
        '=========     Saved host backtrace up to driver entry point at allocation time'
        '========= ERROR SUMMARY: 2 errors'
    )
    for line in "${lines[@]}"; do
        grep -qE "^$line" <<<"$errors" || complain "no line like '$line' in: $errors"
    done
}

@test "after a wrong access the launch and all later calls fail" {
    once memory_device simcc -G "$programs/memory_device.cu" -o memory_device
    under_check memcheck ./memory_device past-end
    [[ $errors == *'Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure"'* ]] ||
        complain "no error 719 in: $errors"
}

@test "without checks there is no report" {
    once memory_host simcc -G "$programs/memory_host.cu" -o memory_host
    under_check none ./memory_host leak
    expect_status 0
    expect_no_errors
}

@test "a report covers kernels that still run when the program ends" {
    once ending simcc -G "$programs/ending.cu" -o ending
    under_check memcheck ./ending running
    expect_status 86
    expect_output ran
    [[ $errors == *"========= Invalid __global__ write of size 4 bytes"*"ERROR SUMMARY: 1 error" ]] || complain "$errors"
}

@test "the first of the calls that return a kernel's error is reported" {
    once ending simcc -G "$programs/ending.cu" -o ending
    under_check memcheck ./ending failing
    expect_status 86
    [[ $errors == *"on CUDA API call to cudaDeviceSynchronize."*"ERROR SUMMARY: 2 errors" ]] || complain "$errors"
}

@test "a thread stopped by a finding causes no further finding" {
    local schedule
    once memory_device simcc -G "$programs/memory_device.cu" -o memory_device
    for schedule in independent lockstep random:1 random:2; do
        SIMCC_SCHEDULE=$schedule capture ./memory_device goes-on
        [[ $errors == *"ERROR SUMMARY: 2 errors" ]] || complain "$schedule: $errors" || return
    done
}

@test "a program's own operators new and delete are the host's, and kernels use the device's heap" {
    [ "${SANITIZE-}" != address ] || skip "AddressSanitizer has an operator new of its own that does not throw"
    local optimization
    cat "$programs"/own_operators.{cpp,cu} >one.cu
    for optimization in -O0 -O2; do
        simcc -G $optimization "$programs"/own_operators.{cpp,cu} -o two_files
        simcc -G $optimization one.cu -o one_file
        for program in ./two_files ./one_file; do
            capture timeout 120 $program
            expect_status 0 || return
            expect_output "cudaSuccess, 8 sides, 1 kept, 0 left"
        done
    done
}

@test "kernels may read the host tables of the toolkit's headers, but no host variables of the program" {
    mkdir include
    cat >include/tables.h <<'SOURCE'
static int table_host[64] = {3, 1, 2};
__device__ inline int look_up(int i) { return table_host[i]; }
__device__ inline void spoil(int i) { table_host[i] = 0; }
SOURCE
    cat >tables.cu <<'SOURCE'
#include <tables.h>
int own[64] = {1};
int (*const own_table)[64] = &own;
__global__ void reads(int* out) { out[threadIdx.x] = look_up(threadIdx.x); }
__global__ void reads_beyond(int* out) { out[threadIdx.x] = look_up(4096 * threadIdx.x); }
__global__ void writes() { spoil(threadIdx.x); }
__global__ void reads_own(int* out, int* table) { out[threadIdx.x] = table[threadIdx.x]; }
int main(int count, char**) {
    int* out;
    cudaMalloc(&out, 256);
    if (count == 1) reads<<<1, 32>>>(out);
    if (count == 2) writes<<<1, 32>>>();
    if (count == 3) reads_own<<<1, 32>>>(out, *own_table);
    if (count == 4) reads_beyond<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
SOURCE
    capture simcc -G -O2 -I"$PWD/include" tables.cu -o tables
    expect_status 0
    capture ./tables
    expect_status 0
    capture ./tables writes
    expect_status 86
    expect_errors_like 'Invalid __global__ write of size 4 bytes'
    capture ./tables reads own
    expect_status 86
    expect_errors_like 'Invalid __global__ read of size 4 bytes'
    capture ./tables reads too far
    expect_status 86 && expect_errors_like 'Invalid __global__ read of size 4 bytes'
}

@test "random numbers by cuRAND's device functions give no finding" {
    cat >draw.cu <<'SOURCE'
#include <curand_kernel.h>
#include <cstdio>
template <class State>
__global__ void draw(float* out) {
    State state;
    curand_init(42ULL, threadIdx.x, 5ULL, &state);
    out[threadIdx.x] = curand_uniform(&state) + curand_normal(&state) + curand_poisson(&state, 3.0);
}
int main() {
    float *out, sum = 0, values[64];
    cudaMalloc(&out, sizeof values);
    for (auto kernel : {draw<curandState>, draw<curandStatePhilox4_32_10_t>, draw<curandStateMRG32k3a>}) {
        kernel<<<1, 64>>>(out);
        cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
        for (float value : values) sum += value / 64;
    }
    std::printf("%d\n", sum > 6 && sum < 15);
    cudaFree(out);
}
SOURCE
    capture simcc -G draw.cu -o draw
    expect_status 0
    capture ./draw
    expect_status 0 && expect_output 1
}

@test "structures of every size are checked when they are copied or set, whichever function does it" {
    cat >sizes.cu <<'SOURCE'
#include <cstdio>
#include <cstring>
#include <cstdlib>
template <int bytes> struct Of { char values[bytes]; };
struct Twelve { int values[3]; };
template <class T> __global__ void copy(T* to, const T* from) { __builtin_memcpy(to + threadIdx.x, from + threadIdx.x, sizeof(T)); }
template <class T> __global__ void move(T* to, const T* from) { __builtin_memmove(to + threadIdx.x, from + threadIdx.x, sizeof(T)); }
template <class T> __global__ void set(T* to) { __builtin_memset(to + threadIdx.x, 0, sizeof(T)); }
template <class T> __global__ void assign(T* to, const T* from) { to[threadIdx.x] = from[threadIdx.x]; }
template <class T> void run(int way, int count) {
    T *to, *from;
    cudaMalloc(&to, count * sizeof(T)), cudaMalloc(&from, 32 * sizeof(T)), cudaMemset(from, 0, 32 * sizeof(T));
    if (way == 0) copy<<<1, 32>>>(to, from);
    if (way == 1) move<<<1, 32>>>(to, from);
    if (way == 2) set<<<1, 32>>>(to);
    if (way == 3) assign<<<1, 32>>>(to, from);
    if (cudaDeviceSynchronize() != cudaSuccess) std::printf("%zu:%d ", sizeof(T), way), cudaDeviceReset();
    else cudaFree(to), cudaFree(from);
}
int main(int, char** arguments) {  // each by itself: an error ends with the device's reset
    for (int way = 0; way < 4; ++way) {
        const int count = std::atoi(arguments[1]);
        run<Of<3>>(way, count);
        run<Twelve>(way, count);
        run<Of<24>>(way, count);
        run<Of<100>>(way, count);
    }
}
SOURCE
    local fortified
    # (Some systems define this macro by themselves.)
    for fortified in -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2; do
        capture simcc -G -O2 $fortified sizes.cu -o sizes
        expect_status 0
        capture ./sizes 31
        expect_status 86 && expect_errors_like "Invalid __global__ write of size [0-9]+ byte" || return
        expect_output "$(printf '%s ' {3,12,24,100}:0 {3,12,24,100}:1 {3,12,24,100}:2 {3,12,24,100}:3)" || return
        capture ./sizes 32
        expect_status 0 && expect_output "" || return
    done
}

@test "words declared to be aligned to 2 bytes, or to 1, are not misaligned there; others are" {
    cat >aligned.cu <<'SOURCE'
struct __attribute__((packed, aligned(2))) Pair { int value; };
struct __attribute__((packed)) Packed { short head; int value; double tail; };
typedef int Loose __attribute__((aligned(2)));
__global__ void declared(char* data) {
    reinterpret_cast<Pair*>(data + 2)[threadIdx.x].value += 1;
    reinterpret_cast<Packed*>(data + 257)[threadIdx.x].value += 1;
    reinterpret_cast<Packed*>(data + 257)[threadIdx.x].tail += 1;
    *reinterpret_cast<Loose*>(data + 1026 + 4 * threadIdx.x) += 1;
}
__global__ void undeclared(char* data) { *reinterpret_cast<int*>(data + 2 + 4 * threadIdx.x) += 1; }
int main(int count, char**) {
    char* data;
    cudaMalloc(&data, 2048);
    cudaMemset(data, 0, 2048);
    if (count == 1) declared<<<1, 4>>>(data);
    if (count == 2) undeclared<<<1, 4>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
SOURCE
    capture simcc -G -O2 aligned.cu -o aligned
    expect_status 0
    capture ./aligned
    expect_status 0
    capture ./aligned undeclared
    expect_status 86 && expect_errors_like 'is misaligned'
}

@test "structures of two numbers need the alignment of one number, vectors of 16 bytes that of the vector" {
    cat >sixteen.cu <<'SOURCE'
struct Point { double x, y; };
struct Body { double mass; Point place; };
__global__ void structures(Body* bodies) {
    const Point place = bodies[threadIdx.x].place;
    bodies[threadIdx.x + 32].place = place;
}
__global__ void vectors(char* data) {
    const float4 number = *reinterpret_cast<float4*>(data + 16 * threadIdx.x + 8);
    *reinterpret_cast<float4*>(data + 1024) = number;
}
__global__ void stores(char* data) { *reinterpret_cast<double2*>(data + 8) = make_double2(threadIdx.x, 1); }
int main(int count, char**) {
    char* data;
    cudaMalloc(&data, 2048);
    cudaMemset(data, 0, 2048);
    if (count == 1) structures<<<1, 32>>>(reinterpret_cast<Body*>(data));
    if (count == 2) vectors<<<1, 1>>>(data);
    if (count == 3) stores<<<1, 1>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
SOURCE
    local level
    for level in 0 2; do
        capture simcc -G -O$level sixteen.cu -o sixteen
        expect_status 0
        capture ./sixteen
        expect_status 0 && expect_errors_like 'ERROR SUMMARY: 0 errors' || return
        capture ./sixteen vectors
        expect_status 86 || return
        expect_errors_like 'Invalid __global__ read of size 16 bytes' || return
        expect_errors_like 'at vectors.* in sixteen.cu:8' && expect_errors_like 'is misaligned' || return
        capture ./sixteen vectors stores
        expect_status 86 && expect_errors_like 'Invalid __global__ write of size 16 bytes' || return
    done
}

@test "memory of malloc is not announced as accessible to kernels, and is not" {
    cat >pageable.cu <<'SOURCE'
#include <cstdio>
#include <cstdlib>
__global__ void write(int* data) { data[threadIdx.x] = 1; }
int main() {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int attribute = -1;
    cudaDeviceGetAttribute(&attribute, cudaDevAttrPageableMemoryAccess, 0);
    std::printf("%d %d\n", properties.pageableMemoryAccess, attribute);
    write<<<1, 32>>>(static_cast<int*>(std::malloc(128)));
    cudaDeviceSynchronize();
}
SOURCE
    capture simcc -G pageable.cu -o pageable
    expect_status 0
    capture ./pageable
    expect_status 86 && expect_output "0 0" && expect_errors_like 'Invalid __global__ write of size 4 bytes'
}

@test "an access just before or just behind a variable is found, of every kind and size" {
    cat >more.cu <<'SOURCE'
template <int n>
__device__ int of_template[n];
__device__ int* of_other_unit() { return of_template<N>; }
SOURCE
    cat >sides.cu <<'SOURCE'
#include <cstdio>
#include <cstdlib>
__device__ int device[N], initialized[N] = {1}, result;
static __device__ int of_unit[N];
__constant__ int constant[N], initialized_constant[N] = {1};
__managed__ int managed[N];
__device__ const int table[N] = {1};
inline __device__ int inlined[N];
namespace outer { namespace { __device__ int in_namespaces[N]; } }
struct Owner { static __device__ int member[N]; };
__device__ int Owner::member[N];
template <typename T> __device__ T of_template[N];
__device__ int* last(int kind) {
    static __device__ int of_function[N];
    switch (kind) {
        case 0: return device;
        case 1: return initialized;
        case 2: return of_unit;
        case 3: return managed;
        case 4: return inlined;
        case 5: return outer::in_namespaces;
        case 6: return Owner::member;
        case 7: return of_template<int>;
        default: return of_function;
    }
}
__global__ void write(int kind, int i) { last(kind)[i] = 1; }
__device__ __noinline__ int element(const int* values, int i) { return values[i]; }
__global__ void read(int kind, int i) {
    result = element(kind == 9 ? constant : kind == 10 ? initialized_constant : table, i);
}
int main(int, char** words) {  // each kind by itself: an error ends with the device's reset
    const int i = std::atoi(words[1]);
    for (int kind = 0; kind < 12; ++kind) {
        if (kind < 9) write<<<1, 1>>>(kind, i);
        else read<<<1, 1>>>(kind, i);
        if (cudaDeviceSynchronize() != cudaSuccess) std::printf("%d ", kind), cudaDeviceReset();
    }
}
SOURCE
    local n i
    for n in 1 32; do
        capture simcc -G -w -DN=$n sides.cu more.cu -o sides
        expect_status 0
        for i in -1 $n; do
            under_check memcheck ./sides $i
            expect_status 86
            expect_output "0 1 2 3 4 5 6 7 8 9 10 11 "
            expect_errors_like "Invalid __global__ write of size 4"
            expect_errors_like "Invalid __global__ read of size 4"
        done
        under_check memcheck ./sides $((n - 1))
        expect_status 0
        expect_output ""
    done
}

@test "shared memory that nothing ever writes is uninitialized, wherever it is declared" {
    cat >unwritten.cu <<'SOURCE'
#include <cstdlib>
__shared__ float of_file[8];
template <typename T>
__device__ T pick(int i) {
    __shared__ T of_template[8];
    return of_template[i];
}
__global__ void read(int kind, int* o) {
    __shared__ int of_kernel[8];
    __shared__ struct { int a, b; } structure;
    extern __shared__ int dynamic[];
    const int i = threadIdx.x;
    o[i] = kind == 0 ? of_kernel[i] : kind == 1 ? structure.b : kind == 2 ? dynamic[i]
         : kind == 3 ? int(of_file[i]) : pick<int>(i);
}
int main(int, char** words) {
    int* o;
    cudaMalloc(&o, 32);
    read<<<1, 8, 32>>>(std::atoi(words[1]), o);
    cudaDeviceSynchronize();
    cudaFree(o);
}
SOURCE
    local kind
    capture simcc -G -O2 unwritten.cu -o unwritten
    expect_status 0
    for kind in 0 1 2 3 4; do
        under_check initcheck ./unwritten $kind
        expect_status 86
        expect_errors_like "Uninitialized __shared__ memory read of size 4 bytes"
    done
}

@test "constants are guarded by their bounds, members of classes and copied bytes like other variables" {
    cat >bounds.cu <<'SOURCE'
#include <cstdio>
#include <cstdlib>
#include <cstring>
__device__ const int v[8] = {1, 2};
constexpr float of_file[8] = {1, 2};
struct Holder {
    static constexpr int table[8] = {3};
    static inline __device__ int plain[8] = {4};
    static inline __constant__ int fixed[8] = {5};
};
__device__ char bytes[8];
__device__ inline int f[8];
__global__ void read(int kind, int i, int* o) {
    if (kind == 0) *o = v[i];
    if (kind == 1) *o = of_file[i];
    if (kind == 2) *o = Holder::table[i];
    if (kind == 3) *o = Holder::fixed[i];
    if (kind == 4) std::memcpy(o, bytes + i - 3, 4);
}
__global__ void write(int kind, int i, int* o) {
    if (kind == 5) Holder::plain[i] = 1;
    if (kind == 6) std::memset(bytes + i - 3, 1, 4);
    if (kind == 7) f[i] = 1;
}
int main(int, char** words) {
    const int i = std::atoi(words[1]);
    for (int kind = 0; kind < 8; ++kind) {  // each by itself: an error ends with the device's reset
        int* o;
        cudaMalloc(&o, 4);
        (kind < 5 ? read : write)<<<1, 1>>>(kind, i, o);
        if (cudaDeviceSynchronize() != cudaSuccess) std::printf("%d ", kind), cudaDeviceReset();
        else cudaFree(o);
    }
}
SOURCE
    local optimization i
    for optimization in -O0 -O2; do
        capture simcc -G $optimization bounds.cu -o bounds
        expect_status 0
        for i in -1 8; do
            under_check memcheck ./bounds $i
            expect_status 86
            expect_output "0 1 2 3 4 5 6 7 "
            expect_errors_like "Invalid __global__ read of size 4 bytes"
            expect_errors_like "Invalid __global__ write of size 4 bytes"
        done
        for i in 7 3; do
            under_check memcheck ./bounds $i
            expect_status 0
            expect_output ""
        done
    done
}

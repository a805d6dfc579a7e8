#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What simcc promises: programs of the kind that courses use build and run without a GPU, mistakes are reported at their
# place, and the command line is nvcc's.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/simcc

# has_checkers_for [OPTION]...: skips a test of the checkers under ThreadSanitizer, which uses the same names for its
# instrumentation.
has_checkers_for() {
    if [ "${SANITIZE-}" = thread ] && [[ " $* " == *" -G "* ]]; then skip "no checkers beside ThreadSanitizer"; fi
}

# builds PROGRAM [OPTION]...: compiles tests/simcc/PROGRAM.cu to ./PROGRAM silently. (With checkers, optimizing more than
# a little takes long.)
builds() {
    local program=$1
    shift
    has_checkers_for "$@"
    case " $* " in *" -O"*) ;; *" -G "*) set -- -O1 "$@" ;; esac
    capture once "$program" simcc "$@" "$programs/$program.cu" -o "$program"
    expect_status 0 && expect_no_errors && expect_output ""
}

# prints PROGRAM TEXT [ARGUMENT]...: ./PROGRAM ARGUMENT... exits 0 and prints exactly TEXT.
prints() {
    local program=$1 text=$2
    shift 2
    capture "./$program" "$@"
    expect_status 0 && expect_output "$text"
}

# Writes standard input to the file NAME.
file() { cat >"$1"; }

# ---- programs

@test "a first program greets from every thread and adds vectors in 1-D, 2-D and 3-D" {
    builds hello
    capture ./hello
    expect_status 0
    [ "$(grep hello <<<"$output" | sort)" = "hello from block 0, thread 0 of 2
hello from block 0, thread 1 of 2
hello from block 1, thread 0 of 2
hello from block 1, thread 1 of 2" ] || complain "expected four greetings"
    expect_output_like "1-D sum right, time positive
2-D sum right
3-D numbers: 0 wrong"
}

@test "a launch may be written in every way that C++ allows" {
    builds launches -Wall -Wextra
    prints launches 'one<<<1, 1>>>(d, 1); " one<<<1,1>>>(d, 2)
at start 7, in all 142, failures 0, line 208'
}

@test "launches mean the same in C++20 and without optimization" {
    builds launches -std=c++20 -O0 -g
    capture ./launches
    expect_status 0
    expect_output_like "failures 0"
}

@test "split barriers, asynchronous copies and the device heap work, and their misuse ends the launch" {
    local level
    for level in -O0 -O3; do
        builds copies -Wall -Wextra $level
        prints copies "barriers: 0 wrong
copies: 0 wrong
heap: 0 wrong
freed twice: cudaErrorLaunchFailure
without init: cudaErrorLaunchFailure"
    done
    expect_errors_like "kernel free_lists, .*: free\(\) of a pointer that is not, or no longer, on the device heap"
    expect_errors_like "kernel without_init, .*: cuda::barrier: used before init\(\)"
}

# orders COUNT WORD...: so many orders of the words, always the same, numbered. (Every launch takes long to compile.)
orders() {
    python3 -c 'import itertools, random, sys
orders = list(itertools.permutations(sys.argv[2:]))
random.seed(1)
for i, order in enumerate(random.sample(orders, int(sys.argv[1])), 1): print(i, *order)' "$@"
}

@test "attributes and specifiers of variables, kernels and functions stand in any order" {
    {
        echo '#include <cstdio>'
        orders 50 __device__ 'alignas(64)' '[[maybe_unused]]' static short | sed -E 's/([0-9]+) (.*)/\2 d\1 = 7;/'
        orders 50 __constant__ 'alignas(64)' __device__ const '[[maybe_unused]]' short |
            sed -E 's/([0-9]+) (.*)/\2 c\1 = 7;/'
        echo '__global__ void globals(int* good) {'
        sed 's/.*/*good += (size_t)\&d& % 64 == 0 \&\& d& == 7;/' < <(seq 50)
        sed 's/.*/*good += (size_t)\&c& % 64 == 0 \&\& c& == 7;/' < <(seq 50)
        echo '}
        __global__ void shared(int* good) {'
        orders 50 __shared__ 'alignas(64)' '[[maybe_unused]]' volatile short |
            sed -E 's/([0-9]+) (.*)/\2 s\1[3]; s\1[2] = 1; *good += (size_t)s\1 % 64 == 0 \&\& s\1[2] == 1;/'
        echo '}'
        orders 12 __global__ '__launch_bounds__(32)' '[[maybe_unused]]' static void |
            sed -E 's/([0-9]+) (.*)/\2 k\1(int* good) { ++*good; }/'
        orders 50 __device__ '__attribute__((always_inline))' '[[nodiscard]]' inline auto |
            sed -E 's/([0-9]+) (.*)/template <class T> \2 f\1(T x) -> T { return x + 1; }/'
        echo '__global__ void functions(int* good) {'
        sed 's/.*/*good += f&(1) == 2;/' < <(seq 50)
        echo '}
        int main() {
            int* good;
            cudaMallocManaged(&good, sizeof *good);
            *good = 0;
            globals<<<1, 1>>>(good);
            shared<<<1, 1>>>(good);
            functions<<<1, 1>>>(good);'
        sed 's/.*/k&<<<1, 1>>>(good);/' < <(seq 12)
        echo 'cudaDeviceSynchronize(); printf("%d %s\n", *good, cudaGetErrorName(cudaGetLastError())); cudaFree(good); }'
    } >orders.cu
    for flags in -O0 "-G -O0"; do
        # shellcheck disable=SC2086  # words
        capture simcc $flags -Wall orders.cu -o orders
        expect_status 0
        expect_no_errors
        prints orders '212 cudaSuccess'
    done
}

@test "a program may use the names of built-in variables and of the standard library for itself" {
    builds names
    prints names "member 16
member outside 16
derived 15
reference 6
list 4
integers 6
builtin 2064
shadowed 12
template parameter 8
behind it 9
passed 9
locals 17
host 26 10 11"
}

@test "headers do not call a program's catch-all templates; kernels take its classes by value" {
    local flags
    for flags in "-Wall -Wextra" "-G -O1"; do
        # shellcheck disable=SC2086
        builds own_types $flags
        prints own_types "pairs and halves 718
by value 4950 cudaSuccess"
    done
    expect_errors_like "ERROR SUMMARY: 0 errors"
}

@test "static and dynamic shared memory hold the tiles of a matrix product" {
    local flags
    for flags in -O1 '-G -O1'; do
        # shellcheck disable=SC2086
        builds shared $flags
        prints shared "static: 0 wrong, no error
dynamic float: 0 wrong, no error
dynamic double: 0 wrong, no error
7 6 5 4 3 2 1 8 total 56
in lambdas: 0 wrong, no error"
    done
}

@test "constant, global, managed, pinned, mapped, pitched and heap memory keep their contents" {
    builds memory
    prints memory "polynomial 3 12 39 102 counted 4
globals 10 20 35 40 managed 7 size 16
streams: 0 wrong, query cudaSuccess
managed 4 mapped 1
pitched 406, pitch a multiple of 32: 1
heap 0 3
memset abababab, memory used, no error"
}

@test "device variables alone start nothing: addresses for device memory are reserved at the first call" {
    [ "${SANITIZE-}" != address ] || skip "AddressSanitizer reserves addresses itself"
    file quiet.cu <<'CUDA'
#include <cstdio>
#include <fstream>
#include <string>
__device__ int counter[32];
__global__ void count() { atomicAdd(counter, 1); }
static long peak_kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.compare(0, 7, "VmPeak:") == 0) return std::stol(line.substr(7));
    return 0;
}
int main() {
    const bool quiet = peak_kilobytes() < 1 << 20;
    int counted = 0;
    count<<<2, 3>>>();
    cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
    std::printf("%d %d\n", quiet, counted);
}
CUDA
    capture simcc quiet.cu -o quiet
    expect_status 0
    capture ./quiet
    expect_output "1 6"
}

@test "each device has its own variables, except managed ones" {
    local build
    for build in '' -G; do
        # shellcheck disable=SC2086  # none or one
        builds variables_of_devices $build
        SIMCC_DEVICES=3 prints variables_of_devices "device 0: 2290, counter 1290
device 1: 4570, counter 2570
device 2: 6850, counter 3850
device 0: counter 1290
device 1: counter 0
all devices: 3
no error"
    done
}

@test "textures on arrays, pitched and linear memory address, filter and convert as on a GPU, and refuse what it refuses" {
    builds textures -Wall -Wextra
    prints textures "0 failures, cudaSuccess"
}

@test "textures have the address modes, the filter's 8 fractional bits and the fractions of the programming guide" {
    builds texture_modes -Wall -Wextra
    prints texture_modes "0 failures, cudaSuccess"
}

@test "texels are gathered, and gradients, levels and resident texels work for every kind of texture" {
    for flags in -O1 "-G -O0"; do
        # shellcheck disable=SC2086  # words
        builds texture_kinds -Wall -Wextra $flags
        prints texture_kinds "cudaSuccess 0" || return
    done
}

@test "atomics, shuffles, votes, cooperative groups, locks and fences let threads work together" {
    builds warps
    prints warps "histogram 625 625, shuffles 10000, tree 8128
votes 55555555 0 1 31 4 4 10
groups 376 1 11
grid cudaSuccess 127
lock 480, last block 2450, no error"
}

@test "cuda::atomic and cuda::atomic_ref operate, order and wait, also with the checkers" {
    local flags
    for flags in "" "-O0" "-G -std=c++20"; do
        # shellcheck disable=SC2086
        builds cxx_atomics -Wall -Wextra $flags
        prints cxx_atomics "32640 255 255 256 128 0 256 32640 0"
    done
}

@test "additions whose results nobody reads reach memory before anybody can see that they are missing" {
    builds lone_additions -O2
    local threads
    for threads in 1 2 5; do
        SIMCC_THREADS=$threads prints lone_additions "int 299995
unsigned long long 299995
float 299995
double 299995
bins 100 of 1000
last 12800
told 5
blocks that see another sum 0
outside cudaErrorIllegalAddress"
    done
}

@test "the same programs are right on one worker thread and on four" {
    builds warps
    for threads in 1 4; do
        export SIMCC_THREADS=$threads
        capture ./warps
        expect_status 0
        expect_output_like "lock 480, last block 2450"
    done
}

@test "threads and blocks may wait for each other by reading a flag, in every way that a loop can be written" {
    builds spin
    for threads in 1 2; do
        SIMCC_THREADS=$threads SIMCC_TIMEOUT=30 prints spin "lanes 64, ways 16, blocks out of order 0, no error"
    done
    builds spin -O0
    SIMCC_THREADS=1 SIMCC_TIMEOUT=30 prints spin "lanes 64, ways 16, blocks out of order 0, no error"
}

@test "a flag that is never set ends the launch, and the message says which thread reads it, and where" {
    builds spin
    SIMCC_TIMEOUT=1 prints spin "702 cudaErrorLaunchTimeout" never
    expect_errors_like 'kernel never, block \([01],0,0\): no progress for SIMCC_TIMEOUT=1 seconds'
    # (How many of the 40 have begun to poll by then depends on the load of the machine.)
    expect_errors_like '[1-4]?[0-9] threads wait in a loop that polls, spin.cu:75, first \(0,0,0\)'
}

@test "a worker thread that has been without a processor survives all of the watchdog's signals at once" {
    local flags
    for flags in "" "-G"; do
        # shellcheck disable=SC2086
        builds interrupts $flags
        prints interrupts "64 cudaSuccess"
    done
}

@test "vector operators, declared as in helper_math.h, work in both builds" {
    local flags
    for flags in "" "-G"; do
        # shellcheck disable=SC2086
        builds vector_math $flags
        prints vector_math "1 34 -7"
    done
}

@test "a bracket that is never closed is named, in any declaration" {
    local text
    for text in '__device__ int x = {1, 2;' '__device__ bool operator==(V a, V b) { return (a.x == b.x; }' \
        '__device__ V& operator<<=(V& a, int n) { if (n) { return a; }' '__device__ bool operator<(V a' '__constant__ int t[2'; do
        printf 'struct V { int x; };\n%s\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n' "$text" >open.cu
        capture timeout 20 simcc -G open.cu -o open
        expect_status 1 && expect_errors_like "open.cu:2:[0-9]+: error: this '.' is never closed" || return
    done
}

@test "8-bit floating point converts as in NVIDIA's header, and works in kernels" {
    local nvidia="functions 5a9f22c18eecfadc
types b21c2812d824282, 1 2 4 bytes"
    builds float8 -Wall -Wextra
    prints float8 "$nvidia
dot -96, rounded -96, no error"
    local headers
    headers=$(dirname "$(command -v nvcc || echo none)")/../include
    [ -e "$headers/cuda_fp8.h" ] || return 0
    g++ -std=c++17 -DHOST_ONLY -isystem "$headers" -x c++ "$programs/float8.cu" -o with_nvidias_header
    capture ./with_nvidias_header
    expect_output "$nvidia"
}

@test "structures, vectors, half precision, lambdas, virtual functions and recursion work in kernels" {
    builds types
    prints types "particle 2 3 4 49.05
vectors 8 6 0
halves 3.75 3.375 3.75 2.25
functions 100 102 118
others 3628800 20 16941 9 15 10 1616"
}

@test "partitions of thread groups have CUDA's members and numbers, also partitions of partitions" {
    local build
    for build in -O1 "-G -O1"; do
        # shellcheck disable=SC2086  # options
        capture simcc -Wall -Wextra $build "$programs/partitions.cu" -o partitions
        expect_status 0 && expect_no_errors || return
        capture ./partitions
        expect_output "0 wrong, cudaSuccess
refused" || return
        expect_errors_like "tiled_partition: tiles have 1, 2, 4, 8, 16 or 32 threads" || return
    done
}

@test "tiles of 64 to 512 threads wait, exchange, reduce and scan; one without a barrier is a race" {
    for flags in -O2 "-G -O1"; do
        # shellcheck disable=SC2086  # words
        builds tiles -Wall -Wextra $flags
        prints tiles "cudaSuccess 0" || return
    done
    sed 's/        tile.sync();$/        if (round != 1) tile.sync();/' "$programs/tiles.cu" >tiles.cu
    simcc -G tiles.cu -o tiles
    capture ./tiles
    expect_status 86 && expect_errors_like 'Race reported between Write access'
}

@test "programs may ask which memory an address is in, and get 32-bit addresses of shared memory" {
    for flags in -O2 "-G -O0"; do
        # shellcheck disable=SC2086  # words
        builds spaces -Wall -Wextra $flags
        prints spaces "cudaSuccess 1 1 4 1 1 2 2 2 8
cudaSuccess 17 17 17 8 8 1 8 17 17" || return
    done
}

@test "printf returns the number of arguments in a kernel, and the number of characters on the host" {
    cat >printing.cu <<'CU'
#include <cstdio>
__host__ __device__ int print(int i) { return printf("%d and %d\n", i, i); }
__global__ void kernel(int* results) {
    printf("unused %d\n", 1);
    results[0] = printf("none%%\n");
    const int r = std::printf("%s %c %f\n", "three", 'x', 1.5f);
    results[1] = r;
    results[2] = print(7);
}
int main() {
    int* results;
    cudaMallocManaged(&results, 3 * sizeof(int));
    kernel<<<1, 1>>>(results);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", results[0], results[1], results[2], print(123));
    cudaFree(results);
}
CU
    local build
    for build in -O1 "-G -O0"; do
        # shellcheck disable=SC2086  # options
        capture simcc -Wall -Wextra $build printing.cu -o printing
        expect_status 0 && expect_no_errors || return
        capture ./printing
        expect_status 0 || return
        expect_output "unused 1
none%
three x 1.500000
7 and 7
123 and 123
0 3 2 12" || return
    done
}

@test "a program can ask for devices, attributes and occupancy, and launch by pointer and by graph" {
    builds queries
    prints queries "devices 1 current 0 warp 32 threads 1024 name set
attributes 32 some opt-in
occupancy sensible active
kernel threads 1024
scaled 1498.5 same
graph node 2997
shared memory for 32 31 0
without opt-in: cudaErrorInvalidValue
with opt-in: cudaSuccess 14999, 3 blocks
architecture 900 1
graph 374.625 no error"
}

@test "nodes of graphs return their parameters, of captured launches, copies, fills and host functions, too" {
    local options expected="captured: x 18 7.5 0 2
y 18 7.5 7.5 7.5
k 5, calls 1
0: type 0, grid 1 1 1, block 32, shared 0, extra (nil)
1: type 0, grid 1 1 1, block 4, shared 0, extra (nil)
2: type 0, grid 1 1 1, block 4, shared 0, extra (nil)
3: type 0, grid 1 1 1, block 1, shared 0, extra (nil)
4: type 0, grid 1 1 1, block 4, shared 64, extra (nil)
5: type 0, grid 2 1 1, block 2, shared 0, extra (nil)
6: type 1
7: type 2
8: type 3
kernels 1 1 1 1 1 1
arguments 2 4, 3 4, 0.5 1, 5, 1 2.5
pointers 1 1 1
executable: x 24 13.5 0 4
y 24 13.5 13.5 13.5
graph: x 24 13.5 0 2
y 24 13.5 13.5 13.5
now 2 2 6
copy 1 1, 8 1 1, kind 3
memset 1 0 1 4 1
host 1 1
changed: x 9 9 9 2
y 9 9 9 13.5
k 20, calls 13
now 12, 4
built 5
rows 1 8 8 2
array 1 1 2
fill 1 4 2
array 9 9 9 13.5
by address: 1, shared 8, 1 20 1 at 0
by address: 1, shared 8, 1 20 1 at 0
by address: 1, shared 8, 1 20 1 at 0
by address: 1, shared 0, 1 20 1 at 0
by address: 1, shared 0, 1 20 1 at 0
k 155"
    for options in "" -G; do
        builds graphs $options || return
        prints graphs "$expected" || return
        [ -z "$options" ] || continue
        capture ./graphs wrong
        expect_status 0 && expect_output_like "wrong types: cudaErrorInvalidValue, cudaErrorInvalidValue" || return
    done
}

@test "attributes of kernels show their static shared memory and launch bounds, and occupancy follows" {
    builds attributes -O1 -Wall -Wextra
    prints attributes "none 0 1024, 8 blocks, 57344 left, 1 0, cudaSuccess
two 1092 1024, 8 blocks, 56252 left, 1 0, cudaSuccess
bounded 128 64, 8 blocks, 57216 left, 1 0, cudaSuccess
bounded 512 128, 8 blocks, 56832 left, 1 0, cudaSuccess
classes 160 1024, 8 blocks, 57184 left, 1 0, cudaSuccess
calls 128 1024, 8 blocks, 57216 left, 1 0, cudaSuccess
calls 256 1024, 8 blocks, 57088 left, 1 0, cudaSuccess
calls_twice 256 96, 8 blocks, 57088 left, 1 0, cudaSuccess
c_name 32 96, 8 blocks, 57312 left, 1 0, cudaSuccess
dynamic 10 1024, 8 blocks, 57334 left, 1 0, cudaSuccess
large 48000 1024, 4 blocks, 9344 left, 1 0, cudaSuccess
small 400 1024, 8 blocks, 56944 left, 1 0, cudaSuccess
big 800 1024, 8 blocks, 56544 left, 1 0, cudaSuccess
few 12 1024, 8 blocks, 57332 left, 1 0, cudaSuccess
few 24 1024, 8 blocks, 57320 left, 1 0, cudaSuccess
loads 0 1024, 8 blocks, 57344 left, 1 0, cudaSuccess
sums 32 1024, 8 blocks, 57312 left, 1 0, cudaSuccess
sums 64 1024, 8 blocks, 57280 left, 1 0, cudaSuccess
4: cudaSuccess
5: cudaErrorCooperativeLaunchTooLarge
cudaSuccess"
}

@test "a launch with more threads per block than __launch_bounds__ allows is refused, however the kernel is named" {
    local flags
    mkdir limits
    for flags in -O2 '-G -O1'; do
        # shellcheck disable=SC2086
        has_checkers_for $flags
        # shellcheck disable=SC2086
        simcc $flags -DELSEWHERE -c "$programs/limits/launch_bounds.cu" -o elsewhere.o
        # shellcheck disable=SC2086
        builds limits/launch_bounds -Wall -Wextra $flags elsewhere.o
        capture ./limits/launch_bounds
        [[ $flags = -G* ]] || { expect_status 0 && expect_no_errors; }
        expect_output "plain: cudaSuccess, cudaErrorInvalidValue, 1
three dimensions: cudaSuccess, cudaErrorInvalidValue, 1
ahead: cudaSuccess, cudaErrorInvalidValue, 1
template: cudaSuccess, cudaErrorInvalidValue, 1
deduced: cudaSuccess, cudaErrorInvalidValue, 1
specialization: cudaSuccess, cudaErrorInvalidValue, 1
wider instance: cudaSuccess, cudaSuccess, 2
namespace: cudaSuccess, cudaErrorInvalidValue, 1
other namespace: cudaSuccess, cudaSuccess, 2
no bounds: cudaSuccess, cudaSuccess, 2
other file: cudaSuccess, cudaErrorInvalidValue, 1
template argument: cudaSuccess, cudaErrorInvalidValue, 1
parameter: cudaSuccess, cudaErrorInvalidValue, 1
computed: cudaSuccess, cudaErrorInvalidValue, 3
barriers: cudaSuccess, cudaErrorInvalidValue, 1
64 threads
cudaLaunchKernel: cudaSuccess, cudaErrorInvalidValue, 1
cudaLaunchKernel of a pointer: cudaSuccess, cudaErrorInvalidValue, 1
cudaLaunchCooperativeKernel: cudaSuccess, cudaErrorInvalidValue, 1
cudaLaunchKernelEx: cudaSuccess, cudaErrorInvalidValue, 1
in a kernel: cudaSuccess, 1
in a kernel: cudaErrorInvalidValue, 0
cudaSuccess"
    done
    # With the checkers, each of them is a finding that says why; in a kernel, only the kernel sees the error.
    expect_status 86
    expect_errors_like "Program hit cudaErrorInvalidValue .* on CUDA API call to cudaLaunchCooperativeKernel"
    [ "$(grep -c "The kernel's __launch_bounds__ allow 64 threads per block, the launch has 65$" <<<"$errors")" -eq 16 ] ||
        complain "expected 16 refusals in: $errors"
    expect_errors_like "ERROR SUMMARY: 16 errors"
}

@test "atomic operations of vectors, of 16 bytes, and by nvcc's built-in functions" {
    local flags
    for flags in -O1 '-G -O1'; do
        # shellcheck disable=SC2086
        builds atomics -Wall -Wextra $flags
        prints atomics "256 512 768 1024  256 -256  32 64  32 -64
256 768 1
128 63 ffffffff 320  42 42"
    done
}

@test "one thread of a group acts for all; headers include what CUDA's include; 16 bits may be volatile" {
    local flags
    for flags in -O1 '-G -O1'; do
        # shellcheck disable=SC2086
        builds groups -std=c++17 -Wall -Wextra $flags
        prints groups "1 1 1 192  156  4.5"
    done
}

@test "arithmetic intrinsics give CUDA's results" {
    builds intrinsics
    prints intrinsics "0 wrong"
}

@test "kernels and device variables of several files are linked together" {
    for name in main device; do simcc -dc "$programs/separate_$name.cu" -o "$name.o"; done
    simcc -c "$programs/separate_host.cpp" -o host.o
    simcc -dlink main.o device.o -o linked.o
    simcc main.o device.o host.o linked.o -lcudart -o together
    prints together "40 46 2 no error"
    simcc -rdc=true "$programs"/separate_{main,device}.cu "$programs/separate_host.cpp"
    prints a.out "40 46 2 no error"
}

@test "the files of a program also share blockIdx and its relatives on AArch64" {
    command -v aarch64-linux-gnu-g++ >/dev/null || skip "aarch64-linux-gnu-g++ is not installed"
    echo '__global__ void kernel(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = gridDim.x; }' >kernel.cu
    capture env CXX=aarch64-linux-gnu-g++ simcc -O2 -c kernel.cu
    expect_status 0
    capture aarch64-linux-gnu-objdump -r kernel.o
    expect_output_like "simt_fast_block_identity"
    [[ $output != *LANCHOR* ]] || complain "a variable is addressed by its distance from another"
}

@test "without relocatable device code every file has its own device variables" {
    file a.cu <<'CU'
__constant__ int factor = 1;
extern "C" __device__ int only_a = 0;
__device__ int counter = 5, more[2];
extern __device__ int declared_before;
__device__ int declared_before = 0;
__global__ void k_a(int* p) { *p = factor + counter + more[1] + only_a + declared_before; }
void run_a(int v, int* p) {
    cudaMemcpyToSymbol(factor, &v, sizeof v);
    k_a<<<1, 1>>>(p);
    cudaDeviceSynchronize();
}
CU
    sed -e 's/_a/_b/g' -e 's/ + declared_before//' -e '/declared_before/d' a.cu >b.cu
    printf '#include <cstdio>\nvoid run_a(int, int*);\nvoid run_b(int, int*);\n' >main.cu
    printf 'int main() { int* p; cudaMallocManaged(&p, 4); run_a(10, p); int a = *p; run_b(20, p); printf("%%d %%d", a, *p); }\n' >>main.cu
    capture simcc -run main.cu a.cu b.cu
    expect_status 0 && expect_output "15 25"
}

# ---- mistakes of the program at run time

@test "mistakes at run time are reported with CUDA's error codes" {
    builds errors
    prints errors "malloc: 0 cudaSuccess: no error
peek: 9 cudaErrorInvalidConfiguration: invalid configuration argument
get: 9 cudaErrorInvalidConfiguration: invalid configuration argument
again: 0 cudaSuccess: no error
synchronize: 0 cudaSuccess: no error" threads
    prints errors "malloc: 0 cudaSuccess: no error
no blocks: 9 cudaErrorInvalidConfiguration: invalid configuration argument
depth: 9 cudaErrorInvalidConfiguration: invalid configuration argument
rows: 9 cudaErrorInvalidConfiguration: invalid configuration argument
shared: 1 cudaErrorInvalidValue: invalid argument" configuration
    prints errors "malloc: 0 cudaSuccess: no error
kind: 21 cudaErrorInvalidMemcpyDirection: invalid copy direction for memcpy
free: 1 cudaErrorInvalidValue: invalid argument
device: 101 cudaErrorInvalidDevice: invalid device ordinal
size: 2 cudaErrorMemoryAllocation: out of memory" arguments
    SIMCC_DEVICES=2 prints errors "malloc: 0 cudaSuccess: no error
stream: 0 cudaSuccess: no error
other device: 0 cudaSuccess: no error
its stream: 400 cudaErrorInvalidResourceHandle: invalid resource handle
copy: 0 cudaSuccess: no error
synchronize: 0 cudaSuccess: no error
device: 0 cudaSuccess: no error
launch: 0 cudaSuccess: no error" device
    prints errors "malloc: 0 cudaSuccess: no error
launch: 0 cudaSuccess: no error
synchronize: 700 cudaErrorIllegalAddress: an illegal memory access was encountered
sticky: 700 cudaErrorIllegalAddress: an illegal memory access was encountered
after reset: 0 cudaSuccess: no error" address
    prints errors "malloc: 0 cudaSuccess: no error
synchronize: 710 cudaErrorAssert: device-side assert triggered" assert
    expect_errors_like 'errors.cu:11: .*block: \[0,0,0\], thread: \[0,0,0\] Assertion .*must be positive.* failed'
    prints errors "malloc: 0 cudaSuccess: no error
synchronize: 719 cudaErrorLaunchFailure: unspecified launch failure" trap
}

# ---- mistakes of the program at compile time

@test "an error in the source is reported at the user's line and column" {
    file mine.cu <<'CU'
#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x] = blockIdx.x + undeclared; }
int main() {
    int* p;
    k<<<1,
        2>>>(p);
    int x = 3
    printf("%d", x);
}
CU
    capture simcc mine.cu
    expect_status 1
    expect_output ""
    expect_errors_like 'mine.cu:2:59: error: .undeclared. was not declared'
    expect_errors_like 'mine.cu:8:5: error: expected'
    [ ! -e a.out ] || complain "expected no a.out"
}

@test "PTX without operands is simulated" {
    file ends.cu <<'CU'
#include <cstdio>
__device__ __noinline__ void leave(int n) { if (n % 2) asm volatile("exit;"); }
__global__ void exits(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    leave(threadIdx.x);
    s[threadIdx.x] = 1;
    asm volatile("{ membar.cta; // ordered\n\t bar.sync 0; }" ::: "memory");
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    p[blockIdx.x * 64 + threadIdx.x] = sum;
}
__global__ void exits_first(int* p) { if (threadIdx.x < 3) asm("exit;"); p[threadIdx.x] = 7; }
__global__ void all_exit() { asm volatile("exit;"); }
__global__ void traps(int n) { if (n) asm("trap;"); }
int main() {
    int* p;
    cudaMallocManaged(&p, 4 * 192);
    exits<<<3, 64>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d %d", p[0], p[1], p[128 + 62]);
    exits_first<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    printf(" %d %d %d", p[0], p[2], p[3]);
    all_exit<<<4, 1024>>>();
    traps<<<1, 1>>>(0);
    printf(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(p);
    traps<<<1, 1>>>(1);
    printf(" %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
    for flags in -O2 "-G -O0"; do
        # shellcheck disable=SC2086  # words
        capture simcc $flags ends.cu -o ends
        expect_status 0 && expect_no_errors
        capture ./ends
        expect_output "32 0 32 32 32 7 cudaSuccess cudaErrorLaunchFailure" || return
    done
}

@test "a block runs on one multiprocessor, which is one of the simulator's threads" {
    file places.cu <<'CU'
#include <cstdio>
__device__ unsigned place() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__device__ unsigned places() { unsigned r; asm volatile("mov.u32 %0, %%nsmid;" : "=r"(r)); return r; }
__global__ void k(unsigned* at, const void** shared, unsigned* count) {
    __shared__ int here;
    const unsigned before = place();
    __syncthreads();
    at[blockIdx.x * blockDim.x + threadIdx.x] = before == place() ? before : ~0u;
    if (threadIdx.x == 0) shared[blockIdx.x] = &here;
    if (blockIdx.x == 0 && threadIdx.x == 0) *count = places();
}
int main() {
    unsigned *at, *count, moved = 0, beyond = 0, elsewhere = 0;
    const void** shared;
    cudaMallocManaged(&at, 200 * 64 * sizeof *at);
    cudaMallocManaged(&shared, 200 * sizeof *shared);
    cudaMallocManaged(&count, sizeof *count);
    k<<<200, 64>>>(at, shared, count);
    cudaDeviceSynchronize();
    for (int i = 0; i < 200 * 64; ++i) moved += at[i] != at[i / 64 * 64], beyond += at[i] >= *count;
    // Each multiprocessor has its own shared memory.
    for (int i = 0; i < 200; ++i)
        for (int k = 0; k < i; ++k) elsewhere += (at[64 * i] == at[64 * k]) != (shared[i] == shared[k]);
    printf("%u moved, %u beyond %u, %u elsewhere\n", moved, beyond, *count, elsewhere);
}
CU
    capture simcc places.cu -o places
    expect_status 0
    for threads in 1 3 16; do
        capture env SIMCC_THREADS=$threads ./places
        expect_output "0 moved, 0 beyond $threads, 0 elsewhere"
    done
    capture simcc -G -run places.cu
    expect_status 0
}

@test "a loop that makes progress by itself is compiled as written" {
    file loops.cu <<'CU'
__device__ unsigned seed;
__device__ unsigned draw() { seed = seed * 5 + 1; return seed; }
__device__ void advance(int& i, int j) { i = j + 1; }
constexpr int small(int n) { while (n > 100); return n; }
__global__ void k(int* p, int n, const char* s, char* d, int (*f)(int)) {
    int v = 0, i{small(3)};
    do {} while (0);
    do { v = *p; if (v) break; } while (false);
    while ((*d++ = *s++) != 0);
    while (s[++i]) {}
    for (; s[i]; ++i);
    for (i = 0; s[i]; i += 1) {}
    while (p[i] != i) i = p[i];
    while ((v = p[v]) != 0);
    while (v < n) v <<= 1;
    while (draw() < 3u);
    while (p[i]) advance(i, i);
    while (f(i) + (*f)(i));
    while (p[i]) p[i] = 0;
    while (v) *p = 0;
    while (v != 3) { if (v == 1) v = 2; else v = 3; }
    do { i = v; v = n; n = p[i]; } while (n);
    do if (i) { i--; } else i = 3; while (p[i]);
    while ([&] { return i--; }() > 0);
    while (atomicAdd(p, 0) == 0);
    while (clock64() < n);
    while (true);
}
CU
    simcc -cuda loops.cu
    # The lines after the first contain only what was written, apart from the qualifiers.
    diff <(sed '1,5d' loops.cu) <(sed '1,/int v = 0, i{small/d' loops.cu.cpp.ii | sed '1i\    int v = 0, i{small(3)};') || complain "expected no change"
    # Columns after a waiting loop stay the same.
    printf '__global__ void k(volatile int* p) { while (*p == 0); do {} while (*p < 2); int x = y; }\n' >column.cu
    capture simcc -Wall -Wextra column.cu
    expect_status 1 && expect_errors_like 'column.cu:1:85: error: .y. was not declared'
}

@test "a launch that does not fit its kernel, or is not closed, is an error at its line" {
    printf '__global__ void k(int* p) {}\nint main() {\n    k<<<1, 1>>>("text");\n}\n' >fit.cu
    capture simcc fit.cu
    expect_status 1
    expect_errors_like "fit.cu:3:17: error: cannot convert .*const char\*.* to .*int\*"
    [ "$(grep -c 'error: ' <<<"$errors")" -eq 1 ] || complain "the error is reported more than once"
    grep -q 'launch.hpp' <<<"$errors" && complain "a header of the simulator is named"
    printf '__global__ void k(int* p, int n) {}\nint main() {\n    k<<<1, 1>>>(nullptr, 1, 2);\n}\n' >many.cu
    capture simcc many.cu
    expect_status 1
    expect_errors_like 'many.cu:3:[0-9]*: error: too many arguments'
    [ "$(grep -c 'error: ' <<<"$errors")" -eq 1 ] || complain "the error is reported more than once"
    printf '__global__ void k(int* p) {}\nint main() {\n    k<<<1, 1>>>([] { return 1; });\n}\n' >lambda.cu
    capture simcc lambda.cu
    expect_status 1
    expect_errors_like 'lambda.cu:3:[0-9]*: error: .*arguments of this launch do not fit'
    grep -q 'launch.hpp' <<<"$errors" && complain "a header of the simulator is named"
    printf '__global__ void k() {}\nint main() {\n    k<<<1, 1>>;\n}\n' >open.cu
    capture simcc open.cu
    expect_status 1
    expect_errors_like 'open.cu:3:6: error: .*not closed'
    printf '#include "missing.h"\n' >missing.cu
    capture simcc missing.cu
    expect_status 1
    expect_errors_like 'missing.cu:1:10: fatal error: missing.h'
}

@test "a bracket that is never closed, or closes nothing, is an error at its place" {
    printf '__global__ void k() {}\nint main() {\n    if (true) {\n    k<<<1, 1>>>();\n}\n' >unclosed.cu
    capture simcc unclosed.cu
    expect_status 1
    expect_errors_like "unclosed.cu:2:12: error: this '\{' is never closed"
    printf '__global__ void k(int* p) { p[0) = 1; }\n' >mixed.cu
    capture simcc -c mixed.cu
    expect_status 1
    expect_errors_like "mixed.cu:1:30: error: this '\[' is never closed"
    printf 'int main() { return 0; }}\n' >extra.cu
    capture simcc extra.cu
    expect_status 1
    expect_errors_like "extra.cu:1:25: error: this '\}' closes nothing"
}

# ---- the command line

@test "options of nvcc are accepted in all spellings" {
    file flags.cu <<'CU'
#include <cstdio>
#include "value.h"
__global__ void k() { printf("%d %d %d %d", __CUDA_ARCH__, VALUE, A, B); }
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
CU
    mkdir include
    echo '#define VALUE 7' >include/value.h
    capture simcc -O2 -g -w -lineinfo -rdc=true -arch=sm_80 -Xptxas -v,-O3 -maxrregcount 32 --use_fast_math --expt-relaxed-constexpr \
        --extended-lambda -cudart static -m64 -t 2 -ccbin g++ -std c++17 -Iinclude -DA=1 -D B=2 -DC -U C -Xcompiler -Wall,-Wextra \
        -Xlinker --as-needed -lm -L. -lcudart -run flags.cu
    expect_status 0
    [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "expected a check without findings"
    expect_output "800 7 1 2"
    [ ! -e a.out ] || complain "expected -run to delete the program"
    capture simcc --gpu-architecture sm_75 --include-path include --define-macro=A=3 --define-macro B=4 --optimize 1 --run flags.cu
    expect_status 0
    expect_output "750 7 3 4"
    capture simcc -gencode arch=compute_86,code=sm_86 -isystem include -DA -DB --run --no-check flags.cu
    expect_status 0
    expect_no_errors
    expect_output "860 7 1 1"
}

@test "an unknown option is an error that names the nearest one, unless unknown options go to g++" {
    local option
    echo 'int main() { return 0; }' >x.cu
    for option in --chekc -chekc --chekc=all; do
        capture simcc $option x.cu
        expect_status 2
        expect_refusal simcc "^simcc: unknown option '${option%=*}'; did you mean '-?-check'\?; simcc --help"
    done
    capture simcc -zeal x.cu
    expect_status 2
    expect_refusal simcc "unknown option '-zeal'"
    capture simcc --fast x.cu
    expect_status 2
    expect_refusal simcc "unknown option '--fast'"
    capture simcc -dryrun -mtune=native -forward-unknown-to-host-compiler x.cu
    expect_status 0
    expect_errors_like ' -mtune=native '
}

@test "every option in nvcc's help is known, or one of those that the simulator refuses" {
    need nvcc
    local name argument rest
    echo 'int main() { return 0; }' >x.cu
    # "--library <library>,...  (-l)": with a value if there is one
    nvcc --help | grep -E '^--[a-zA-Z]' | while read -r name argument rest; do
        case $name in
            # Windows, lists of architectures, other files
            --use-local-env | --force-cl-env-setup | --*drive-prefix | --list-gpu-* | --options-file | --clean-targets) continue ;;
            --compile-as-tools-patch | --fdevice-syntax-only | --profile) continue ;;
        esac
        if [[ $argument == \(* || $argument == --* ]]; then argument=; else argument=none; fi
        echo "${name%% *} $argument"
    done >names
    [ "$(wc -l <names)" -gt 90 ]
    while read -r name argument; do
        status=0
        simcc -dryrun "$name" ${argument:+"$argument"} x.cu >out 2>errors </dev/null || status=$?
        ! grep -e 'unknown option' errors || complain "$name $argument"
    done <names
}

@test "simcc offers its own options for shell completion" {
    capture simcc --complete -c --ch
    expect_status 0
    expect_no_errors
    [ "$(cut -f 1 <<<"$output")" = --check ]
    [ "$(simcc --complete -arc | cut -f 1)" = -arch ]
    [ -z "$(simcc --complete '')$(simcc --complete main)" ]  # left to the shell: file names
}

@test "a C file compiles silently in every kind of build" {
    local kind
    printf 'int twice(int *class) { return 2 * *class; }\n' >host.c
    printf 'extern "C" int twice(int*);\nint main() { int n = 21; return twice(&n); }\n' >main.cu
    for kind in -O2 -G '-g -std=c++20' '-Xcompiler -Wall,-Wextra'; do
        # shellcheck disable=SC2086  # options
        capture simcc $kind main.cu host.c -o twice
        expect_status 0
        expect_no_errors
        SIMCC_CHECK=none capture ./twice
        expect_status 42
    done
    capture simcc -x c -c host.c
    expect_status 0
    expect_no_errors
}

@test "macros of the command line change the program, but no header" {
    printf '#include <vector>\n__global__ void k(int* p) { *p = N; }\nint main() { int* p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p - T; }\n' >n.cu
    capture simcc -DN=40 -DT=7 -DA -DB -DR=r -DBLOCK=256 -run -no-check n.cu
    expect_status 33
    expect_no_errors
}

@test "-run passes the program's arguments and exit code on" {
    printf '#include <cstdio>\nint main(int n, char** a) { puts(a[n - 1]); return n; }\n' >code.cu
    capture simcc -run --run-args one,two code.cu
    expect_status 3
    expect_output two
}

@test "-run-args separates at commas and blanks, and quotes and backslashes keep both, as in a shell" {
    printf '#include <cstdio>\nint main(int n, char** a) { for (int i = 1; i < n; ++i) printf("<%%s>", a[i]); }\n' >code.cu
    simcc code.cu -o code
    reads() {
        capture simcc -dryrun -run -run-args "$1" code.cu
        expect_status 0
        # shellcheck disable=SC2086  # what simcc shows is a line for a shell
        [ "$(eval "./code ${errors##*/a.out}")" = "$2" ] || complain "$1 became $(eval "./code ${errors##*/a.out}")"
    }
    reads 'a b,c' '<a><b><c>'
    reads "'a b' c" '<a b><c>'
    reads '"a b,c",d' '<a b,c><d>'
    reads 'a\ b,x\,y' '<a b><x,y>'
    reads "a'b c'd,\"\",e" '<ab cd><><e>'
    reads '"\"",'"'\\'" '<"><\>'
    capture simcc -run -run-args "'a b" code.cu
    expect_status 2
    expect_refusal simcc "a quote is not closed"
}

@test "options that the simulator cannot honor are refused" {
    for option in -optix-ir -ltoir -lcusparse; do
        capture simcc $option x.cu
        expect_status 2
        expect_refusal simcc "^simcc: $option: the "
    done
    for arguments in "" "x.f90" "-o" "-arch sm_1 x.cu" "-o x.o -c x.cu y.cu" "-run -c x.cu" "-x ada x.cu"; do
        # shellcheck disable=SC2086  # words, or none
        capture simcc $arguments
        expect_status 2
        expect_refusal simcc "^simcc: "
    done
}

@test "help and version go to standard output" {
    capture simcc --help
    expect_status 0
    expect_no_errors
    expect_output_like '^Usage: simcc '
    capture simcc -h
    expect_status 0
    expect_no_errors
    [ "$(wc -L <stdout)" -le 80 ] && [ "$(wc -l <stdout)" -le 28 ] || complain "simcc -h does not fit a screen"
    [ "$(grep -c '^  -' stdout)" -eq 10 ] || complain "simcc -h: expected ten options"
    capture simcc --version
    expect_status 0
    expect_no_errors
    expect_output_like '^simcc \(gridutils\) [0-9.]+ \([0-9a-z-]+\)'$'\nanswers as nvcc: '
}

@test "the examples of -h run" {
    local example
    echo 'int main() { return 0; }' >mine.cu
    simcc -h | sed -n '/^Examples:$/,/^$/s/^  //p' >examples
    [ "$(wc -l <examples)" -eq 2 ]
    while read -r example; do
        capture bash -c "$example"
        expect_status 0 || return
    done <examples
}

@test "-fsyntax-only reports errors and writes no object" {
    echo '__global__ void nothing() {}' >right.cu
    echo '__global__ void nothing() { missing(); }' >wrong.cu
    capture simcc -Xcompiler -fsyntax-only -MMD -MF right.d -c right.cu -o right.o
    expect_status 0
    [ ! -e right.o ]
    grep -q '^right.o:' right.d
    capture simcc -Xcompiler -fsyntax-only -c wrong.cu -o wrong.o
    expect_status 1
    expect_errors_like "wrong.cu:1:.*'missing' was not declared"
}

@test "objects, rewritten sources, dependencies and archives are named as nvcc names them" {
    cp "$programs"/separate* .
    simcc -c -MMD separate_main.cu
    expect_line() { grep -qx "$2" "$1" || complain "expected in $1: $2"; }
    expect_line separate_main.d 'separate_main.o: separate_main.cu separate.h'
    simcc -c -MMD -MP -MF deps -MT 'a b' separate_main.cu -o other.o
    expect_line deps 'a b: separate_main.cu separate.h'
    expect_line deps 'separate.h:'
    capture simcc -MM separate_main.cu
    expect_output 'separate_main.o: separate_main.cu separate.h'
    mkdir objects
    simcc -c -odir objects separate_main.cu separate_device.cu separate_host.cpp
    simcc -lib objects/*.o -o all.a
    simcc all.a -o from_archive
    prints from_archive "40 46 2 no error"
    simcc -cuda separate_device.cu
    g++ -std=c++17 -fpreprocessed -c separate_device.cu.cpp.ii -o rewritten.o
    capture simcc -E separate_device.cu
    expect_status 0
    expect_output_like 'tally<<<blocks, 1>>>'
    cp separate_host.cpp plain
    simcc -x c++ -c plain -o plain.o
}

@test "a shared host library may contain kernels" {
    printf '__global__ void k(int* p) { *p = 5; }\nextern "C" void start(int* p) { k<<<1, 1>>>(p); }\n' >part.cu
    file whole.cu <<'CU'
#include <cstdio>
extern "C" void start(int*);
int main() { int* p; cudaMallocManaged(&p, 4); start(p); cudaDeviceSynchronize(); printf("%d\n", *p); }
CU
    simcc -c -Xcompiler -fPIC part.cu -o part.o
    simcc whole.cu part.o -o whole
    prints whole 5
}

@test "temporary files are gone after success, failure and interruption" {
    export TMPDIR=$scratch/temporary
    mkdir "$TMPDIR"
    echo 'int main() {}' >fine.cu
    echo 'int main() {' >broken.cu
    simcc fine.cu -o fine
    capture simcc broken.cu
    expect_status 1
    printf '#include <cstdio>\n#include <unistd.h>\nint main() { fopen("started", "w"); sleep(20); }\n' >slow.cu
    ulimit -c 0
    # A waiting compiler can be interrupted at any time; it leaves a temporary file.
    local signal
    printf '#!/bin/sh\n: >"$TMPDIR/of-the-compiler"\n: >started\nexec sleep 20\n' >waits && chmod +x waits
    for signal in HUP INT QUIT ABRT USR1 SEGV PIPE ALRM TERM XCPU XFSZ IO RTMIN; do
        rm -f started
        CXX=$PWD/waits env --default-signal "$root/bin/simcc" fine.cu -o interrupted 3>&- 2>/dev/null &
        until [ -e started ]; do sleep 0.02; done
        kill -s $signal $!
        status=0
        wait $! 2>/dev/null || status=$?
        [ "$status" -eq $((128 + $(kill -l $signal))) ] || complain "expected the end by $signal" || return
        [ -z "$(ls -A "$TMPDIR")" ] || complain "left behind: $(ls -A "$TMPDIR")" || return
    done
    rm -f started
    simcc -run slow.cu 3>&- &
    until [ -e started ]; do sleep 0.1; done
    kill -TERM $!
    status=0
    wait $! || status=$?
    [ "$status" -eq 143 ] || complain "expected 143 after SIGTERM"
    [ -z "$(ls -A "$TMPDIR")" ] || complain "left behind: $(ls -A "$TMPDIR")"
    [ ! -e interrupted ]
    [ "$(find . -name '.gridutils-*')" = "" ]
    export TMPDIR=$scratch/nowhere
    capture simcc fine.cu
    expect_status 3
    expect_refusal simcc 'nowhere/.*set TMPDIR'
}

@test "no result is written over a source, an included file or another result" {
    local name
    echo '#define ANSWER 42' >answer.h
    printf '#include "answer.h"\nint main() { return ANSWER; }\n' >kept
    cp kept mine.cu && ln mine.cu hard && ln -s mine.cu soft && mkdir folder && cp kept folder/mine.cu
    # refuses_to_write NAME ARGUMENT...
    refuses_to_write() {
        local written=$1
        shift
        capture simcc "$@"
        expect_status 2
        expect_refusal simcc "written (over|to) '?$written'?"
    }
    for name in mine.cu ./mine.cu hard soft "$PWD/mine.cu"; do
        refuses_to_write "the input 'mine.cu" mine.cu -o "$name"
        refuses_to_write "the input 'mine.cu" -c mine.cu -o "$name"
        refuses_to_write "the input 'mine.cu" -E mine.cu -o "$name"
        refuses_to_write "the input 'mine.cu" -cuda mine.cu -o "$name"
        refuses_to_write "the input 'mine.cu" -MM mine.cu -MF "$name"
        refuses_to_write "the input 'mine.cu" -c mine.cu -MMD -MF "$name"
        refuses_to_write "the input 'mine.cu" -lib mine.cu -o "$name"
    done
    refuses_to_write "answer.h" mine.cu -o answer.h
    refuses_to_write "the input 'answer.h" -c mine.cu -include answer.h -o ./answer.h
    cp kept a.out
    refuses_to_write "the input 'a.out" -x cu a.out
    cp kept other.cu
    cp kept x.o
    refuses_to_write "the input './x.o" -c -x cu mine.cu -x none ./x.o -o x.o
    refuses_to_write "x.d" -c mine.cu -MMD -o x.d
    refuses_to_write "mine.o" -c mine.cu folder/mine.cu
    refuses_to_write "deps" -MMD -MF deps mine.cu other.cu
    cmp kept mine.cu
    cmp kept a.out
    [ "$(cat answer.h)" = '#define ANSWER 42' ]
    [ ! -e mine.o ]
    [ ! -e deps ]
    [ -L soft ]
}

@test "results go through links, keep a file's mode and hard links, and may go to standard output" {
    echo 'int main() { return 5; }' >five.cu
    echo old >program && chmod 700 program && ln -s program link
    echo old >object.o && chmod 600 object.o && ln object.o other.o
    simcc -c five.cu -o object.o
    simcc object.o -o link
    [ -L link ]
    [ "$(stat -c %a program)" = 700 ]
    [ "$(stat -c '%a %h' object.o)" = "600 2" ]
    cmp object.o other.o
    capture ./link
    expect_status 5
    (umask 027 && simcc object.o -o new)
    [ "$(stat -c %a new)" = 750 ]
    simcc -c five.cu -o - >again.o
    cmp object.o again.o
    simcc -E five.cu -o - | grep -q 'return 5'
    simcc -cuda five.cu -o /dev/stdout | grep -q 'return 5'
    simcc object.o -o /dev/null
    [ -c /dev/null ]
    [ ! -e ./- ]
    echo precious >kept
    capture simcc -c missing.cu -o kept
    expect_status 1
    [ "$(cat kept)" = precious ]
    capture simcc -c five.cu -o no/such/folder.o
    expect_status 5
    expect_refusal simcc "cannot write 'no/such/folder.o': No such file or directory"
    capture bash -c 'simcc object.o -o /dev/full'
    expect_status 5
    expect_refusal simcc "/dev/full': No space left on device"
    capture bash -c 'ulimit -c 0 -f 8; simcc object.o -o small'
    [ "$status" -ne 0 ]
    [ ! -e small ]
    [ -z "$(find . -name '.gridutils-*')" ]
}

@test "the compiler comes from CXX and its absence is explained" {
    echo 'int main() { return 4; }' >four.cu
    CXX="env g++" capture simcc -run four.cu
    expect_status 4
    CXX=/no/such/g++ capture simcc four.cu
    expect_status 1
    # (Under qemu, a missing program fails silently.)
    [ -n "${QEMU_LD_PREFIX-}" ] || expect_errors_like '/no/such/g\+\+.*set CXX'
}

@test "a product and a sum are rounded twice, even if the processor has a fused instruction" {
    cat >rounding.cu <<'end'
#include <cstdio>
__global__ void k(float* r, float a, float b) { r[0] = a * a + b; r[1] = fmaf(a, a, b); }
int main() {
    float *d, h[2];
    cudaMalloc(&d, sizeof h);
    k<<<1, 1>>>(d, 1 + 0x1p-12f, -1 - 0x1p-11f);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%a %a", h[0], h[1]);
}
end
    local fused=()
    if grep -qw fma /proc/cpuinfo && [[ $("${CXX:-g++}" -dumpmachine) == x86_64* ]]; then fused=(-Xcompiler -mfma); fi
    simcc "${fused[@]}" rounding.cu -o rounding
    prints ./rounding '0x0p+0 0x1p-24'
}

@test "sequentially consistent loads of cuda::atomic wait for the stores before them" {
    need objdump
    cat >order.cu <<'end'
#include <cuda/atomic>
extern "C" __global__ void ordered(cuda::atomic<int>* a, int* r) { a[0].store(1); *r = a[1].load(); }
extern "C" __global__ void acquiring(cuda::atomic<int>* a, int* r) { *r = a[1].load(cuda::memory_order_acquire); }
end
    simcc -O2 -c order.cu -o order.o
    local fence='mfence|lock or|dmb\s+ish$'
    objdump -d --disassemble=ordered order.o | grep -qE "$fence" || complain "no fence"
    [[ $("${CXX:-g++}" -dumpmachine) != x86_64* ]] || ! objdump -d --disassemble=acquiring order.o | grep -E "$fence"
}

@test "clang++ as the compiler builds the same programs; what needs g++ says so" {
    [ "${SANITIZE-}" != address ] || skip "clang++ cannot link what AddressSanitizer of g++ has instrumented"
    need clang++
    for name in shared warps; do
        CXX=clang++ capture simcc -O1 -Wall "$BATS_TEST_DIRNAME/simcc/$name.cu" -o $name
        expect_status 0
        expect_no_errors
        ./$name >$name.out
        simcc -O1 "$BATS_TEST_DIRNAME/simcc/$name.cu" -o $name
        ./$name | cmp - $name.out
    done
    echo 'int main() { return 4; }' >four.cpp
    CXX=clang++ simcc four.cpp -o four
    capture ./four
    expect_status 4
    for option in -G --check; do
        CXX="env clang++" capture simcc $option "$BATS_TEST_DIRNAME/simcc/hello.cu" -o hello
        expect_status 1
        expect_refusal simcc '-G and --schedule lockstep need the instrumentation of g\+\+.*set CXX=g\+\+'
        [ ! -e hello ]
    done
}

@test "several simcc processes for a program with many threads at once do not mix" {
    for i in 1 2 3 4; do
        printf '#include <cstdio>\n__global__ void k() { printf("%%d", %d); }\nint main() { k<<<1, 2>>>(); return cudaDeviceSynchronize(); }\n' $i >same.cu
        mkdir dir$i && mv same.cu dir$i
    done
    for i in 1 2 3 4; do (cd dir$i && simcc same.cu -o same) & done
    wait
    for i in 1 2 3 4; do prints dir$i/same $i$i; done
}

# ---- large grids

@test "a cooperative grid may fill the device, even if the system limits guard pages, and overflows are found" {
    builds full_grid -O1
    # Old systems make guard pages by mappings, whose number may be limited: here to none, or to the system's limit.
    file old_system.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int mprotect(void* start, size_t bytes, int protection) {
    if (protection != 0 || getenv("NO_GUARDS") == NULL) return syscall(SYS_mprotect, start, bytes, protection);
    errno = ENOMEM;
    return -1;
}
int madvise(void* start, unsigned long bytes, int advice) {
    if (advice != 102) return syscall(SYS_madvise, start, bytes, advice);
    errno = EINVAL;
    return -1;
}
C
    g++ -x c -shared -fPIC old_system.c -o old_system.so
    local -a system
    local name depth
    for name in "" LD_PRELOAD=./old_system.so "LD_PRELOAD=./old_system.so NO_GUARDS=1"; do
        if [ -n "$name" ] && [ "${SANITIZE-}" = address ]; then break; fi  # AddressSanitizer has to be the first library
        read -r -a system <<<"SIMCC_THREADS=32 $name"
        for depth in 40:cudaSuccess 80:cudaErrorIllegalAddress; do
            # 65,536 threads: more than some systems allow mappings.
            capture env "${system[@]}" ./full_grid "${depth%:*}"
            expect_status 0
            expect_output "256 blocks, cudaSuccess, 1
${depth#*:}"
        done
        [ "$(grep -c . stderr)" -eq 1 ] || complain "one message is expected"
        expect_errors_like "block \(255,0,0\): a thread used more stack than the 252 KiB that each has"
    done
}

# ---- Thrust

# builds_thrust [OPTION]...: builds the program that needs the toolkit's headers.
builds_thrust() {
    has_checkers_for "$@"
    capture once thrust simcc "$@" "$programs/toolkit/thrust.cu" -o thrust
    expect_status 0 && expect_no_errors && expect_output ""
}

# Thrust comes with a toolkit, not with the simulator.
need_thrust() {
    simcc -x cu -E - <<<'#include <thrust/version.h>' >/dev/null 2>&1 || skip "no CUDA toolkit with Thrust"
}

@test "Thrust's algorithms run between kernels and copies, in the order of their streams" {
    need_thrust
    builds_thrust -O0
    prints thrust "21 checks, cudaSuccess"
    prints thrust "thrust::sort: cudaErrorIllegalAddress: an illegal memory access was encountered
21 checks, cudaSuccess" fail
}

@test "Thrust sorts keys of every type and sign like the standard library, on host and device" {
    need_thrust
    local build
    for build in -O0 "-G -O1 -DONE_TYPE"; do
        # shellcheck disable=SC2086  # options
        capture simcc $build "$programs/toolkit/thrust_sort.cu" -o sorts
        expect_status 0 && expect_output "" && expect_no_errors || return
        capture ./sorts
        expect_status 0 && expect_output_like "^(204|60) checks, cudaSuccess$" || return
    done
    expect_errors_like "ERROR SUMMARY: 0 errors"
}

@test "threads that wait in the toolkit's semaphores, latches and atomics let others run" {
    need_thrust
    local build threads
    for build in -O1 "-G -O1"; do
        # shellcheck disable=SC2086  # options
        capture simcc $build "$programs/toolkit/semaphores.cu" -o semaphores
        expect_status 0 && expect_output "" && expect_no_errors || return
        for threads in 1 3; do
            capture env SIMCC_THREADS=$threads SIMCC_TIMEOUT=5 ./semaphores
            expect_status 0 || return
            expect_output "200 entered, at most 3 at once
handed over 11
21 21 21, cudaSuccess" || return
        done
    done
    expect_errors_like "ERROR SUMMARY: 0 errors"
}

@test "the checkers see Thrust's algorithms as kernels, ordered and not" {
    need_thrust
    builds_thrust -G -DORDER_ONLY -O1
    prints thrust "4 checks, cudaSuccess"
    expect_errors_like "ERROR SUMMARY: 0 errors"
    capture ./thrust race
    expect_status 86
    expect_errors_like "Race reported between Write access at .*fill_functor"
}

@test "simcc shows steps over a second on a terminal, and clears them for the compiler's messages" {
    need script
    local screen
    # A compiler that runs until its progress has been seen.
    cat >slow <<'EOF'
#!/bin/sh
case " $* " in *" -fpreprocessed "*) timeout 60 sh -c 'until grep -s -q "(1 of 2), [1-9]" screen; do sleep 0.05; done' ;; esac
exec ${REAL_CXX:-g++} "$@"
EOF
    chmod +x slow
    printf '__global__ void k() { int unused; }\nint main() { k<<<1, 1>>>(); }\n' >a.cu
    echo >b.cpp
    export TERM=xterm REAL_CXX=${CXX:-g++}
    screen=$(CXX=$PWD/slow on_terminal 80 "simcc -Wall a.cu b.cpp -o program")
    [[ $screen == *"simcc: compiling a.cu (1 of 2), "[1-9]* ]] || complain "saw: $screen"
    # The line disappears before the message, which is in color.
    [[ $screen == *$'\e[K'*"unused variable"* && $screen == *$'\e[01;35m'* ]] || complain "saw: $screen"
    [ -x program ]
    capture simcc --progress always a.cu b.cpp -o program
    expect_status 0
    expect_errors_like 'simcc: compiling a.cu \(1 of 2\).*simcc: compiling b.cpp \(2 of 2\).*simcc: linking program'
    capture simcc a.cu -o program
    expect_no_errors
    capture simcc --progress maybe a.cu
    expect_status 2
    expect_refusal simcc "'maybe' is not one of auto, always, never"
}

@test "error codes have the names and numbers of CUDA's headers, if these are installed" {
    local headers
    headers=$(dirname "$(command -v nvcc || echo none)")/../include/driver_types.h
    [ -f "$headers" ] || skip "no CUDA headers"
    [ "$(grep -c 'define CUDART_VERSION *130' "${headers%/*}/cuda_runtime_api.h")" = 1 ] || skip "headers of another CUDA"
    # codes FILE: cudaSuccess 0, ...
    codes() { grep -o -E 'cuda(Success|Error[A-Za-z0-9]+)(, | += +)[0-9]+' "$1" | sed -E 's/(, | += +)/ /' | sort -u; }
    # (ApiFailureBase is not an error: codes of old drivers began there.)
    codes "$headers" | grep -v ApiFailureBase >theirs && codes "$root/common/simt/include/simt/error_codes.h" >ours
    [ "$(wc -l <ours)" -ge 100 ]
    diff theirs ours
}

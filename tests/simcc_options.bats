#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# simcc's command line against its page and against nvcc: every option does what simcc(1) says, libraries work where a
# plain program opens them, options come from files, and macros are those that nvcc defines for the same flags.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH

# Writes standard input to the file NAME.
file() { cat >"$1"; }

# The options of the page, a line each: all spellings, then the argument if there is one.
options_of_page() {
    sed -n '/^\.Ss What to build/,/^Options of$/p' "$root/man/simcc.1" |
        sed -nE 's/^\.It Fl (.*)/ \1/; s/ (Cm|Ar|Op|Ns) .*//; s/ , / /g; s/^ (.*)/\1/p'
}

# ---- every option of the page

# A program in parts that most rows use.
parts() {
    file main.cu <<'CU'
#include <cstdio>
#include "value.h"
#ifndef A
#define A 0
#endif
__global__ void add(int* sum, int n);
__managed__ int sum;
int main(int count, char** arguments) {
    add<<<1, 32>>>(&sum, A + VALUE);
    int error = cudaDeviceSynchronize();
    printf("%d %s\n", sum, count > 1 ? arguments[count - 1] : "none");
    return error;
}
CU
    echo '__global__ void add(int* sum, int n) { if (threadIdx.x == 0) *sum += n; }' >add.cu
    mkdir -p include out
    echo '#define VALUE 7' >include/value.h
    echo '#define VALUE 8' >value8.h
}

# says COMMAND...: runs it and prints both streams, on one line; fails with the command.
says() { "$@" 2>&1 | tr '\n' ' '; }

# exercise OPTION: one use of the option that shows its effect. An option without a row fails.
exercise() {
    local build="simcc -O0 -Iinclude" object
    case $1 in
        o) $build main.cu add.cu -o here && [ "$(./here)" = "7 none" ] ;;
        c) $build -c add.cu -o c.o && nm -C c.o | grep -q 'add(int\*, int)' ;;
        dc) $build -dc main.cu -o dc.o && $build -dc add.cu -o add_dc.o && simcc dc.o add_dc.o -o dc && ./dc ;;
        dlink) $build -dlink add.o -o linked.o && [ -s linked.o ] && [ -z "$(nm linked.o)" ] ;;
        cubin | fatbin) $build -$1 add.cu && nm -DC add.$1 | grep -q 'T add(int\*, int)' ;;
        ptx) $build -ptx add.cu && sed 1d add.ptx | base64 -d >add.cubin && nm -DC add.cubin | grep -q 'T add(int\*, int)' ;;
        lib) $build -lib add.cu -o add.a && nm -C add.a | grep -q 'T add(' && $build main.cu add.a -o lib && ./lib ;;
        shared) $build -shared add.cu -o libadd.so && nm -CD libadd.so | grep -q 'T add(int\*, int)' ;;
        E) $build -E add.cu | grep -q '__global__ void add' ;;
        cuda) $build -cuda add.cu -o add.ii && g++ -std=c++17 -w -x c++ -fpreprocessed -c add.ii -o add_ii.o ;;
        run) [ "$($build main.cu add.cu -run)" = "7 none" ] && [ ! -e a.out ] ;;
        run-args) [ "$($build main.cu add.cu -run -run-args 'a,b c')" = "7 c" ] ;;
        odir) $build -c add.cu -odir out && [ -s out/add.o ] ;;
        t | j)
            # Each source waits for the other's object to begin, so that both must be compiled at once.
            cat >wait <<'.'
#!/bin/sh
case "$*" in
    *" -c "*) [ ! -e wait.count ] || : >wait.both; : >>wait.count; for _ in $(seq 600); do [ ! -e wait.both ] || break; sleep 0.1; done ;;
esac
exec g++ "$@"
.
            chmod +x wait && rm -f wait.count wait.both
            printf 'int x = y;\n' >bad1.cu && printf 'int z = w;\n' >bad2.cu
            CXX=$PWD/wait $build -"$1" 2 main.cu add.cu -o at_once || return
            [ -e wait.both ] || return
            [ "$(./at_once)" = "7 none" ] || return
            if simcc -"$1" 0 -c bad1.cu add.cu bad2.cu 2>said; then return 1; fi
            grep -q 'bad1.cu:1' said || return
            [ -z "$(sed -n '/bad2/,$p' said | grep bad1)" ] ;;
        I) simcc -E -I include main.cu | grep -q '0 + 7' ;;
        no-check)
            echo 'int main() { int* p; cudaMalloc(&p, 4); }' >leak.cu
            simcc -run leak.cu 2>&1 | grep -q 'ERROR SUMMARY' || return
            [ -z "$(simcc -run -no-check leak.cu 2>&1)" ] ;;
        schedule)
            simcc -schedule lockstep "$root/tests/simcc/warp_steps.cu" -o in_step && ./in_step >stepped || return
            simcc -schedule independent -w "$root/tests/simcc/warp_steps.cu" -o alone && ! ./alone | cmp -s - stepped ;;
        any-ptx)
            echo '__global__ void k() { asm volatile("wgmma.fence.sync.aligned;"); }' >any.cu
            if simcc -c any.cu; then return 1; fi
            simcc -any-ptx -c any.cu 2>&1 | grep -q 'warning' ;;
        isystem) simcc -E -isystem include main.cu | grep -q '0 + 7' ;;
        D) [ "$($build -D A=3 main.cu add.cu -run)" = "10 none" ] ;;
        U) $build -DA=3 -U A -E main.cu | grep -q '0 + 7' ;;
        include) mkdir -p empty && : >empty/value.h && simcc -Iempty -include value8.h -E main.cu | grep -q '0 + 8' ;;
        std) echo 'static_assert(__cplusplus == 202002L);' >std.cu && simcc -std=c++20 -c std.cu && ! simcc -c std.cu 2>/dev/null ;;
        x) cp add.cu add.txt && simcc -x cu -c add.txt -o x.o && nm -C x.o | grep -q 'add(int\*, int)' ;;
        arch) [ "$(echo __CUDA_ARCH__ | simcc -arch sm_80 -E -x cu - | tail -1)" = 800 ] ;;
        gencode) [ "$(echo __CUDA_ARCH__ | simcc -gencode arch=compute_75,code=sm_75 -E -x cu - | tail -1)" = 750 ] ;;
        rdc)
            echo '__device__ int v;' >v.cu
            simcc -rdc=true -c v.cu -o v.o && nm v.o | grep -q ' B v$' && simcc -rdc=false -c v.cu -o v.o && ! nm v.o | grep ' B v$'
            ;;
        lanes) printf '__global__ void k(int *p) { *p = 1; __syncthreads(); }' | simcc -lanes explain -cuda -x cu /dev/stdin -o lanes.ii 2>&1 | grep -q 'run in loops' ;;
        default-stream) simcc -default-stream per-thread -E -Xcompiler -dM -x cu /dev/null | grep -q 'CUDA_API_PER_THREAD_DEFAULT_STREAM 1' ;;
        O) simcc -O 1 -dryrun -c add.cu 2>&1 | grep -q ' -O1 ' && simcc -dryrun -c add.cu 2>&1 | grep -q ' -O3 ' ;;
        G)
            echo '__global__ void k(int* p) { *p = 1; } int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() == 0; }' >bad.cu
            status=0 && simcc -G bad.cu -o bad && ./bad 2>findings || status=$?
            grep -q 'Invalid __global__ write' findings && return "$((status != 86))"
            return 1
            ;;
        g) simcc -g -c add.cu -o g.o && readelf --debug-dump=info g.o | grep -q DW_TAG_formal_parameter ;;
        w) echo '#warning heard' >warning.cu && simcc -c warning.cu 2>&1 | grep -q heard && [ -z "$(says simcc -w -c warning.cu)" ] ;;
        L) ar rcs out/libplus.a add.o && $build main.cu -L out -lplus -o L && ./L ;;
        l) ar rcs out/libplus.a add.o && $build main.cu -Lout -l plus -lcudart -o l && ./l && ! simcc -lcusparse main.cu 2>/dev/null ;;
        Xcompiler) simcc -Xcompiler -DFROM_GXX=5,-Wall -c -x cu - -o X.o <<<'int x = FROM_GXX;' ;;
        Xlinker) $build main.cu add.cu -Xlinker -Map,map.txt -o Xlinker && grep -q simt map.txt ;;
        MMD) $build -MMD -c main.cu && grep -q include/value.h main.d && ! grep cuda_runtime.h main.d ;;
        MD) $build -MD -c main.cu && grep -q cuda_runtime.h main.d ;;
        MM) $build -MM main.cu | grep -q include/value.h ;;
        M) $build -M main.cu | grep -q cuda_runtime.h ;;
        MF) $build -MMD -MF named.d -c main.cu && grep -q include/value.h named.d ;;
        MT) $build -MM -MT target main.cu | grep -q '^target:' ;;
        MQ) $build -MM -MQ 'a$b' main.cu | grep -q '^a\$\$b:' ;;
        MP) $build -MM -MP main.cu | grep -q '^include/value.h:$' ;;
        keep) $build -keep -c add.cu && [ -s add.cu.cpp.ii ] ;;
        v) $build -v -c add.cu 2>&1 | grep -q -e ' -E ' ;;
        dryrun) rm -f dry.o && $build -dryrun -c add.cu -o dry.o 2>&1 | grep -q -e ' -E ' && [ ! -e dry.o ] ;;
        progress) $build -progress always -c add.cu 2>&1 | grep -q add.cu && [ -z "$(says $build -progress never -c add.cu)" ] ;;
        h) simcc -h | grep -q '^Examples:' ;;
        -help) simcc --help | grep -q -e '-MMD' ;;
        V) simcc -V | grep -q '^simcc ' ;;
        print-cuda-home) [ -x "$(simcc -print-cuda-home)/bin/nvcc" ] ;;
        cudart) $build -shared -cudart none add.cu -o libbare.so && ! nm -CD libbare.so | grep -q 'T cudaMalloc' ;;
        optf) echo '-c add.cu -o optf.o' >arguments && simcc -optf arguments && [ -s optf.o ] ;;
        *) return 1 ;;
    esac
}

@test "every option of the page has the effect that the page says" {
    parts
    simcc -O0 -c add.cu
    options_of_page >options
    [ "$(wc -l <options)" -gt 40 ] || complain "the page's options were not found"
    local first rest
    while read -r first rest; do
        exercise "$first" </dev/null >out/said 2>&1 || complain "-$first: no row in this test, or not its effect: $(cat out/said)" || return
    done <options
}

@test "all spellings of an option on the page are one option, and the help has it" {
    simcc --help >help
    options_of_page | while read -r first rest; do
        for name in $first $rest; do
            [ -n "$(simcc --complete "-$name" | cut -f 1 | grep -x -e "-$name")" ] || complain "-$name: unknown to simcc --complete" || return
        done
    done
}

# ---- libraries

@test "a library that a plain program or Python opens runs kernels, in every kind of build" {
    need python3
    file part.cu <<'CU'
__device__ int counter = 3;
__constant__ int factors[2] = {2, 5};
__managed__ int one = 1;
__global__ void k(int* to, int n) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    fixed[threadIdx.x] = n + threadIdx.x;
    dynamic[threadIdx.x] = 1;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < n) to[threadIdx.x] = fixed[63 - threadIdx.x] * factors[1] + counter + dynamic[63 - threadIdx.x] + one;
}
extern "C" int start(int n) {
    int *to, result[64];
    if (cudaMalloc(&to, n * sizeof(int))) return -1;
    k<<<3, 64, 256>>>(to, n);
    const cudaError_t error = cudaMemcpy(result, to, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(to);
    return error ? -error : result[n - 1];
}
CU
    sed 's/start/other/; s/counter = 3/counter = 4/' part.cu >other.cu
    file host.cpp <<'CPP'
#include <dlfcn.h>
#include <cstdio>
int main(int count, char** arguments) {
    for (int i = 1; i + 1 < count; i += 2) {
        void* library = dlopen(arguments[i], RTLD_NOW);
        if (!library) return puts(dlerror()), 1;
        printf("%d\n", reinterpret_cast<int (*)(int)>(dlsym(library, arguments[i + 1]))(10));
        dlclose(library);
    }
}
CPP
    g++ host.cpp -o host -ldl
    # (63 - 9 + 10) * 5 + 3 + 1 + 1
    for flags in -O2 "-G -O0" "-rdc=true -O0"; do
        # shellcheck disable=SC2086  # words
        simcc $flags -shared -Xcompiler -fPIC part.cu -o libpart.so
        # shellcheck disable=SC2086
        simcc $flags -c -Xcompiler -fPIC other.cu -o other.o
        # shellcheck disable=SC2086
        simcc $flags -shared other.o -o libother.so
        capture ./host ./libpart.so start ./libother.so other ./libpart.so start
        expect_status 0
        expect_output "325
326
325"
        capture python3 -c 'import ctypes
one, two = ctypes.CDLL("./libpart.so"), ctypes.CDLL("./libother.so")
print(one.start(10), two.other(10), one.start(20))'
        expect_status 0
        expect_output "325 326 325" || return
    done
}

@test "libraries that a program is linked with share a simulator, and their kernels are checked as a program's" {
    file part.cu <<'CU'
#include <cooperative_groups.h>
__device__ int counter, array[8];
template <int factor>
__device__ __attribute__((noinline)) int number() { return blockIdx.x * 100 + threadIdx.x * factor; }
__global__ void keep(int* out) {
    __shared__ int mine[32];
    mine[threadIdx.x] = number<3>();
    cooperative_groups::this_grid().sync();
    atomicAdd(out, mine[threadIdx.x] == number<3>() && __isShared(mine));
    atomicAdd(&counter, 1);
}
__global__ void fail(int how) {
    __shared__ int tile[32], other[32];
    int* const t = tile;
    if (how == 1) t[threadIdx.x + 32] = 1;
    if (how == 2) other[threadIdx.x] = t[threadIdx.x];
    if (how == 3) counter = threadIdx.x;
    if (how == 4) array[8] = 1;
    if (how == 5) t[0] = threadIdx.x;
}
extern "C" int NAME_keep(int* out) {  // more blocks than threads run them
    void* arguments[] = {&out};
    const cudaError_t error = cudaLaunchCooperativeKernel(keep, 20, 32, arguments);
    int calls = 0;
    cudaMemcpyFromSymbol(&calls, counter, sizeof calls);
    return error ? -error : calls;
}
extern "C" int NAME_fail(int how) {
    fail<<<1, 32>>>(how);
    return cudaDeviceSynchronize();
}
CU
    # The second library's kernels have the same names, and larger variables.
    sed 's/NAME/one/' part.cu >one.cu
    sed 's/NAME/two/; s/int counter/char gap[1000]; __device__ int counter/; s/int tile\[32\]/double gap[40]; gap[threadIdx.x] = 1; __shared__ int tile[32]/' part.cu >two.cu
    file main.cpp <<'CPP'
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
extern "C" int one_keep(int*), two_keep(int*), one_fail(int), two_fail(int);
int main(int, char** arguments) {
    int *out, results[2] = {};
    cudaMalloc(&out, sizeof results);  // the libraries use it, too
    cudaMemset(out, 0, sizeof results);
    const int calls[] = {one_keep(out), two_keep(out + 1), two_keep(out + 1)};
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%d %d %d, %d %d\n", calls[0], calls[1], calls[2], results[0], results[1]);
    const int how = atoi(arguments[1]);
    return how > 0 ? two_fail(how) : one_fail(-how);
}
CPP
    { cat main.cpp && echo '__global__ void keep(int* out) { __shared__ int a[99]; a[threadIdx.x] = *out; }'; } >main.cu
    local flags name how count title main
    for flags in -O2 "-G -O0"; do
        # shellcheck disable=SC2086  # words
        for name in one two; do simcc $flags -shared -Xcompiler -fPIC $name.cu -o lib$name.so; done
        for main in main.cpp main.cu; do
            # shellcheck disable=SC2086
            simcc $flags $main -L. -lone -ltwo -Xlinker -rpath -Xlinker . -o main
            SIMCC_THREADS=3 capture ./main 0
            expect_status 0
            expect_output "640 640 1280, 640 1280" || return
        done
    done
    while read -r how count title; do
        for how in "$how" "-$how"; do
            capture ./main "$how"
            expect_output "640 640 1280, 640 1280"
            expect_errors_like "$title.*ERROR SUMMARY: $count error" || return
        done
    done <<'WHAT'
1 2 Invalid __shared__ write of size 4 bytes.*and is 1 bytes after the array tile of size 128 bytes
2 1 Uninitialized __shared__ memory read of size 4 bytes
3 1 Race reported between Write access
4 2 Invalid __global__ write of size 4 bytes.*of size 32 bytes
5 1 Race reported between Write access
WHAT
    capture python3 -c 'import ctypes
for name in "./libone.so", "./libtwo.so": getattr(ctypes.CDLL(name, ctypes.RTLD_GLOBAL), name[5:8] + "_fail")(0)'
    expect_status 2
    expect_errors_like "simcc: libraries with checked kernels and __shared__ variables that dlopen\(\) has opened share one simulator"
}

@test "a program that is linked statically runs kernels, checked ones, too" {
    file part.cu <<'CU'
#include <cstdio>
__global__ void k(int* to) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *to = s[threadIdx.x];
}
int main() {
    int* to;
    cudaMallocManaged(&to, sizeof *to);
    k<<<1, 1>>>(to);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%d %s\n", *to, cudaGetErrorName(error));
    return error;
}
CU
    local flags
    for flags in -O2 "-G -O0"; do
        # shellcheck disable=SC2086  # words
        simcc $flags -static part.cu -o part 2>/dev/null
        capture ./part
        expect_status 0
        expect_output "0 cudaSuccess" || return
    done
}

# ---- macros

# The macros that a .cu file sees which tell it about nvcc, but for those of the default architecture.
macros_of() { # LANGUAGE COMPILER [OPTION]...
    "${@:2}" -E -Xcompiler -dM -x "$1" /dev/null | grep -E '^#define (__NVCC|__CUDACC|__CUDA_ARCH|CUDART_VERSION|__CUDA_API_VER)' |
        grep -vE '__CUDACC_VER__|__CUDA_ARCH_HAS|__CUDA_ARCH(_FEAT.*|_SPECIFIC__|_FAMILY_SPECIFIC__|__) ' | sort -u
}

@test "macros tell a program about nvcc and its options as nvcc's do" {
    sees() { # MACRO VALUE [OPTION]...; no value: not defined
        local macro=$1 value=$2
        shift 2
        [ "$(simcc "$@" -E -Xcompiler -dM -x cu /dev/null | sed -n "s/^#define $macro //p")" = "$value" ] || complain "$macro is not '$value' with $*"
    }
    sees __NVCC__ 1
    sees __CUDACC__ 1
    sees CUDART_VERSION 13000
    sees __CUDACC_VER_MAJOR__ 13
    sees __CUDACC_VER_MINOR__ 0
    sees __CUDACC_VER_BUILD__ 88
    sees __NVCC_DIAG_PRAGMA_SUPPORT__ 1
    local macro
    for macro in RDC DEBUG EXTENDED_LAMBDA RELAXED_CONSTEXPR EWP; do sees "__CUDACC_${macro}__" ""; done
    sees __CUDACC_RDC__ 1 -rdc=true
    sees __CUDACC_RDC__ "" -rdc=true -rdc=false
    sees __CUDACC_DEBUG__ 1 -G
    sees __CUDACC_EXTENDED_LAMBDA__ 1 --extended-lambda
    sees __CUDACC_EXTENDED_LAMBDA__ 1 -expt-extended-lambda
    sees __CUDACC_RELAXED_CONSTEXPR__ 1 --expt-relaxed-constexpr
    sees __CUDA_ARCH_LIST__ 900
    sees __CUDA_ARCH_LIST__ 750,900 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=sm_75
    sees __CUDA_ARCH__ 900 -arch=all-major
    sees __CUDA_ARCH_FEAT_SM90_ALL 1 -arch=sm_90a
    sees __CUDA_ARCH_FEAT_SM90_ALL "" -arch=sm_90
    sees __CUDA_ARCH_SPECIFIC__ 1000 -arch=sm_100a
    sees __CUDA_ARCH_FAMILY_SPECIFIC__ 1000 -arch=sm_100f
    printf '#if !__CUDA_ARCH_HAS_FEATURE__(SM90_ALL) || __CUDA_ARCH_HAS_FEATURE__(SM100_ALL)\n#error\n#endif\n' >feature.cu
    capture simcc -arch=sm_90a -E feature.cu
    expect_status 0
    printf '#ifndef __NVCC__\n#error\n#endif\n#ifdef __CUDACC__\n#error\n#endif\nint x[] = {__CUDA_ARCH_LIST__};\n' >host.cpp
    capture simcc -arch=sm_80 -c host.cpp
    expect_status 0
}

@test "macros are those of the installed nvcc, for the same options" {
    need nvcc
    local options language
    nvcc --version | grep -q 'release 13.0' || skip "another version of nvcc"
    while read -r options; do
        for language in cu c++ c; do
            # shellcheck disable=SC2086  # words
            diff <(macros_of $language nvcc $options) <(macros_of $language simcc $options) ||
                complain "other macros in $language with $options" || return
        done
    done <<'OPTIONS'
-arch=sm_90
-arch=sm_80 -rdc=true
-arch=sm_80 -G --extended-lambda
-arch=sm_90a --expt-relaxed-constexpr -dc
-arch=sm_100f -ewp
-arch=all
-arch=all-major
-gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=sm_75
OPTIONS
}

@test "pragmas about nvcc's diagnostics are accepted silently" {
    file pragmas.cu <<'CU'
#if defined(__NVCC__) && defined(__NVCC_DIAG_PRAGMA_SUPPORT__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 177, declared_but_not_referenced
#define QUIET _Pragma("nv_diag_suppress 550") _Pragma("nv_exec_check_disable")
#else
#error nvcc is expected
#endif
QUIET
__global__ void k() { int unused; }
#pragma nv_diag_default 177
#pragma nv_diagnostic pop
#pragma hd_warning_disable
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
CU
    capture simcc -Wall -Wno-unused-variable pragmas.cu -run -no-check
    expect_status 0 && expect_no_errors
}

# ---- files of options

@test "options come from files, as CMake writes them: quoted, nested and several" {
    mkdir 'two words' other
    echo '#define VALUE 7' >'two words/value.h'
    file main.cu <<'CU'
#include <cstdio>
#include "value.h"
int main(int count, char** arguments) { printf("%d %s %c %s\n", VALUE + A, B, C, arguments[count - 1]); }
CU
    printf -- '-I"two words" -DA=3\r\n-optf other/more' >includes.rsp
    printf -- "-DB=\\\\\"x\\\\ y\\\\\" \"-DC='c'\"\n\n" >other/more
    printf -- '-run -no-check -run-args last' >run.rsp
    : >empty
    capture simcc -optf includes.rsp,empty --options-file=run.rsp main.cu
    expect_status 0
    expect_no_errors
    expect_output "10 x y c last"
    printf 'main.cu -c -o made.o' >objects
    capture simcc --options-file objects -optf=includes.rsp
    expect_status 0
    [ -s made.o ]
    for wrong in 'missing:cannot be read: No such file' 'other:cannot be read' 'loop:without end' 'open:a quote is not closed' 'unknown:unknown option'; do
        printf -- '-optf loop' >loop
        printf '"main.cu' >open
        printf -- '--unknown-option' >unknown
        capture simcc -optf "${wrong%%:*}" main.cu
        expect_status 2
        expect_refusal simcc "${wrong#*:}" || return
    done
    capture simcc main.cu -optf
    expect_status 2
    expect_refusal simcc "a value is missing"
}

# ---- the driver API

@test "the page lists the functions of the driver API that are there, each works, and others do not compile" {
    sed -n '/^\.Ss The driver API/,/^\.S[hs] [^T]/s/^\.Fn \([a-zA-Z0-9]*\).*/\1/p' "$root/man/simcc.1" | sort >listed
    [ "$(wc -l <listed)" -gt 30 ] || complain "the page's list was not found"
    simcc -E -x cu - <<<'#include <cuda.h>' | grep -oE 'CUresult cu[A-Z][A-Za-z0-9]*' | cut -d ' ' -f 2 | sort -u >declared
    diff listed declared >&2 || complain "the page (<) and cuda.h (>) differ"
    local name
    { # every function is there to be linked
        echo '#include <cuda.h>'
        echo 'template <class... P> void* any(CUresult (*f)(P...)) { return reinterpret_cast<void*>(f); }'
        echo 'int main() { CUresult (*create)(CUcontext*, CUctxCreateParams*, unsigned, CUdevice) = cuCtxCreate; void* all[] = {any(create)'
        grep -vE '^(cuCtxCreate|cuMemAdvise|cuMemPrefetchAsync)$' listed | sed 's/.*/, any(\&&)/'
        echo '}; return all[0] == nullptr; }'
    } >all.cpp
    capture simcc all.cpp -lcuda -run
    expect_status 0 && expect_no_errors || return
    for flags in -O1 "-G -O0"; do
        # shellcheck disable=SC2086  # words
        capture simcc $flags "$BATS_TEST_DIRNAME/simcc/driver.cu" -lcuda -o driver
        expect_status 0 && expect_no_errors || return
        SIMCC_CHECK=none capture ./driver
        expect_status 0 && expect_output "0 failures" || return
    done
    for name in cuStreamWriteValue32 cuMipmappedArrayCreate cuGraphAddKernelNode; do
        echo "#include <cuda.h>
int main() { $name(); }" >other.cu
        capture simcc other.cu -lcuda -o other
        expect_status 1 && expect_errors_like "other.cu:2:14: error: '?.*$name.* was not declared" || return
    done
}

@test "-cudart none links no simulator into a library of device functions: it uses its program's" {
    echo 'extern "C" __device__ int twice(int x) { return 2 * x + threadIdx.x - threadIdx.x; }' >twice.cu
    capture simcc -shared -cudart none twice.cu -o libtwice.so
    expect_status 0
    [ "$(wc -c <libtwice.so)" -lt 100000 ] || complain "the simulator is in it"
    nm -D libtwice.so | grep -q ' T twice$' || complain "it has no function"
    capture simcc -cudart half twice.cu
    expect_status 2
    expect_refusal simcc "-cudart half: not none, shared or static"
}

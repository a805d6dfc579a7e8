#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --check: every program on the checked simulator, whatever device the other tests run on.

# Needs no GPU

load helpers

@test "unknown arguments of --check and its related options are refused" {
    refuses 2 "unknown check 'everything'; choose among memcheck" reduce --check=everything
    refuses 2 "unknown schedule 'sideways'; choose independent" vecadd --schedule sideways
    refuses 2 "print-limit 'many' is not" matmul --print-limit many
    capture reduce --check -d gpu
    expect_status 2
    expect_refusal reduce "leave --device gpu out"
}

@test "without a device, and with -d sim, the checked simulator runs without a notice" {
    local device
    for device in "" "-d sim"; do
        # shellcheck disable=SC2086
        capture reduce --check $device -n 100 -k shared-tree
        expect_status 0
        expect_output_like ',pass,'
        expect_errors_like '^=========[^=]*ERROR SUMMARY: 0 errors$'
    done
}

@test "--check takes its list behind =, not from the operands" {
    pipeline 'seq 100 | reduce --check -'
    expect_status 0
    expect_output 5050
    pipeline 'seq 100 | reduce --check=racecheck,memcheck -'
    expect_status 0
    expect_output 5050
}

# For every row of the table in $output: "KERNEL COLUMN VALUE".
figure() { columns kernel "$1"; }

@test "--counters adds a column per counter, with the textbook's figures" {
    capture vecadd --counters -n 4Ki -k one-per-thread,vector4
    expect_status 0
    expect_clean_table
    [ "$(figure gld_sectors_per_request)" = $'one-per-thread 4.0000\nvector4 16.0000' ] || complain "sectors of loads"
    [ "$(figure gld_requests)" = $'one-per-thread 256\nvector4 64' ] || complain "requests"
    [ "$(figure gst_efficiency_distinct)" = $'one-per-thread 1.0000\nvector4 1.0000' ] || complain "efficiency"
    # A vector that begins 4 bytes past a 128-byte line spans five sectors.
    capture vecadd --counters -n 4Ki -k one-per-thread --offset 1
    [ "$(column gld_sectors_per_request)" = 5.0000 ] || complain "a misaligned vector"
}

@test "the ladder of matmul shows ever fewer loads per result, and a sector per lane in its first kernel" {
    capture matmul --counters --ladder -n 64 -k naive,tiled-8,tiled-32
    expect_clean_table
    [ "$(figure gld_lanes_per_element)" = $'naive 128.0000\ntiled-8 16.0000\ntiled-32 4.0000' ] || complain "loads per result"
    capture matmul --counters -n 64 -k naive-uncoalesced
    [ "$(column gst_sectors_per_request)" = 32.0000 ] || complain "stores of a column"
}

@test "bank conflicts and divergence of reduce's first steps are counted" {
    capture reduce --counters -n 1Ki -b 256 -k interleaved-divergent,interleaved-conflicts,sequential
    [ "$(figure sld_conflicts | awk '{ print $1, ($2 > 0) }')" = $'interleaved-divergent 0\ninterleaved-conflicts 1\nsequential 0' ] ||
        complain "conflicts"
    [ "$(column divergent_branches | sort -n | tail -1)" = "$(column divergent_branches | head -1)" ] || complain "divergence"
}

@test "jq and mlr read the counters" {
    need mlr jq
    pipeline 'reduce --counters -n 1Ki -k atomic-global,shuffle-tree --json | jq -r "[.kernel, .most_contended_operations] | @tsv"'
    expect_status 0
    expect_output $'atomic-global\t1024\nshuffle-tree\t4'
    pipeline 'reduce --counters -n 1Ki -k "*tree" | mlr --icsv --ojson cut -f kernel,exchanges'
    expect_status 0
    expect_output_like '"exchanges": [1-9]'
}

@test "--by-line has a row per line of the kernel, and names the line" {
    local line
    line=$(grep -n 'if (i < n) c\[i\] = a\[i\] + b\[i\]' "$root/kernels/vecadd/textbook.cuh" | head -1 | cut -d : -f 1)
    capture vecadd --by-line -n 1Ki -k one-per-thread
    expect_status 0
    expect_clean_table
    [ "$(columns file line gld_requests | grep -v ' 0$')" = "textbook.cuh $line 64" ] ||
        complain "expected 64 requests in textbook.cuh:$line"
}

@test "--annotate prints the source with its counters, and rows in the machine formats" {
    capture vecadd --annotate -n 1Ki -k one-per-thread -f human
    expect_status 0
    expect_output_like '96 +32 +4 +1 .*c\[i\] = a\[i\] \+ b\[i\]'
    capture vecadd --annotate -n 1Ki -k one-per-thread --csv
    expect_clean_table
}

@test "a defect in a kernel built by simcc -G is reported with its line, and gives exit status 86" {
    cat >beyond.cu <<'SOURCE'
__global__ void beyond(int* data) {
    data[threadIdx.x + 1] = 1;
}
int main() {
    int* data;
    cudaMalloc(&data, 32 * sizeof(int));
    beyond<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
SOURCE
    capture simcc -G beyond.cu -o beyond
    expect_status 0
    capture ./beyond
    expect_status 86
    expect_errors_like 'Invalid __global__ write of size 4 bytes'
    expect_errors_like 'beyond.cu:2'
    expect_errors_like 'ERROR SUMMARY: [1-9][0-9]* error'
    SIMCC_CHECK=none capture ./beyond
    expect_status 0
}

@test "a defect is reported with its line if two files share functions, and with little optimization" {
    cat >store.cuh <<'SOURCE'
template <int N> __global__ void store(int* data) {
    data[threadIdx.x] = N;
}
template <int N> void launch(int* data, int count) { store<N><<<1, count>>>(data); }
SOURCE
    cat >first.cu <<'SOURCE'
#include "store.cuh"
void launch_second(int* data, int count);
int main() {
    int* data;
    cudaMalloc(&data, 31 * sizeof(int));
    launch<1>(data, 31);
    launch_second(data, 31);
    launch<3>(data, 32);
    cudaDeviceSynchronize();
    cudaFree(data);
}
SOURCE
    cat >second.cu <<'SOURCE'
#include "store.cuh"
void launch_second(int* data, int count) {
    launch<1>(data, count);
    launch<2>(data, count);
}
SOURCE
    capture simcc -G -O1 first.cu second.cu -o shared
    expect_status 0
    capture ./shared
    expect_status 86
    expect_errors_like 'store<3>.* in store.cuh:2'
}

# clean PROGRAM [OPTION]...: no variant has a finding.
clean() {
    local findings
    capture "$1" --check "${@:2}"
    expect_status 0
    findings=$(grep -v -c 'ERROR SUMMARY: 0 errors' <<<"$errors") || true
    [ "$findings" -eq 0 ] || complain "expected no finding"
}

@test "no variant of vecadd has a finding" { clean vecadd -n 1,33,1000; }
@test "no variant of reduce has a finding" { clean reduce -n 1,100,4Ki; }
@test "no variant of matmul has a finding" { clean matmul -n 1x1x1,33,65x64x63; }
@test "no variant of streams has a finding" { clean streams; }

@test "no program has a finding at its default sizes, on three simulator threads" {
    local program
    export SIMCC_THREADS=3
    # (devquery has no kernels, plants are to be found, and caches and clocks need a GPU.)
    for program in $(programs | grep -v -x -e devquery -e memcheckdemo -e latency); do
        clean "$program" -q || return
    done
}

@test "no program has a finding at larger sizes, on many simulator threads, and a sum by all on one" {
    local run
    export SIMCC_THREADS=16
    for run in "access -n 30003" "banks -n 300" "collective -n 17001" "conv1d -n 70001" "diverge -n 601" \
        "matadd -n 301x133" "matmul -k tiled-* -n 97" "nested -n 1030" \
        "reduce -k tagged,single-pass,grid-stride -n 100003,1Mi" \
        "shared -n 5003" "streams -k copy-depth-first,kernels-events -n 70001" "texture -n 99x117" "transfer -n 300003" \
        "transpose -n 301x233" "trapezoid -n 66003" "vecadd -n 300001"; do
        # shellcheck disable=SC2086  # a program and its arguments
        clean ${run%% *} -q ${run#* } || return
    done
    SIMCC_THREADS=1 clean reduce -n 150000
    for type in f64 i32 i64; do clean reduce -k tagged -t "$type" -n 200Ki || return; done
}

@test "no variant of reduce that waits for other blocks has a finding or hangs, in any order of blocks" {
    local schedule
    for schedule in lockstep random:1 random:2; do clean reduce -n 40Ki -k single-pass,tagged --schedule "$schedule"; done
}

# ---- stripped programs

# stripped_copy HOW PROGRAM: the program as bin/PROGRAM in the folder `stripped`, with its library, after `strip HOW`;
# HOW can also be `installed` or `debug`, as make install makes it without and with DEBUG=1.
stripped_copy() {
    local target=stripped/bin/${2##*/} library
    mkdir -p stripped/bin stripped/lib/gridutils
    for library in "$root"/build/lib/gridutils/*.so; do
        case $1 in
            installed) bash "$root/common/packages/put.bash" "$library" "stripped/lib/gridutils/${library##*/}" ;;
            debug) bash "$root/common/packages/put.bash" "$library" "stripped/lib/gridutils/${library##*/}" 1 ;;
            *) strip "$1" -o "stripped/lib/gridutils/${library##*/}" "$library" ;;
        esac || return
    done
    case $1 in
        installed) bash "$root/common/packages/put.bash" "$(command -v "$2")" "$target" ;;
        debug) bash "$root/common/packages/put.bash" "$(command -v "$2")" "$target" 1 ;;
        *) strip "$1" -o "$target" "$(command -v "$2")" ;;
    esac
}

# same_counters PROGRAM [ARGUMENT]...
same_counters() {
    local program=$1 how
    shift
    "$program" -d sim --counters --json -r 1 "$@" | counters_only >full.json
    [ -s full.json ] || complain "$program has no counters" || return
    for how in -g -s installed; do
        stripped_copy "$how" "$program"
        capture "stripped/bin/$program" -d sim --counters --json -r 1 "$@"
        expect_status 0 && expect_no_errors || return
        counters_only <stdout >stripped.json
        diff full.json stripped.json || complain "$program after strip $how" || return
    done
}

# The columns of the counters, and the kernel's name.
counters_only() {
    jq -S -c 'with_entries(select(.key | test("^(kernel|n|block)$|^(gld|gst|gatom|sld|sst|satom|tex|const)_|branch|lanes|barriers|exchanges|contended|slowdown")))'
}

# The findings of a report, without what symbols and debug information add: names of functions, offsets, backtraces.
findings() {
    sed -E -e '/Host Frame|Device Frame|Saved host backtrace|no debug information|no symbol table/d' -e 's/0x[0-9a-f]+//g' \
        -e 's/ at .*( in [^ ]+:[0-9]+)/ at\1/' -e 's/on CUDA API call to [A-Za-z]+/on a CUDA API call/' "$1"
}

# The places in a report, in their order.
places() { sed -nE 's/.* in ([^ ]+:[0-9]+)( .*)?$/\1/p' "$1"; }

@test "a stripped program counts the same, without a word" {
    same_counters diverge -n 4Ki
    same_counters reduce -n 4Ki -k 'shared-tree,shuffle-tree,atomic-global'
}

@test "a stripped program finds the same, at the same lines, and says once what is missing" {
    local plant how
    for how in -g installed; do
        stripped_copy "$how" memcheckdemo
        for plant in oob-global-write oob-shared oob-local uninit-shared shared-counter; do
            capture memcheckdemo -d sim --check "$plant"
            expect_status 86
            findings stderr >full
            capture stripped/bin/memcheckdemo -d sim --check "$plant"
            expect_status 86
            [ "$(grep -c 'memcheckdemo has no debug information.*make install DEBUG=1' stderr)" -eq 1 ] ||
                complain "expected one note" || return
            findings stderr >less
            grep -q 'ERROR SUMMARY: [1-9]' less || complain "expected findings" || return
            diff full less || complain "$plant after strip $how differs" || return
        done
    done
}

@test "without a symbol table, a program says what it cannot check, and finds the rest" {
    stripped_copy -s memcheckdemo
    capture memcheckdemo -d sim --check oob-global-write
    findings stderr >full
    capture stripped/bin/memcheckdemo -d sim --check oob-global-write
    expect_status 86
    [ "$(grep -c 'no symbol table, so accesses beyond a variable may go unnoticed' stderr)" -eq 1 ] || complain "expected one note"
    diff full <(findings stderr) || complain "other findings"
}

@test "a stripped program takes turns in lockstep in the same order" {
    local expected
    stripped_copy -s diverge
    capture diverge -d sim --check --schedule lockstep -n 1Ki -r 1 -k nested,handshake
    expected=$status
    grep -E 'Barrier error|ERROR SUMMARY' stderr >full
    capture stripped/bin/diverge -d sim --check --schedule lockstep -n 1Ki -r 1 -k nested,handshake
    expect_status "$expected"
    diff full <(grep -E 'Barrier error|ERROR SUMMARY' stderr) || complain "other findings"
}

@test "by line, a stripped program names the program's own lines and says once what is missing" {
    local columns='[.kernel, .file, .line, .gld_requests, .branches]'
    stripped_copy installed vecadd
    vecadd -d sim --by-line --json -n 1Ki -k one-per-thread,grid-stride | jq -c "$columns" >full
    capture stripped/bin/vecadd -d sim --by-line --json -n 1Ki -k one-per-thread,grid-stride
    expect_status 0
    [ "$(grep -c 'vecadd has no debug information' stderr)" -eq 1 ] || complain "expected one note"
    diff full <(jq -c "$columns" stdout) || complain "other lines"
    capture stripped/bin/vecadd -q -d sim --by-line --json -n 1Ki -k one-per-thread
    expect_no_errors
}

@test "a program installed with DEBUG=1 finds its debug information in .debug beside it" {
    local columns='[.file, .line, .function, .gld_requests]'
    stripped_copy debug vecadd
    vecadd -d sim --by-line --json -n 1Ki -k one-per-thread | jq -c "$columns" >full
    capture stripped/bin/vecadd -d sim --by-line --json -n 1Ki -k one-per-thread
    expect_status 0
    expect_no_errors
    grep -q 'one_per_thread\|add' full || complain "expected names of functions"
    diff full <(jq -c "$columns" stdout) || complain "other lines or functions"
    capture stripped/bin/vecadd -d sim --annotate -f human -n 1Ki -k one-per-thread
    expect_output_like 'c\[i\] = a\[i\] \+ b\[i\]'
    stripped_copy debug memcheckdemo
    capture memcheckdemo -d sim --check oob-global-write
    places stderr >full
    grep -q 'memcheckdemo.cu:[0-9]' full || complain "expected places of the host"
    capture stripped/bin/memcheckdemo -d sim --check oob-global-write
    diff full <(places stderr) || complain "other places"
}

@test "a user's program built by simcc -G finds the same after strip, and names the kernel" {
    local how
    cat >beyond.cu <<'SOURCE'
#include <cstdio>
__device__ int of_the_next(const int* data, int i) { return data[i + 1]; }
__global__ void beyond(int* data) {
    __shared__ int tile[32];
    tile[threadIdx.x] = of_the_next(data, threadIdx.x);
    __syncthreads();
    data[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" void run_beyond() {
    int* data;
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    beyond<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
SOURCE
    echo 'extern "C" void run_beyond(); int main() { run_beyond(); }' >main.cu
    simcc -G beyond.cu main.cu -o beyond
    for how in -g -s; do
        cp --remove-destination beyond stripped-beyond
        strip "$how" stripped-beyond
        capture ./beyond
        expect_status 86
        findings stderr >full
        grep -q 'beyond.cu:2$' full || complain "expected the line"
        capture ./stripped-beyond
        expect_status 86
        [ "$(grep -c 'stripped-beyond has no debug information' stderr)" -eq 1 ] || complain "expected one note"
        diff full <(findings stderr) || complain "beyond after strip $how"
        expect_errors_like 'at (beyond|of_the_next)\(.*\) in beyond.cu:2|at (beyond|of_the_next)\(.*\)\+0x[0-9a-f]+ in beyond.cu:2'
    done
}

@test "racecheck and memcheck name lines of a library that the program loads, and those of a stripped one" {
    cat >next.cu <<'SOURCE'
__global__ void beyond(int* data) {
    data[threadIdx.x] = data[threadIdx.x + 1];
}
extern "C" void run_beyond() {
    int* data;
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    beyond<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
}
SOURCE
    cat >loads.cu <<'SOURCE'
#include <dlfcn.h>
__global__ void before() {}
int main() {
    before<<<1, 1>>>();
    cudaDeviceSynchronize();
    void* library = dlopen("./next.so", RTLD_NOW);
    if (!library) return 1;
    reinterpret_cast<void (*)()>(dlsym(library, "run_beyond"))();
}
SOURCE
    simcc -G -Xcompiler -fPIC -c next.cu -o next.o
    "${CXX:-g++}" -shared next.o -o next.so
    simcc -G loads.cu -o loads -Xlinker --export-dynamic -ldl
    capture ./loads
    expect_status 86
    expect_errors_like 'Race reported between Write access at [^=]* in next.cu:2'
    expect_errors_like 'Invalid __global__ read[^=]*=+ +at beyond\(int\*\)[^=]* in next.cu:2'
    findings stderr >full
    strip next.so
    capture ./loads
    expect_status 86
    diff full <(findings stderr) || complain "other findings"
    [ "$(grep -c 'next.so has no debug information' stderr)" -eq 1 ] || complain "expected one note"
}

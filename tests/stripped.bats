#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a stripped program promises: it counts and checks the same, says once what is missing, and finds its debug
# information in a file beside.
# Needs no GPU
# shellcheck disable=SC2154  # helpers.bash sets $root, $scratch and the rest

load helpers

# stripped_copy PROGRAM [OPTION]...: a copy in ./bin, and one in ./stripped that `strip OPTION...` has worked on.
stripped_copy() {
    local program=$1
    shift
    mkdir -p bin stripped
    cp "$(command -v "$program")" "bin/${program##*/}"
    strip "$@" -o "stripped/${program##*/}" "bin/${program##*/}"
}

# apart_debug NAME [OPTION]...: the same, with the debug information in stripped/.debug.
apart_debug() {
    stripped_copy "$@"
    mkdir -p stripped/.debug
    objcopy --only-keep-debug "bin/$1" "stripped/.debug/$1.debug"
    objcopy --add-gnu-debuglink="stripped/.debug/$1.debug" "stripped/$1"
}

# same_counters PROGRAM [ARGUMENT]...
same_counters() {
    local program=$1 how
    shift
    for how in -g -s; do
        stripped_copy "$program" "$how"
        "bin/$program" -d sim --counters --json -r 1 "$@" | counters_only >full.json
        capture "stripped/$program" -d sim --counters --json -r 1 "$@"
        expect_status 0 && expect_no_errors || return
        counters_only <stdout >stripped.json
        [ -s full.json ] || complain "$program has no counters" || return
        cmp full.json stripped.json || complain "$program after strip $how: $(diff full.json stripped.json | head -4)" || return
    done
}

# The columns of the counters, and the kernel's name.
counters_only() {
    jq -S -c 'with_entries(select(.key | test("^(kernel|n|block)$|^(gld|gst|gatom|sld|sst|satom|tex|const)_|branch|lanes|barriers|exchanges|contended|slowdown")))'
}

# The findings of a report, without what symbols and debug information add: names of functions, offsets, backtraces.
findings() {
    sed -E -e '/Host Frame|Device Frame|Saved host backtrace|no debug information|no symbol table/d' -e 's/0x[0-9a-f]+//g' \
        -e 's/^(=+ +at ).*( in [^ ]+:[0-9]+)$/\1\2/' -e 's/on CUDA API call to [A-Za-z]+/on a CUDA API call/' "$1"
}

# The places in a report, in their order.
places() { sed -nE 's/.* in ([^ ]+:[0-9]+)( .*)?$/\1/p' "$1"; }

@test "a stripped program counts the same, without a word" {
    same_counters diverge -n 4Ki
    same_counters reduce -n 4Ki -k 'shared-tree,shuffle-tree,atomic-global'
    same_counters vecadd -n 4Ki
    same_counters access -n 4Ki
}

@test "a stripped program finds the same, at the same lines, and says once what is missing" {
    local plant how
    for how in -g -s; do
        stripped_copy memcheckdemo "$how"
        for plant in oob-global-write oob-shared uninit-shared shared-counter; do
            capture bin/memcheckdemo -d sim --check "$plant"
            expect_status 86
            findings stderr >full
            capture stripped/memcheckdemo -d sim --check "$plant"
            expect_status 86
            [ "$(grep -c 'memcheckdemo has no debug information.*make install DEBUG=1' stderr)" -eq 1 ] ||
                complain "expected one note"
            findings stderr >less
            grep -q 'ERROR SUMMARY: [1-9]' less || complain "expected findings"
            diff full less || complain "$plant after strip $how differs"
        done
    done
}

@test "a stripped program takes turns in lockstep in the same order" {
    stripped_copy diverge -s
    capture bin/diverge -d sim --check --schedule lockstep -n 1Ki -r 1 -k nested,handshake
    local expected=$status
    grep -E 'Barrier error|ERROR SUMMARY' stderr >full
    capture stripped/diverge -d sim --check --schedule lockstep -n 1Ki -r 1 -k nested,handshake
    expect_status "$expected"
    diff full <(grep -E 'Barrier error|ERROR SUMMARY' stderr) || complain "other findings"
}

@test "by line, a stripped program names the program's own lines and says once what is missing" {
    stripped_copy vecadd -s
    capture stripped/vecadd -d sim --by-line --json -n 1Ki -k one-per-thread,float4
    expect_status 0
    [ "$(grep -c 'vecadd has no debug information' stderr)" -eq 1 ] || complain "expected one note"
    jq -c '[.kernel, .file, .line, .gld_requests, .branches]' stdout >less
    bin/vecadd -d sim --by-line --json -n 1Ki -k one-per-thread,float4 | jq -c '[.kernel, .file, .line, .gld_requests, .branches]' >full
    diff full less || complain "other lines"
    capture stripped/vecadd -q -d sim --by-line --json -n 1Ki -k one-per-thread
    expect_no_errors
}

@test "a stripped program finds its debug information in .debug beside it" {
    local how
    for how in -g -s; do
        apart_debug vecadd "$how"
        bin/vecadd -d sim --by-line --json -n 1Ki -k one-per-thread | jq -c '[.file, .line, .function, .gld_requests]' >full
        capture stripped/vecadd -d sim --by-line --json -n 1Ki -k one-per-thread
        expect_status 0 && expect_no_errors || return
        jq -c '[.file, .line, .function, .gld_requests]' stdout >less
        diff full less || complain "other lines or functions"
        capture stripped/vecadd -d sim --annotate -f human -n 1Ki -k one-per-thread
        expect_output_like 'c\[i\] = a\[i\] \+ b\[i\]'
        apart_debug memcheckdemo "$how"
        capture bin/memcheckdemo -d sim --check oob-global-write
        places stderr >full
        capture stripped/memcheckdemo -d sim --check oob-global-write
        grep -q 'main.cpp:[0-9]' full || complain "expected places of the host" || return
        diff full <(places stderr) || complain "other places"
    done
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
        stripped_copy ./beyond "$how"
        capture bin/beyond
        expect_status 86
        findings stderr >full
        grep -q 'beyond.cu:2$' full || complain "expected the line"
        capture stripped/beyond
        expect_status 86
        [ "$(grep -c 'beyond has no debug information' stderr)" -eq 1 ] || complain "expected one note"
        diff full <(findings stderr) || complain "beyond after strip $how"
        expect_errors_like 'at (beyond|of_the_next)\(.*\) in beyond.cu:2|at (beyond|of_the_next)\(.*\)\+0x[0-9a-f]+ in beyond.cu:2'
    done
}

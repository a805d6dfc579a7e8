#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The interface between the simulator's runtime and its checkers: the runtime announces events, and the checkers are one
# of its clients, which only programs with checked kernels contain.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

checker='simt::check::'

# defined UNIT... and wanted UNIT...: the symbols that units of the simulator define, and those they need from others.
defined() { nm "${@/%/.o}" | awk '$2 ~ /^[BDRT]$/ { print $3 }' | sort -u; }
wanted() { nm "${@/%/.o}" | awk '$1 == "U" { print $2 }' | sort -u; }

wants_nothing_of() {
    local user=$1 symbols
    shift
    symbols=$(cd "$root/build" && comm -12 <(wanted "simt-$user") <(defined "${@/#/simt-}") | c++filt)
    [ -z "$symbols" ] || complain "$user refers to symbols of $*: $symbols"
}

@test "exec, runtime and api refer to no layer above them, and to no checker" {
    [ "$(cd "$root/build" && defined simt-exec simt-runtime simt-api simt-check | wc -l)" -gt 100 ]
    wants_nothing_of exec runtime api check
    wants_nothing_of runtime api check
    wants_nothing_of api check
}

@test "a program without checked kernels contains no checker" {
    echo '__global__ void k(int* a) { a[0] = 1; } int main() { int* a; cudaMalloc(&a, 4); k<<<1, 1>>>(a); return cudaDeviceSynchronize(); }' >plain.cu
    simcc plain.cu -o plain
    capture nm -C plain
    [[ $output == *simt::ResidentBlock::* ]] || complain "the program has no symbols"
    [[ $output != *"$checker"* ]] || complain "the program contains checkers"
    simcc -G plain.cu -o checked
    capture nm -C checked
    [[ $output == *"$checker"* ]] || complain "the checked program contains no checker"
}

@test "another client is notified of allocations, copies, launches, blocks, barriers and failures" {
    local lanes
    for lanes in stacks loops; do
        capture simcc -lanes $lanes "$BATS_TEST_DIRNAME/simcc/events.cu" "$BATS_TEST_DIRNAME/simcc/events_client.cpp" -std=c++20 \
            -I"$root" -I"$root/common/simt/include" -o events
        expect_status 0
        capture ./events
        expect_status 0
        expect_output "2 allocations of 4196 bytes, 1 freed
1 copies, 1 fills, 5 operations, waited for 3
3 launches of meet, 3 runs, 12 blocks, 768 lanes, 24 barriers
1 failures" || return
    done
    capture nm -C events
    [[ $output != *"$checker"* ]] || complain "the program contains checkers"
}

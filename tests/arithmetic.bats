#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Arithmetic in device code: what CUDA and PTX define holds in every build, at every level of optimization.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Takes long: run.bash begins with it.

load helpers

PATH=${BIN:-$root/bin}:$PATH

# in_every_build PROGRAM STATUS TEXT: tests/simcc/PROGRAM.cu compiles silently, exits with STATUS and prints TEXT.
in_every_build() {
    local flags
    for flags in -O0 -O3 -G; do
        capture simcc "$flags" "$root/tests/simcc/$1.cu" -o "$1"
        expect_status 0 && expect_no_errors || return
        capture "./$1"
        expect_status "$2" && expect_output "$3" || complain "built with $flags" || return
    done
}

@test "integer division by zero, or of the lowest number by -1, has a result in kernels and still ends host code" {
    in_every_build divisions 136 "0 wrong"
}

@test "an access through a null pointer is an error even if its result is not used" {
    local flags
    for flags in -O0 -O3; do
        capture simcc $flags "$root/tests/simcc/null_pointers.cu" -o null_pointers
        expect_status 0
        expect_no_errors
        capture ./null_pointers
        expect_status 0 && expect_output "6 failed" || complain "built with $flags"
    done
    simcc -G "$root/tests/simcc/null_pointers.cu" -o null_pointers
    capture ./null_pointers
    expect_status 86
    expect_output "6 failed"
    expect_errors_like "Invalid __global__ write of size 4 bytes"
}

@test "a shift by the width or more moves all bits out, and code that only looks like such a shift keeps its meaning" {
    in_every_build shifts 0 "0 wrong, 15 on the host"
}

@test "a cast of a number out of range, or of NaN, to an integer gives what a GPU gives; signed integers wrap" {
    in_every_build saturation 0 "0 wrong"
}

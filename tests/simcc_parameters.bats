#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# simcc: kernels with C linkage, and what a kernel gets for its parameters.
# shellcheck disable=SC2154  # helpers.bash sets $root

# Needs no GPU

load helpers

programs=$root/tests/simcc

# prints PROGRAM TEXT: built fast and checked, tests/simcc/PROGRAM.cu prints TEXT and nothing else.
prints() {
    local build
    for build in -O1 -G; do
        capture simcc $build "$programs/$1.cu" -o program
        expect_status 0 || return
        expect_no_errors || return
        expect_output "" || return
        capture ./program
        expect_status 0 || return
        expect_output "$2" || return
    done
}

@test "kernels with C linkage run once, by the device's arithmetic, however they are launched" {
    local name way
    local rows=""
    for name in plain bounded declared in_block in_namespace beside; do
        for way in "<<<>>>" "by address" cooperative Ex ExC; do
            rows+=$(printf '%-12s %-11s 0: 1 -1 2147483647 -2147483648' "$name" "$way")$'\n'
        done
    done
    prints c_linkage "${rows}plain        by name     0: 1 4 2 8
meets        by address  0: 12 0 0 0
whole_grid   cooperative 0: 64 128 0 0
at most 128 threads"
}

@test "the host makes a kernel's parameters once, the device gets their bytes, and a reference is the object" {
    prints parameters "$(cat "$programs/parameters.txt")"
}

@test "a launch takes its template arguments from nested lambdas, and leaves out arguments that have defaults" {
    prints nested_lambdas "fill         cudaSuccess: 52 52 52 52 52 52 52 52
fill         cudaSuccess: 52 52 52 52 52 52 52 52
one          cudaSuccess: 3 3 52 52 52 52 52 52
two          cudaSuccess: 3 3 3 3 52 52 52 52
three        cudaSuccess: 6 6 6 6 104 104 52 52"
}

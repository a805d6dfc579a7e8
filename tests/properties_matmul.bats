#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How matmul cuts a product into tiles and shares, without a GPU: every element and every step is computed exactly once.

# Needs no GPU

load helpers

@test "Stream-K schedules, tile orders, fitted tiles and thin plans cover thousands of random products exactly once" {
    "$root/bin/simcc" -std=c++20 -O1 -I"$root" -DBACKEND=sim "$root/tests/properties/matmul.cu" -o properties
    capture ./properties 4000
    expect_status 0
    # There were many cases of every kind, not only trivial ones.
    local kind
    for kind in shared:400 neighbors:150 whole:400 fitted:400 order:400 thin:400 beside:400; do
        awk -v kind="${kind%:*}" -v least="${kind#*:}" '$1 == kind && $2 >= least { found = 1 } END { exit !found }' \
            <<<"$output" || complain "there were few cases of kind $kind: $output"
    done
}

@test "Blocks that share tiles store each sum once, right, and leave no counter behind; no checker objects" {
    capture "$root/bin/simcc" --check -std=c++20 -O1 -I"$root" -DBACKEND=sim "$root/tests/properties/fix_up.cu" \
        -o fix_up
    expect_status 0
    local check kind
    for check in memcheck racecheck initcheck synccheck; do
        SIMCC_TIMEOUT=20 SIMCC_CHECK=$check capture ./fix_up 900
        expect_status 0
        for kind in added exchanged neighbors-added neighbors-exchanged whole; do
            awk -v kind="$kind" '$1 == kind && $2 >= 50 { found = 1 } END { exit !found }' <<<"$output" ||
                complain "there were few cases of kind $kind: $output"
        done
    done
}

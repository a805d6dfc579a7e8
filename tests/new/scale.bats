#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What scale promises: every variant right for every n and block.

load helpers

@test "scale: every variant is right for small and larger sizes" {
    local sizes="0 1 31 32 33 255 257 1000 100001"
    expect_fine scale -n "${sizes// /,}" -w 0 -r 1 --csv
    # shellcheck disable=SC2086  # one word per size
    expect_all_verified scale $sizes
}

@test "scale: every variant is right with blocks of any size" {
    local block
    for block in 1 31 100 256 1024; do
        expect_fine scale -n 1000 -b $block -w 0 -r 1 --csv
        expect_all_verified scale 1000
    done
}

@test "scale: a row shows traffic and launch" {
    expect_fine scale -k one-per-thread -n 1000 -b 128 --csv
    expect_clean_table
    [ "$(column bytes) $(column flop)" = "8000 1000" ]
    [ "$(column grid) $(column block) $(column smem_bytes)" = "8 128 0" ]
}

@test "scale: the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    capture scale --check -n 1000 --csv
    expect_status 0
    expect_all_verified scale 1000
    expect_errors_like "ERROR SUMMARY: 0 errors"
}

@test "scale: lanes of a warp read neighboring elements" {
    capture scale --counters -k 'one-per-thread,grid-stride' -n 1024 --csv
    expect_status 0
    expect_clean_table
    # 32 warps with a request each, of four sectors of 32 bytes.
    [ "$(paste -d ' ' <(column gld_requests) <(column gld_sectors_per_request) | sort -u)" = "32 4.0000" ]
}

@test "scale: an operand, an unknown option and an unknown variant are refused" {
    refuses 2 "unexpected operand 'a'" scale a
    refuses 2 "unknown option '--sizes'; did you mean '--size'" scale --sizes 5
    refuses 2 "unknown kernel 'grid-strode'; did you mean 'grid-stride'" scale -k grid-strode
}

@test "scale: the examples of its page run" { need mlr && run_examples scale.1; }

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --gang: one problem on several devices.
# shellcheck disable=SC2154  # helpers.bash sets $output

load helpers

@test "vecadd --gang adds vectors of any size and type on one, two, three and five devices" {
    local count dtype
    for count in 1 2 3 5; do
        devices "$count"
        gang vecadd -n 0,1,2,4,7,100003
        [ "$(column gang | sort -un | tail -n 1)" = "$count" ] || complain "expected $count devices"
        for dtype in f64 i32 i64; do gang vecadd -n 5,1000 -t $dtype --offset 1 -k streaming,one-per-thread; done
    done
}

@test "reduce --gang finds sums, extremes and means of any size and type on one, two, three and five devices" {
    local count dtype
    for count in 1 2 3 5; do
        devices "$count"
        gang reduce -n 0,1,2,4,7,30011 --op sum,min,max,mean -k 'tagged,single-pass,shared-tree'
        for dtype in f64 i32 i64; do gang reduce -n 3,5000 -t $dtype --op sum,max --offset 1 -k tagged,grid-stride; done
    done
    gang reduce -n 5000
    [[ $(column kernel) != *cpu* && $(column kernel) == *tagged* ]] || complain "these variants run on devices"
}

@test "--gang compares all devices with one, and --ladder also with powers of two between" {
    devices 5
    gang vecadd -n 100 -k vector4
    [ "$(column gang | paste -sd ' ')" = "1 5" ]
    gang vecadd -n 100 -k vector4 --ladder
    [ "$(column gang | paste -sd ' ')" = "1 2 4 5" ]
    [ "$(column n | sort -u)" = 100 ]
    [ "$(column ranks | paste -sd ' ')" = "1 2 4 5" ]
    [[ $output != *step_speedup* ]] || complain "steps between devices are no ladder of variants"
    gang vecadd -n 100 -k vector4 --ladder --weak
    [ "$(column n | paste -sd ' ')" = "100 200 400 500" ]
    [ "$(column bytes | paste -sd ' ')" = "1200 2400 4800 6000" ]
    devices 1
    gang vecadd -n 100 -k vector4 --ladder
    [ "$(column gang)" = 1 ]
}

@test "efficiency is the time of one device over that of all, divided by their number unless --weak is given" {
    local weak
    devices 3
    for weak in '' --weak; do
        gang reduce -n 1000,5000 -k 'tagged,shared-tree' $weak
        columns kernel n gang median_ns efficiency >rows
        # (Times of a row are rounded to a tenth, efficiencies to four digits.)
        awk -v weak="$weak" '{ key = $1 " " (weak ? $2 / $3 : $2); if ($3 == 1) alone[key] = $4
                               expected = alone[key] / ((weak ? 1 : $3) * $4); difference = expected - $5
                               if (difference > 1e-3 || difference < -1e-3) { print; exit 1 } ++rows }
                             END { if (rows != 8) exit 1 }' rows || complain "$(cat rows)"
    done
}

@test "joining is right for nearly empty shares, and the checkers find nothing" {
    on_simulator || skip "the checkers are the simulator's"
    devices 3
    # (An empty share gives the operation's identity.)
    gang reduce -n 3 -k tagged --op sum
    gang reduce -n 2 -k tagged --op min
    try reduce -q --gang -n 5000 --check -k tagged,single-pass
    expect_status 0
    expect_errors_like "ERROR SUMMARY: 0 errors"
    try vecadd -q --gang -n 5000 --check
    expect_errors_like "ERROR SUMMARY: 0 errors"
}

@test "what --gang cannot do is refused, with a remedy" {
    devices 2
    refuses 2 "--weak .* add --gang, or leave it out" vecadd --weak
    refuses 2 "--weak is for benchmarks, and with 'a' vecadd is a filter" vecadd --gang --weak a b
    refuses 2 "--gang adds vectors that lie on the devices: leave --memory out" vecadd --gang --memory pinned
    refuses 2 "--gang joins results of one element each: sum, min, max or mean" reduce --gang --op var
    refuses 2 "neither --accurate nor --exact" reduce --gang --exact
    refuses 2 "unknown option '--gang'" streams --gang
    refuses 77 "none of the chosen variants can run" vecadd --gang -k cpu
    refuses 77 "none of the chosen variants can run" reduce --gang -k cpu
}

@test "the human table names the devices, and its title counts them" {
    devices 3
    try vecadd -q --gang -n 64 -k vector4 --format human
    expect_output_like "and 2 more, 64 f32 elements"
    expect_output_like "gang +efficiency"
}

@test "devices of several models are told apart, and rates of all of them count" {
    unit_program units/mixed_gang
    holds ./mixed_gang
}

@test "programs without gangs contain no process team and open no socket" {
    need nm
    local bin="$root/bin" lib="$root/build/lib/gridutils/libgridutils.so"
    nm -D --undefined-only "$bin/vecadd" | grep -qw socket || complain "vecadd, which has gangs, opens no socket"
    [ -z "$(nm -D --undefined-only "$bin/devquery" "$bin/latency" "$lib" | grep -wE "socket|listen|connect")" ] ||
        complain "a program without gangs opens sockets"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What diverge promises: right results however lanes diverge, counters that equal the formula, and warps whose lanes
# wait for each other.

load helpers

# The variants in which no thread waits for another.
paths='*parity,two-ifs,reordered,*above-2,nested*,switch*,loops*,exit*'

@test "diverge: every variant is right for every number of words" {
    local sizes="0 1 31 32 33 63 64 255 256 257 1000"
    expect_fine diverge -n "${sizes// /,}" --operations 8 --depth 3 -w 0 -r 1 --csv
    # shellcheck disable=SC2086  # one word per size
    expect_all_verified diverge $sizes
}

@test "diverge: every variant is right with blocks of any size, and for any number of rounds" {
    local block
    for block in 1 31 33 100 1024; do
        expect_fine diverge -n 1500 -b $block --rounds 3 --operations 2 --depth 5 -w 0 -r 1 --csv
        expect_verified_rows 18 || return
    done
    expect_fine diverge -n 100 --rounds 33 --operations 2 --depth 5 -w 0 -r 1 --csv
    expect_verified_rows 18
}

@test "diverge: every length of a body and every depth is right" {
    expect_fine diverge -n 300 -k '*parity,two-ifs,reordered,*above-2,nested*' --operations 1,2,4,8,16,32,64,128,256 -w 0 -r 1 --csv
    expect_verified_rows $((6 * 9 + 2 * 5))
    [ "$(columns kernel p_operations | awk '$1 == "reordered" { print $2 }' | paste -sd ' ')" = "1 2 4 8 16 32 64 128 256" ]
    [ "$(columns kernel p_paths | awk '$1 == "nested" { print $2 }' | paste -sd ' ')" = "2 4 8 16 32" ]
}

@test "diverge: a row shows what was requested" {
    expect_fine diverge -n 100 -b 96 -k nested,handshake --depth 2 --rounds 5 --csv
    expect_clean_table
    [ "$(columns kernel dtype n bytes flop grid block p_operations p_paths p_rounds)" = "\
nested none 100 800 0 2 96 16 4 5
handshake none 100 800 0 1 128 - - 5" ]
}

@test "diverge: an option that none of the chosen variants uses is refused" {
    refuses 2 "--operations is for .*: add one of these to -k, or leave --operations out" diverge -k 'nested*,switch' --operations 8
    refuses 2 "--depth is for nested and nested-warps: " diverge -k thread-parity,handshake --depth 2
    refuses 2 "--rounds is for all variants but lock" diverge -k 'lock*' --rounds 3
    expect_fine diverge -n 64 -k nested,lock,warp-parity --operations 8 --depth 2 --rounds 3 --csv
    [ "$(columns kernel p_operations p_paths p_rounds)" = "\
warp-parity 8 2 3
nested 16 4 3
lock - - -" ]
}

# From lectures: half of the lanes idle if a branch depends on the thread's parity, none if on the warp's; threads 0 to
# 2 diverge only from their own warp; d nested branches divide a warp into up to 2 to the power of d parts.
@test "diverge: the formula says what the lectures say" {
    expect_fine diverge -n 1024 -b 256 --rounds 1 --operations 16 -k "$paths" --csv
    [ "$(columns kernel p_paths p_branch_efficiency p_active_lanes p_expected_slowdown)" = "\
warp-parity 2 1.0000 32.0000 1.0000
thread-parity 2 0.7500 16.0000 2.0000
two-ifs 2 0.6000 16.0000 2.0000
reordered 2 1.0000 32.0000 1.0000
warp-above-2 2 1.0000 32.0000 1.0000
thread-above-2 2 0.9688 28.4444 1.1250
nested-warps 2 1.0000 32.0000 1.0000
nested-warps 4 1.0000 32.0000 1.0000
nested-warps 8 1.0000 32.0000 1.0000
nested-warps 16 1.0000 32.0000 1.0000
nested-warps 32 1.0000 32.0000 1.0000
nested 2 0.7500 16.0000 2.0000
nested 4 0.5000 8.0000 4.0000
nested 8 0.3000 4.0000 8.0000
nested 16 0.1667 2.0000 16.0000
nested 32 0.0882 1.0000 32.0000
switch-warps 32 1.0000 32.0000 1.0000
switch 32 0.7500 1.0000 32.0000
loops-warps 32 1.0000 32.0000 1.0000
loops 32 0.1143 16.5000 1.9394
exit-warps 2 1.0000 32.0000 1.0000
exit 2 0.7500 16.0000 2.0000" ]
    # A block of one warp keeps half a warp of each kind: reordering needs two warps.
    expect_fine diverge -n 1024 -b 32 -k reordered --operations 16 --csv
    [ "$(columns p_active_lanes p_expected_slowdown)" = "16.0000 2.0000" ]
}

@test "diverge: the book's three kernels are three variants, and two ifs diverge twice" {
    expect_fine diverge -k goodPractice,doesNotDivergeThanksToCompilerOptimizations,willCertainlyDiverge -n 1024 --operations 8 --rounds 1 --csv
    [ "$(column kernel | paste -sd ' ')" = "warp-parity thread-parity two-ifs" ]
    on_simulator || return 0
    # Of each warp, besides one that asks whether there is a word and two before and after the round.
    [ "$(columns branches divergent_branches | awk '{ print $1 / 32 - 3, $2 / 32 }' | paste -sd ,)" = "1 0,1 1,2 2" ]
}

@test "diverge: the simulator counts the formula's branches and active lanes, for every variant, length, size and block" {
    on_simulator || skip "its counters"
    local options
    for options in "-n 0,1,33,500 --rounds 2" "-n 200,1024 -b 1024 --rounds 1" "-n 130 -b 65 --rounds 5"; do
        # shellcheck disable=SC2086  # options
        expect_fine diverge $options -k "$paths" --operations 1,2,8,32,64,256 --csv
        columns p_branch_efficiency branch_efficiency p_active_lanes const_lanes_per_request kernel n p_operations p_paths |
            awk '$1 != $2 || $3 != $4' >wrong
        [ ! -s wrong ] || complain "counters that differ from the formula: $(head -3 wrong)" || return
        [ "$(columns const_requests p_active_lanes const_lanes | awk '$1 * $2 - $3 > $1 / 1e3 || $3 - $1 * $2 > $1 / 1e3')" = "" ]
    done
}

@test "diverge: a GPU's times are compared with those of uniform warps, and the simulator has none" {
    expect_fine diverge -n 4Ki -k warp-parity,thread-parity,handshake --operations 256 --csv
    if on_simulator; then
        [ "$(columns p_slowdown p_gop_per_s | sort -u)" = "- -" ]
    else
        columns kernel p_slowdown p_gop_per_s | awk '
            $1 == "warp-parity" && !($2 == "-" && $3 > 0) { print }
            $1 == "thread-parity" && !($2 > 0 && $3 > 0) { print }
            $1 == "handshake" && !($2 > 0 && $3 == "-") { print }' >wrong
        [ ! -s wrong ] || complain "times that are not there, or should not be: $(cat wrong)"
    fi
}

@test "diverge: only lanes of a warp that wait for each other hang in lockstep" {
    on_simulator || skip "GPUs of today are independent"
    export SIMCC_TIMEOUT=3
    local kernel waiting held
    expect_fine diverge -k 'handshake,lock' --csv
    expect_verified_rows 2
    capture diverge --schedule lockstep -k "$paths,handshake-warps,lock-inside" --operations 4,64 -q --csv
    expect_verified_rows $((6 * 2 + 2 * 5 + 8))
    expect_errors_like "ERROR SUMMARY: 0 errors"
    [ "$(columns kernel p_branch_efficiency p_active_lanes | awk '$1 == "thread-parity"' | sort -u)" = "\
thread-parity 0.6667 16.0000" ]
    for kernel in handshake lock; do
        capture timeout 60 diverge --schedule lockstep -k $kernel
        expect_status 86 && expect_output "" || return
        expect_errors_like "Barrier error detected\. Threads wait for others of their warp, which lockstep holds back" ||
            return
        expect_errors_like "diverge: .*cudaErrorLaunchTimeout" || return
    done
    # In a handshake, the side that waits for a letter and the one that would write it, at the head of its loop or in it,
    # depending on the compiler.
    capture diverge --schedule lockstep -k handshake -n 64 -b 64
    expect_status 86
    waiting=$(grep -nF 'while (turns[pair] != 2 * round + 1)' "$root/kernels/diverge.cuh" | cut -d : -f 1)
    held=$(grep -nF 'letters[pair] = value;' "$root/kernels/diverge.cuh" | tail -1 | cut -d : -f 1)
    expect_errors_like "32 threads wait in a loop that polls, [^ ]*diverge\.cuh:$waiting, first \(0,0,0\)" &&
        expect_errors_like "32 threads are held back by [^,]*, diverge\.cuh:($((held - 1))|$held), first \(1,0,0\)"
}

@test "diverge: the human table shows the formula beside the counters" {
    on_simulator || skip "its counters"
    COLUMNS=500 try diverge -k thread-parity,lock --operations 4 -n 64 -b 64 --rounds 1 -f human
    expect_status 0
    expect_output_like "operations +paths +rounds +uniform branches % +active lanes +expected +verify +counted % +counted"
    expect_output_like "thread-parity .* 4 +2 +1 +75\.0 +16\.00 +2\.00 +pass +75\.0 +16"
    expect_output_like "lock .* - +- +- +- +- +- "
}

@test "diverge: invalid lengths, depths and numbers of rounds are refused" {
    refuses 2 "^diverge: --operations '3' is not 1, 2, 4, 8, 16, 32, 64, 128 or 256" diverge --operations 3
    refuses 2 "--depth '6' is not from 1 to 5" diverge --depth 1:6
    refuses 2 "--rounds" diverge --rounds 0
    refuses 2 "unknown kernel 'thread-party'; did you mean 'thread-parity'" diverge -k thread-party
    refuses 2 "unknown option '--dtype'" diverge --dtype f32
    refuses 2 "unknown schedule 'lockstop'" diverge --schedule lockstop
}

@test "diverge: the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 3 16; do
        capture env SIMCC_THREADS=$threads diverge --check=all,leakcheck -q -n 700 -b 96 --operations 8 --depth 3 --csv
        expect_verified_rows 18 || return
        expect_errors_like "ERROR SUMMARY: 0 errors" || return
    done
    capture diverge --schedule random:5 -q -n 700 --operations 8 --depth 3 --csv
    expect_verified_rows 18
}

@test "diverge: active lanes by depth go through a pipe" {
    need datamash
    pipeline 'diverge -d $device -k nested --csv |
        datamash -t , --header-in -s -g p_paths max p_active_lanes | sort -n'
    expect_status 0
    expect_output "2,16
4,8
8,4
16,2
32,1"
}

@test "diverge: nvcc predicates the page's three kernels with optimization, and branches without" {
    need nvcc
    local flags branches
    # The program of the page.
    sed -n '/cat >branches.cu/,/^> END/p' "$root/man/diverge.1" | sed '1d; $d; s/^> //' >branches.cu
    [ "$(grep -c __global__ branches.cu)" -eq 3 ]
    for flags in '' -G; do
        # shellcheck disable=SC2086  # one word or none
        nvcc $flags -arch=sm_75 -ptx -o branches.ptx branches.cu
        branches=$(awk '/\.entry/ { kernel = $0 } /@!?%p[0-9]+ bra/ { ++of[kernel] } END { for (kernel in of) print of[kernel] }' branches.ptx | sort | paste -sd ' ')
        [ "$branches" = "${flags:+1 1 2}" ] || complain "nvcc $flags: conditional branches: $branches"
    done
    command -v cuobjdump >/dev/null || return 0
    nvcc -arch=sm_75 -cubin -o branches.cubin branches.cu
    ! cuobjdump -sass branches.cubin | grep -E '@!?P[0-9] +BRA|BSSY' || complain "the machine code branches"
}

@test "diverge: the examples of its page run" { need mlr && run_examples diverge.1; }

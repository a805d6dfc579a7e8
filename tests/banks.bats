#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What banks promises: right results for every pattern, and the textbook's number of wavefronts.

load helpers

everything="--stride 0:33 --padding 0,1,2 --word 1,2,4,8,16 --op read,write,atomic"

@test "banks: every pattern is right for every number of requests" {
    local sizes="0 1 7 8 9 64 100"
    expect_fine banks -n "${sizes// /,}" --stride 2 --padding 1 -w 0 -r 1 --csv
    # shellcheck disable=SC2086  # one word per size
    expect_all_verified banks $sizes
}

@test "banks: every pattern is right for every word, operation, stride and padding" {
    # shellcheck disable=SC2086  # options
    expect_fine banks -q -n 3,21 -b 64 $everything -w 0 -r 1 --csv
    expect_verified_rows $((2 * (34 + 2 * 3 + 2) * 12))
}

@test "banks: every pattern is right with blocks of any size" {
    local block
    for block in 1 32 100 512 1024; do
        expect_fine banks -n 10 -b $block --op read,write,atomic --stride 0,1,32 -w 0 -r 1 --csv
        expect_verified_rows 33
        [ "$(column block | sort -u)" -eq $(((block + 31) / 32 * 32)) ]
    done
}

@test "banks: a row shows what was requested" {
    expect_fine banks -n 10 -b 64 --word 8 --op write --stride 4 --padding 2 -k 'stride,column' --csv
    expect_clean_table
    [ "$(column dtype | sort -u) $(column n | sort -u) $(column flop | sort -u)" = "none 10 0" ]
    # In each block, 64 lanes make 10 requests for 8 bytes each.
    [ "$(columns bytes grid | awk '{ print $1 / $2 }' | sort -u)" = 5120 ]
    [ "$(columns kernel p_word_bytes p_op p_stride p_padding p_ways p_wavefronts_per_request)" = "\
stride 8 write 4 - 4 8
column 8 write - 2 2 4" ]
}

# From a lecture: N-way conflicts of 4-byte words, and how padding and swizzling remove them.
@test "banks: the ways are those of the lectures" {
    expect_fine banks -n 8 --stride 0:33 -k stride --csv
    columns p_stride p_ways | awk '
        function divisor(a, b) { return b == 0 ? a : divisor(b, a % b) }
        ($1 == 0 ? 1 : divisor($1, 32)) != $2 { print }' >wrong
    [ ! -s wrong ] || complain "not the greatest common divisor with 32: $(cat wrong)"
    expect_fine banks -n 8 -k 'row,column,swizzled-*' --csv
    [ "$(columns kernel p_padding p_ways)" = "\
row 0 1
row 1 1
row 2 1
column 0 32
column 1 1
column 2 2
swizzled-row - 1
swizzled-column - 1" ]
}

@test "banks: words of 8 and 16 bytes are served in two and four phases, without false conflicts" {
    expect_fine banks -n 8 --stride 1:33 -k stride --word 8,16 --csv
    columns p_word_bytes p_stride p_ways p_wavefronts_per_request | awk '
        function divisor(a, b) { return b == 0 ? a : divisor(b, a % b) }
        { lanes = 128 / $1; ways = divisor($2, lanes) }
        ways != $3 || ways * 32 / lanes != $4 { print }' >wrong
    [ ! -s wrong ] || complain "not the divisor with the lanes of a phase: $(cat wrong)"
    # One word for all lanes takes one pass, or two for 16 bytes. Atomic operations on it are serialized.
    expect_fine banks -q -n 8 --stride 0 -k stride --word 1,2,4,8,16 --op read,atomic --csv
    [ "$(columns p_op p_word_bytes p_wavefronts_per_request)" = "\
read 1 1
read 2 1
read 4 1
atomic 4 32
read 8 1
atomic 8 32
read 16 2" ]
}

@test "banks: the simulator counts the formula's wavefronts, for every pattern, word and operation" {
    on_simulator || skip "its counters"
    # shellcheck disable=SC2086  # options
    expect_fine banks -q -n 9 -b 64 $everything --csv
    expect_clean_table
    expect_verified_rows $(((34 + 2 * 3 + 2) * 12))
    columns p_op p_wavefronts_per_request sld_requests sld_wavefronts_per_request sst_requests sst_wavefronts_per_request \
        satom_requests satom_wavefronts_per_request kernel p_word_bytes p_stride | awk '
        $1 == "read" && ($3 != 18 || $4 != $2) { print }
        $1 == "write" && ($5 != 18 || $6 != $2) { print }
        $1 == "atomic" && ($7 != 18 || $8 != $2) { print }' >wrong
    [ ! -s wrong ] || complain "counters that differ from the formula: $(head -3 wrong)"
}

@test "banks: a GPU's cycles follow the wavefronts, and the simulator has none" {
    expect_fine banks -k stride --stride 1,2,32 --csv
    if on_simulator; then
        [ "$(columns p_cycles_per_request p_cycles_per_wavefront | sort -u)" = "- -" ]
    else
        columns p_wavefronts_per_request p_cycles_per_request p_cycles_per_wavefront | awk '
            !($2 > 0 && $2 / $1 - $3 < 0.001 && $3 - $2 / $1 < 0.001) { print }' >wrong
        [ ! -s wrong ] || complain "cycles that contradict each other: $(cat wrong)"
    fi
}

@test "banks: the human table shows the formula beside the counters" {
    on_simulator || skip "its counters"
    COLUMNS=500 try banks -k stride --stride 8 -n 8 -f human
    expect_status 0
    expect_output_like "word +op +stride +ways +wavefronts +verify +loads counted +stores counted"
    expect_output_like "stride +8 .* 4 +read +8 +8 +8 +pass +8.00 +1.00"
}

@test "banks: invalid words, operations, strides and paddings are refused, as are atomic operations on other words" {
    refuses 2 "^banks: --word '5' is not 1, 2, 4, 8 or 16" banks --word 5
    refuses 2 "--op 'both' is not one of read, write or atomic" banks --op both
    refuses 2 "--stride '34' is not from 0 to 33" banks --stride 1:34
    refuses 2 "--padding '3' is not from 0 to 2" banks --padding 3
    refuses 2 "--op atomic needs a --word of 4 or 8 bytes" banks --op atomic --word 1,16
    refuses 2 "unknown kernel 'columns'; did you mean 'column'" banks -k columns
    refuses 2 "unknown option '--dtype'" banks --dtype f32
    try banks -n 8 -k row --padding 0 --op atomic --word 1,4,16 --csv
    expect_status 0
    expect_errors_like "^banks: --op atomic is left out for words of 1 and 16 bytes"
    [ "$(column p_word_bytes)" = 4 ]
}

@test "banks: the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 16; do
        capture env SIMCC_THREADS=$threads banks --check=all,leakcheck -q -n 12 --op read,write,atomic --word 1,4,8,16 \
            --stride 0,1,3,32 --csv
        expect_verified_rows 120
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "banks: conflicts by stride go through a pipe to a plotter" {
    need datamash
    pipeline 'banks -d $device -k stride --stride 1:32 --csv |
        datamash -t , --header-in -s -g p_ways count p_ways | sort -n'
    expect_status 0
    expect_output "1,16
2,8
4,4
8,2
16,1
32,1"
}

@test "banks: the examples of its page run" { need mlr datamash && run_examples banks.1; }

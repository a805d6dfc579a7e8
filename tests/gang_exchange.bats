#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --gang with data from other devices: parts of all of them for a transposition, halos of neighbors for a convolution.
# shellcheck disable=SC2154  # helpers.bash sets $output

# Tests side by side on a GPU

load helpers

# ---- transpose

@test "transpose --gang is right for any shape and type on one, two, three and five devices" {
    local count dtype
    for count in 1 2 3 5; do
        devices "$count"
        for dtype in f32 f64 f16 i8; do gang transpose -n 0,1,4,7x3,33x65,100x1,1x77,64x256,0x9,9x0 -t $dtype; done
        gang transpose -n 3x5,100x70 --offset 1
        [ "$(column gang | sort -un | tail -n 1)" = "$count" ] || complain "expected $count devices"
    done
}

@test "each device's rows may be sent in any number of pieces" {
    local count pieces
    for count in 2 3 5; do
        devices "$count"
        for pieces in 1 2 3 7 1024; do gang transpose -n 2,130x70,300x5,5x300,208x48 --pieces $pieces -k copy,fastest; done
    done
}

@test "transpose --gang runs all variants that do not work in place" {
    devices 2
    gang transpose -q -n 64
    diff <(variants transpose | grep -v -x -e 'cpu.*' -e in-place -e geam | sort) <(column kernel | grep -v geam | sort -u) >&2 ||
        complain "expected other variants"
    try transpose --gang -n 64 -k in-place,tile --csv
    expect_errors_like "in-place is left out at 64x64: with --gang, no matrix stays in its place"
}

@test "with --weak, each device has as many rows of the matrix as -n says" {
    devices 3
    gang transpose -n 20x30 -k tile --weak --ladder
    [ "$(columns p_rows p_columns gang bytes | paste -sd ,)" = "20 30 1 4800,40 30 2 9600,60 30 3 14400" ] || complain "shapes"
}

# ---- conv1d

@test "conv1d --gang is right for any size, width and border on one, two, three and five devices" {
    local count border sizes=0,1,2,4,7,33,400 widths=1,2,3,20
    on_simulator || sizes=0,1,7,400 widths=1,2,20  # each row takes a GPU long to set up
    for count in 1 2 3 5; do
        devices "$count"
        for border in zero clamp wrap valid; do
            gang conv1d -n $sizes --width $widths --border $border -k copy,global,fastest,overlap-save
        done
        [ "$(column gang | sort -un | tail -n 1)" = "$count" ] || complain "expected $count devices"
    done
}

@test "every variant of conv1d convolves shares, of any type and alignment" {
    local dtype border
    devices 3
    for dtype in f32 f64; do
        for border in clamp wrap; do gang conv1d -q -n 1000 --width 3,8,65 --border $border --offset 1 -t $dtype; done
    done
    diff <(variants conv1d | grep -v -e cpu -e cufft | sort) <(column kernel | grep -v cufft | sort -u) >&2 ||
        complain "expected other variants"
    gang conv1d -q -n 500 --weights 1,-2,3 --weak
    [ "$(columns n gang | uniq | paste -sd ,)" = "500 1,1500 3" ] || complain "sizes"
}

@test "halos come from as many devices as they reach, and beyond the ends from the border" {
    local count border
    for count in 2 5; do
        devices "$count"
        for border in zero clamp wrap valid; do
            gang conv1d -n 1,3,9,100,4100 --width 11,4095 --border $border -k fastest,overlap-save
        done
    done
}

# ---- both

@test "gangs larger than the machine's are predicted, with the data that they would exchange" {
    local border
    devices 2
    try transpose -q --gang --csv -n 300x40 -k copy,tile --pieces 2 --predict 2,400 -w 0 -r 2
    expect_status 0
    [ "$(columns gang kernel verify p_rows | sort -n -k 1,1 | paste -sd ,)" = "1 copy pass 300,1 tile pass 300,2 copy pass 300,\
2 copy predicted 300,2 tile pass 300,2 tile predicted 300,400 copy predicted 300,400 tile predicted 300" ] || complain "rows of transpose"
    # (On more devices than rows or columns, too.)
    for border in zero clamp wrap valid; do
        try conv1d -q --gang --csv -n 50 --width 1,30 --border $border -k fastest,overlap-save --predict 7,1000 -w 0 -r 2 --weak
        expect_status 0
        [ "$(columns p_width gang n exchange_ns | awk '$2 == 7 { print $1, $3, ($4 > 0) }' | sort -u | paste -sd ,)" = "1 350 0,30 350 1" ] ||
            complain "rows of conv1d, $border"
        try conv1d -q --gang --csv -n 50 --width 30 --border $border -k fastest,overlap-save --predict 7,1000 -w 0 -r 2
        expect_status 0
    done
}

@test "the checkers find nothing in exchanges between devices" {
    local border
    on_simulator || skip "the checkers are the simulator's"
    devices 3
    try transpose -q --gang --check -n 130x70 --pieces 2 -k copy,fastest,vectorized
    expect_status 0
    expect_errors_like "ERROR SUMMARY: 0 errors"
    for border in zero clamp wrap; do
        try conv1d -q --gang --check -n 5,300 --width 3,40 --border $border -k constant,fastest
        expect_status 0
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "what an exchange cannot do is refused, with a remedy" {
    devices 2
    refuses 2 "--pieces says how several devices exchange a matrix: add --gang" transpose --pieces 2
    refuses 2 "--pieces is for benchmarks, and with 'a' transpose is a filter" transpose --gang --pieces 2 a
    refuses 2 "--weak is for benchmarks, and with 'a' conv1d is a filter" conv1d --gang --weak a
    refuses 2 "--weak .* add --gang, or leave it out" conv1d --weak
    refuses 77 "none of the chosen variants can run" transpose --gang -k cpu
    refuses 77 "none of the chosen variants can run" conv1d --gang -k 'cpu*'
}

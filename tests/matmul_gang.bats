#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# matmul --gang: one product on several devices, by rows or by tiles.

load helpers

# Fewer rows or columns than devices, uneven ones, none, no steps along k, a vector; as tiles, several panels and rounds.
shapes=1x1x1,3x200x5,97x131x20,40x70x33,200x5x3,0x5x5,5x0x5,6x6x0

# The variants' rows of a run are there once per shape and gang.
expect_rows() {
    [ "$(column kernel | wc -l)" -eq "$1" ] || complain "expected $1 rows"
}

@test "rows of a product are right on any number of devices, for any shape" {
    local count dtype
    for count in 1 2 3 5; do
        devices "$count"
        gang matmul -n $shapes -k 'naive,tiled-32,async,fastest'
        expect_rows $((count == 1 ? 32 : 64))
        [ "$(column p_split | sort -u)" = rows ]
        [ "$(column gang | sort -un | tail -n 1)" = "$count" ] || complain "expected $count devices"
    done
    for dtype in f32 f64; do gang matmul -n 97x131x20,0x5x5 -t $dtype; done
}

@test "tiles of a product are right on grids of any shape, with one panel a round and with many rounds" {
    local count panel
    for count in 2 3 4 5 6; do
        devices "$count"
        for panel in 8 4096; do
            gang matmul --split tiles --panel $panel -n $shapes -k 'naive,fastest'
            expect_rows 32
            [ "$(columns gang p_split | sort -u)" = "1 rows
$count tiles" ] || complain "$count devices"
        done
    done
    devices 6
    gang matmul --split tiles --panel 3 -n 97x131x20 -k 'tiled*,register*,async,vectorized,warp-tile'
    gang matmul --split tiles --panel 20 -n 97x131x20 -t f64
}

@test "every type of tensor cores is right on several GPUs, in rows and in tiles" {
    local dtype split
    if on_simulator; then skip "tensor cores need a GPU"; fi
    devices 2
    for dtype in f32 tf32 bf16 f16 f64; do
        for split in rows 'tiles --panel 512'; do
            # shellcheck disable=SC2086  # one word per option
            gang matmul --split $split -t $dtype -n 4096,1000x3000x520,4097x4099x1001 -k 'fastest,wmm*,hopp*,cublas*'
        done
    done
}

@test "a product that is too large to be checked in full is checked in each device's part" {
    local split
    devices 4
    for split in rows 'tiles --panel 200'; do
        # shellcheck disable=SC2086  # one word per option
        try matmul -v --gang --split $split -n 1300x700x330 -k register-2d -w 0 -r 1 --csv
        expect_status 0
        expect_errors_like "some rows are checked in full"
        [ "$(column verify | paste -sd ' ')" = "pass pass" ] || complain "$split"
    done
}

@test "a row is for the whole product, and --weak gives each device as many rows" {
    devices 3
    gang matmul -n 30x20x10 -k tiled-16
    [ "$(columns p_m p_n p_k gang bytes flop p_split)" = "30 20 10 1 4400 12000 rows
30 20 10 3 4400 12000 rows" ]
    gang matmul -n 30x20x10 -k tiled-16 --weak --split tiles
    [ "$(columns p_m p_n p_k gang bytes flop p_split)" = "30 20 10 1 4400 12000 rows
90 20 10 3 11600 36000 tiles" ]
    devices 4
    gang matmul -n 30x20x10 -k tiled-16 --ladder
    [ "$(column gang | paste -sd ' ')" = "1 2 4" ]
}

@test "a process makes the data for its parts, finds errors in them, and knows how narrow panels may be" {
    unit_program units/matmul_part
    holds ./matmul_part
}

@test "without --gang a product is not split" {
    expect_fine matmul -n 8 -k tiled-16 -w 0 -r 1 --csv
    [ "$(column p_split)" = none ]
}

@test "exchanges and products of devices have no races, and no reads beyond the data that has arrived" {
    on_simulator || skip "the checkers are the simulator's"
    local split
    devices 4
    for split in rows 'tiles --panel 8'; do
        # shellcheck disable=SC2086  # one word per option
        try matmul -q --gang --split $split -n 45x67x20,3x3x3 --check -k naive,async
        expect_status 0
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "a timeline shows that data is multiplied only once it has arrived, and travels meanwhile" {
    need jq
    devices 4
    try matmul --gang --split tiles --panel 64 -n 256x512x256 -k register-2d -w 0 -r 1 --timeline --trace trace.json --csv
    expect_status 0
    expect_errors_like "register-2d on 4 devices: .* digits are stages"
    expect_errors_like "rank 3 products \\|[0-3 ]+\\|"
    # Two rounds: four stages of products and three exchanges on each device, one after the other.
    jq -r '.traceEvents as $all | ($all[] | select(.name == "thread_name")) as $lane
        | [$lane.args.name, ($all[] | select(.ph == "X" and .tid == $lane.tid) | .ts, .ts + .dur)] | @tsv' \
        trace.json >lanes
    [ "$(cut -f 1 lanes | paste -sd ,)" = "$(printf 'rank %s products,rank %s exchange\n' 0 0 1 1 2 2 3 3 | paste -sd ,)" ]
    awk -F '\t' '{ for (i = 3; i <= NF; ++i) if ($i < $(i - 1)) exit 1 }
        / products/ { if (NF != 9) exit 1; for (i = 2; i <= NF; ++i) products[i] = $i }
        / exchange/ { if (NF != 7) exit 1
                      for (s = 1; s <= 3; ++s) if ($(2 * s + 1) > products[2 * s + 2] + 1) exit 1
                      if ($2 > products[3]) exit 1 }' lanes || complain "$(cat lanes)"
    expect_fine matmul --gang --split tiles -n 64 -k tiled-16 -w 0 -r 1 --timeline --format human
    expect_output_like "rank 3 exchange"
}

@test "what --gang cannot do is refused, with a remedy" {
    devices 2
    refuses 2 "--split says what each of several devices computes: add --gang, or leave it out" matmul --split rows
    refuses 2 "--panel is for tiles: add --split tiles, or leave it out" matmul --gang --panel 8
    refuses 2 "show how tiles travel: add --split tiles, or leave them out" matmul --gang --timeline
    refuses 2 "show how tiles travel: add --split tiles, or leave them out" matmul --trace file
    refuses 2 "as they are: leave --batch and --transpose out" matmul --gang --batch 3
    refuses 2 "as they are: leave --batch and --transpose out" matmul --gang --transpose b
    refuses 2 "--split is for benchmarks, and with 'a' matmul is a filter" matmul --gang --split tiles a b
    refuses 2 "--split is for benchmarks, and with 'a' matmul is a filter" matmul --split tiles a b
    refuses 2 "'columns' is neither rows nor tiles" matmul --gang --split columns
    refuses 2 "--panel 1: 2 devices would exchange B of 8x100000x1 in more rounds .*; give --panel 392 or more" \
        matmul --gang --split tiles --panel 1 -n 8,8x100000x1 -k naive
    refuses 77 "none of the chosen variants can run" matmul --gang -k cpu
    refuses 77 "batched: it is for --batch 2 or more" matmul --gang -k batched
}

@test "thin products stay thin in rows and in tiles" {
    devices 3
    gang matmul -n 8x100x100,300x5x100,70x80x9 -k thin
    gang matmul --split tiles -n 8x100x100,300x5x100,70x80x9 -k thin
}

@test "cuBLASXt is for --gang on GPUs" {
    if on_simulator; then
        refuses 77 "cublasxt needs a GPU" matmul --gang -k cublasxt
        return
    fi
    refuses 77 "cublasxt: it is for --gang" matmul -k cublasxt
    devices 2
    gang matmul -n 1000x700x300,0x5x5,5x5x0 -k cublasxt,naive
    gang matmul -n 1000x700x300 -k cublasxt -t f64
    refuses 77 "cublasxt: it multiplies f32 and f64" matmul --gang -k cublasxt -t bf16
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What lectures publish: figures beside ours, the lectures' names for variants, and their ladders in order.
# shellcheck disable=SC2154  # helpers.bash sets $root, $output and $errors
# Needs no GPU

load helpers

# figures PROGRAM...: all published figures, as CSV.
figures() {
    local program header=
    for program; do
        "$program" --list --published --csv $header || return
        header=--no-header
    done
}

# What their texts have, counted by hand: lecture, program, rows, figures.
@test "every row of every published table is there" {
    figures reduce trapezoid access matadd latency conv1d matmul texture >figures.csv
    awk -F, 'NR > 1 {
            key = $2 " " $1
            ++figures[key]
            if (!seen[$2, $1, $3, $4, $5, $6]++) ++rows[key]
        }
        END { for (key in rows) print key, rows[key], figures[key] }' figures.csv | sort >counted
    diff - counted <<'END' || complain "the published tables have other numbers of rows or figures"
book latency 2 4
book matadd 4 16
book reduce 1 2
chapter trapezoid 8 8
course latency 4 4
course matmul 3 6
harris reduce 5 18
slides access 7 7
slides conv1d 2 2
slides latency 4 4
tutorial access 7 14
tutorial latency 3 3
tutorial reduce 6 22
tutorial texture 139 271
END
}

# Where the texts of the lectures are at hand: LECTURES is a folder with them.
@test "every published figure is in a lecture's text" {
    [ -d "${LECTURES-}" ] || skip "LECTURES names no folder with the lectures' texts"
    figures reduce trapezoid access matadd latency conv1d matmul texture >figures.csv
    cat "$LECTURES"/*.txt | tr -d , >texts
    # (One is counted there as a product, two are in seconds.)
    cut -d , -f 3,9 figures.csv | tail -n +2 | while IFS=, read -r name value; do
        grep -q -F -e "$value" -e "0.00${value/./} s" texts || [ "$value" = 384 ] || echo "$name: $value"
    done >missing
    [ ! -s missing ] || complain "not in the texts: $(head -5 missing)"
}

@test "every lecture's kernel is a variant of the program" {
    local program
    for program in $(benchmarks); do
        "$program" --list --csv | cut -d , -f 1 >variants
        "$program" --list --published --csv 2>/dev/null | tail -n +2 | cut -d , -f 5 | sort -u | grep -v -x -F -f variants &&
            complain "$program has no such variants"
    done
    true
}

@test "-k @LADDER runs a lecture's kernels in its order" {
    expect_fine reduce -k @tutorial -n 1000 --no-predict --csv
    [ "$(column kernel | paste -s -d ' ')" = \
        "cpu cpu-parallel atomic-global atomic-shared shared-tree shared-shuffle" ] || complain "order"
    expect_fine matmul -k @course -n 16 --no-predict --csv
    [ "$(column kernel | paste -s -d ' ')" = "cpu naive tiled-16 tiled-32" ] || complain "order"
    expect_fine shared -k @tutorial -n 1000 --array 8 --no-predict --csv
    [ "$(column kernel | paste -s -d ' ')" = \
        "search-flag indexed-local indexed-shared-own offsets-block-aggregated" ] || complain "order"
}

@test "-k @LADDER also names the groups of --ladder, and an unknown one is refused with those that there are" {
    expect_fine reduce -k @in-place -n 1000 --no-predict --csv
    [ "$(column kernel | head -1)" = neighbored ] || complain "group"
    refuses 2 "unknown ladder '@nobody'.* @tutorial, @harris, @book, @in-place and @nested" reduce -k @nobody
}

@test "-k takes a lecture's name for a kernel, whatever its case and punctuation, and --list shows it" {
    expect_fine reduce -k reduceNeighboredLess,AtomicGlobal,kernel-3 -n 1000 --no-predict --csv
    [ "$(column kernel | paste -s -d ' ')" = "atomic-global sequential neighbored-dense" ] || complain "names"
    expect_fine reduce --list --csv
    expect_output_like $'\nneighbored-dense,any,in-place,book: reduceNeighboredLess,'
}

@test "a lecture's name brings the options of its kernel, and its ladder those of all, unless they are given" {
    expect_fine access -k 'testoffset<4>,arrayReadKernel' -n 1Ki --no-predict --csv
    [ "$(columns kernel p_stride p_unroll | paste -s -d ,)" = "coalesced - 1,stride 4 1" ] || complain "names"
    expect_fine access -k @slides -n 1Ki --no-predict --csv --published=slides
    [ "$(columns kernel published_ns | grep coalesced | paste -s -d ,)" = "coalesced 1825000.0,coalesced 599000.0" ] || complain "ladder"
    expect_fine access -k 'testoffset<4>' --stride 7 -n 1Ki --no-predict --csv
    [ "$(column p_stride)" = 7 ] || complain "what is given"
    expect_fine texture -k @tutorial -n 64 --no-predict --csv
    [ "$(columns kernel p_width | grep -e '^filter-x-global' -e '^neighbors-global' | paste -s -d ,)" = \
        "neighbors-global 2,neighbors-global 4,neighbors-global 8,filter-x-global 11" ] || complain "widths"
}

@test "--list shows the variants of -k, and --published with it their figures" {
    expect_fine reduce --list -k @tutorial,cub --csv
    [ "$(column kernel | paste -s -d ' ')" = "cpu cpu-parallel atomic-global atomic-shared shared-tree shared-shuffle cub" ]
    expect_fine latency --list --published=course -k register --csv
    [ "$(columns kernel value)" = "register 1" ]
    refuses 2 "unknown ladder '@'" reduce -k @
    refuses 2 "no figures of '-'" reduce --published=-
}

@test "--published adds a lecture's figures beside ours, times in nanoseconds" {
    expect_fine reduce --published -k atomic-global,cpu,single-pass -n 1000 --no-predict --csv
    [ "$(columns kernel published_gpu published_n published_ns published_gbyte_per_s)" = "\
cpu none 268435456 283989000.0 -
atomic-global TITAN V 268435456 635355000.0 1.520
single-pass none - - -" ] || complain "figures"
}

@test "--published=SOURCE chooses a lecture or a GPU" {
    expect_fine trapezoid --published=gk20a -k atomic,shuffle -n 1Ki --no-predict --csv
    [ "$(columns published_ns | paste -s -d ' ')" = "20700000.0 14400000.0" ] || complain "GPU"
    expect_fine access --published=slides -k @slides -n 1Ki --no-predict --csv
    [ "$(columns kernel published_efficiency_percent | head -5 | cut -d ' ' -f 2 | paste -s -d ' ')" = "100 100 80 12.5 12.5" ] || complain "lecture"
    refuses 2 "no figures of 'h100'.* tutorial, harris, book and TITAN V" reduce --published=h100
}

@test "a figure belongs to the row with its cells: matadd's to a shape of blocks" {
    expect_fine matadd --published -k row-major -n 64x64 --no-predict --csv
    [ "$(columns block published_achieved_occupancy | tr , ' ' | paste -s -d ,)" = \
        "32x32 0.501071,32x16 0.736900,16x32 0.766037,16x16 0.810691" ] || complain "cells"
}

@test "people see where published figures are from" {
    expect_fine reduce -q --published -k @tutorial -n 1000 -f human
    expect_output_like $'\nPublished by: tutorial \\(268435456 elements\\) and tutorial \\(TITAN V, 268435456 elements\\)\\.$'
}

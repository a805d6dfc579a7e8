#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What latency promises: on a GPU a verified row per level of memory, operation and barrier; anywhere the plateaus of a
# curve; and in the simulator a reason why not.
# shellcheck disable=SC2154  # helpers.bash sets what tests use

# Alone on a GPU: figures are compared with published ones.

load helpers

# curve LEVEL...: four working sets per octave from 1 KiB; a LEVEL is LAST_KIB:CYCLES.
curve() {
    perl -e 'my @levels = map { [split /:/] } @ARGV;
             for (my $octave = 1; $octave <= $levels[-1][0]; $octave *= 2) {
                 for my $size (map { $octave * $_ / 4 } 4 .. 7) {
                     my ($level) = grep { $size <= $_->[0] } @levels;
                     print 1024 * $size, " $level->[1]\n" if $level;
                 }
             }' "$@"
}

@test "latency: cycles visit every place and plateaus are found, in noise and between slopes" {
    unit_program units/latency
    holds ./latency
}

@test "latency: --curve finds the levels of a published curve" {
    curve 201:34 24576:223 53248:283 4194304:640 >published
    expect_fine latency -d sim --curve published --csv
    expect_clean_table
    expect_output "plateau,first_bytes,last_bytes,points,cycles
1,1024,196608,31,34.0
2,229376,25165824,28,223.0
3,29360128,50331648,4,283.0
4,58720256,4294967296,26,640.0"
    # Points in any order, in any form of numbers, from standard input.
    pipeline 'sort -R published | tr " " , | latency -q -d sim --curve - --csv | tail -n +2 | cut -d , -f 5 | paste -sd " "'
    expect_status 0
    expect_output "34.0 223.0 283.0 640.0"
    try latency -d sim --curve <(echo 1024 30 2048 60 4096 120) --csv
    expect_status 0
    expect_output ""
    expect_errors_like "no plateau in 3 points"
}

@test "latency: an invalid curve is refused" {
    refuses 4 "standard input has 3 numbers: a curve is pairs" latency -d sim --curve - <<<"1 2 3"
    refuses 4 "standard input: point 2 is 2048 -5: bytes and cycles are positive" latency -d sim --curve - <<<"1024 3 2048 -5"
    refuses 4 "point 1 is 0 5" latency -d sim --curve - <<<"0 5"
    refuses 4 "point 1 is 5 nan|nan" latency -d sim --curve - <<<"5 nan"
    refuses 4 "standard input: line 1: 'bytes' is not a number" latency -d sim --curve - <<<"bytes cycles"
    refuses 4 "missing" latency -d sim --curve missing
    local option
    for option in '-k global' '-n 1Ki' --sweep --parallelism --profile; do
        # shellcheck disable=SC2086  # an option and its argument
        refuses 2 "--curve measures nothing, so that .* means nothing; leave it out" latency -d sim --curve missing $option
    done
    refuses 2 "--versus compares times, and in the simulator latency counts" latency -d sim --curve missing --versus global
}

@test "latency: the simulator says why it measures nothing, and wrong arguments are refused first" {
    local option
    for option in "" "-k global" "--check" "--counters"; do
        # shellcheck disable=SC2086
        capture latency -d sim -q $option
        expect_status 77
        expect_output ""
        expect_errors_like "latency: (the simulator has no caches|global needs a GPU: the simulator)"
    done
    CUDA_VISIBLE_DEVICES='' capture latency -n 1Ki
    expect_status 77
    expect_errors_like "using the SIMT simulator.*latency: the simulator has no caches, clocks or buses"
    refuses 2 "unknown kernel 'globl'; did you mean 'global'" latency -d sim -k globl
    refuses 2 "--stride '100': 100 is not a multiple of 8" latency --stride 100
    refuses 2 "--stride '2Gi'" latency --stride 2Gi
    refuses 2 "--steps" latency --steps 0
    refuses 2 "--ladder compares times of the same work, and each latency is of different work; leave it out" latency -d sim --ladder
    refuses 2 "unexpected operand 'a'" latency a
    refuses 2 "size" latency -n 12x
}

@test "latency: list and help work without a GPU, and the page has all variants and columns" {
    capture latency --list --csv
    expect_status 0
    expect_no_errors
    [ "$(column needs | sort -u)" = gpu ]
    local variants column
    variants=$(column kernel)
    [ "$(wc -w <<<"$variants")" -eq 14 ]
    capture latency --help
    expect_status 0
    need mandoc
    mandoc -T ascii "$root/man/latency.1" | sed 's/.\x08//g' >page
    for word in $variants $(sed -n -E 's/.*\{\{"(p_[a-z]+)".*/\1/p' "$root/tools/latency/table.cuh"); do
        grep -q -E -e "^ +([a-z0-9_-]+, )*$word(,|\$| )" page || complain "latency.1 does not say what $word is"
    done
}

@test "latency: --parallelism does the same steps by more warps or in more chains" {
    local size=()
    on_simulator || size=(-n 1Mi -r 3)
    expect_fine latency --parallelism --csv "${size[@]}"
    expect_clean_table
    [ "$(columns kernel p_level verify | sort -u)" = $'chains-arithmetic arithmetic pass\nchains-loads memory pass' ]
    columns kernel n p_participants p_chains p_in_flight grid block >rows
    # Each number of warps, up to all there is room for, with each number of chains; and as many steps in all.
    local warps
    warps=$(($(devquery -q -d "$device" --prop threads_per_multiprocessor --value) / 32))
    awk '{ print $3 }' rows | sort -un | paste -sd ' ' >numbers
    [ "$(cut -d ' ' -f 1 numbers),$(awk '{ print ($NF <= '$warps' && 2 * $NF > '$warps') }' numbers)" = "1,1" ]
    [ "$(wc -l <rows)" -eq $((2 * 4 * $(wc -w <numbers))) ]
    [ "$(awk '{ print $1, $3, $4 }' rows | sort -u | wc -l)" -eq "$(wc -l <rows)" ]
    awk -v processors="$(devquery -q -d "$device" --prop multiprocessors --value)" '
        $5 != $3 * 32 * $4 * ($1 == "chains-loads" ? 4 : 1) || $6 * $7 != processors * 32 * $3 { print; bad = 1 } END { exit bad }' rows
    on_simulator || return 0
    [ "$(awk '{ print $2 }' rows | sort -u)" = 65536 ]
    [ "$(columns kernel gld_requests | sort -u)" = $'chains-arithmetic 0\nchains-loads 2048' ] || complain "the same loads in every row"
    # What Little's law allows depends on what is in flight, and on nothing else: 4.4792 cycles of 121.98 lanes. But a warp
    # has only a quarter of the lanes.
    columns kernel p_participants p_in_flight p_little_percent p_peak_percent p_cycles >rows
    awk '$1 == "chains-loads" || $2 >= 4 { print $1, $3, $4, $5, $6 }' rows | sort -u >law
    [ "$(awk '{ print $1, $2 }' law | sort -u | wc -l)" -eq "$(wc -l <law)" ]
    [ "$(grep '^chains-arithmetic 512 ' law)" = "chains-arithmetic 512 93.71 - -" ]
    [ "$(grep '^chains-arithmetic 1024 ' law)" = "chains-arithmetic 1024 100.00 - -" ]
    [ "$(awk '$1 == "chains-arithmetic" && $2 < 4 && $3 >= 256 { print $2, $3, $4 }' rows | sort)" = "1 256 25.00
2 256 46.85
2 512 50.00" ]
    expect_fine latency -q --parallelism=arithmetic --predict rtx2080ti --csv
    [ "$(column kernel | sort -u)" = chains-arithmetic ]
    [ "$(columns p_participants p_in_flight p_little_percent | grep '^4 128 ')" = "4 128 50.00" ]
}

@test "latency: more in flight is faster, from warps and from chains alike" {
    on_simulator && skip "there is nothing to measure"
    expect_fine latency --parallelism --csv -r 10
    columns kernel p_participants p_chains p_in_flight p_cycles p_peak_percent gflop_per_s gbyte_per_s >rows
    awk '{ rate[$1, $2, $3] = $1 == "chains-loads" ? $8 : $7 }
        END { for (k in rate) { split(k, of, SUBSEP); kernel = of[1]
                  if (of[2] == 4 && of[3] == 1 && !(rate[kernel, 4, 4] > 3 * rate[k] && rate[kernel, 16, 1] > 3 * rate[k]))
                      print kernel, rate[k], rate[kernel, 4, 4], rate[kernel, 16, 1] } }' rows >wrong
    [ ! -s wrong ] || complain "four times as much in flight is not three times as fast: $(cat wrong)"
    [ "$(awk '$6 > 75 { print $1 }' rows | sort -u | paste -sd ' ')" = "chains-arithmetic chains-loads" ] || complain "none is near the peak"
}

@test "latency: --parallelism is refused with what it does not do" {
    refuses 2 "--kernel is for what --parallelism leaves out: latencies; leave one of them out" latency --parallelism -k global
    refuses 2 "--sweep is for what --parallelism leaves out" latency --parallelism --sweep
    refuses 2 "--parallelism 'stores' is neither arithmetic nor loads" latency --parallelism=stores
    refuses 2 "--ladder compares times of the same work" latency --parallelism --ladder
    refuses 2 "--size 4294967296 with --parallelism: 2Gi steps are the most" latency --parallelism -n 4Gi
}

@test "latency: a full device is an error" {
    [ -c /dev/full ] || skip "there is none"
    curve 64:34 >flat
    capture bash -c "latency -q -d sim --curve flat >/dev/full"
    expect_status 5
    capture bash -c "latency --list >/dev/full"
    expect_status 5
}

@test "latency: the examples of its page that need no GPU work" { need mlr && run_examples latency.1; }

# ---- on a GPU

@test "latency: every variant is verified, and levels come in their order" {
    on_simulator && skip "there is nothing to measure"
    expect_fine latency -n 1Ki:64Ki:x2,32Mi,40Mi,48Mi,1Gi,2Gi,4Gi -r 12 --csv
    expect_clean_table
    [ "$(column verify | sort -u)" = pass ]
    diff <(column kernel | uniq) <(variants latency) >&2 || complain "not all are there"
    columns p_level p_cycles | awk '
        { cycles[$1] = $2 }
        END { if (!(cycles["register"] < cycles["shared"] && cycles["shared"] <= cycles["l1"] && cycles["l1"] < cycles["l2"] &&
                    cycles["l2"] < cycles["dram"] && cycles["dram"] < cycles["host"])) { for (l in cycles) print l, cycles[l] } }' >wrong
    [ ! -s wrong ] || complain "levels out of order: $(cat wrong)"
}

@test "latency: --sweep has a row per working set, each with its level or as a slope" {
    on_simulator && skip "there is nothing to measure"
    expect_fine latency --sweep -k global,shared -n 1Ki:128Ki:x2 --stride 64,128 -r 5 --csv
    expect_clean_table
    [ "$(columns kernel p_stride | uniq -c | tr -s ' ' | paste -sd ,)" = \
        " 8 shared 64, 8 shared 128, 8 global 64, 8 global 128" ]
    [ "$(column p_level | grep -c -v -x -E 'l1|shared|slope')" -eq 0 ]
}

@test "latency: every kernel runs under --profile and prints no row" {
    on_simulator && skip "there is nothing to measure"
    expect_fine latency --profile -n 4Ki --csv
    expect_output ""
}

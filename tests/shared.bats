#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What shared promises: every variant of each ladder is right for any number of words, block and option, and the counters
# show what each step saves.
# shellcheck disable=SC2154  # helpers.bash sets $root and $device

load helpers

# One sample of each variant.
sample_each() { expect_fine shared --csv -w 0 -r 1 "$@"; }

# counted KERNEL COLUMN: a counter of that kernel in $output.
counted() { columns kernel "$2" | awk -v kernel="$1" '$1 == kernel { print $2 }' | paste -sd ' '; }

# counts KERNEL COLUMN FIGURE...: one for each of its rows.
counts() {
    local kernel=$1 column=$2 seen
    shift 2
    seen=$(counted "$kernel" "$column")
    [ "$seen" = "$*" ] || complain "$kernel: $column is '$seen', not '$*'"
}

@test "shared: every variant is right for every number of words" {
    local sizes="0 1 31 33 255 256 4095 4097 10000"
    sample_each -n "${sizes// /,}" --array 8 --skew 3
    # shellcheck disable=SC2086  # one word per size
    expect_all_verified shared $sizes
}

@test "shared: every variant is right with blocks of any size" {
    local block rows
    rows=$(variants shared | wc -l)
    for block in 1 31 100 1024; do
        sample_each -n 5000 -b $block --array 32 --skew 2
        expect_verified_rows "$rows" || return
    done
    # A grid of one such block has fewer threads than the words that are left over when four are loaded at once.
    for block in 1 2; do
        sample_each -n 7 -b $block --array 32 --skew 2
        expect_verified_rows "$rows" || return
    done
}

@test "shared: every option's values are right" {
    sample_each -n 3000 -k 'search*' --every 1
    sample_each -n 9000 -k 'search*' --every 4294967296
    sample_each -n 3000 -k 'indexed*' --array 4,8,16,32
    [ "$(counted indexed-local p_array)" = "4 8 16 32" ]
    sample_each -n 3000 -k 'offsets*' --keep 0,1,99,100
    [ "$(counted offsets-scan p_keep)" = "0 1 99 100" ]
    sample_each -n 3000 -k 'histogram*' --bins 1,2,1000,12288 --skew 1,64
    [ "$(counted histogram-vector p_bins)" = "1 1 2 2 1000 1000 12288 12288" ]
    [ "$(counted histogram-vector p_skew)" = "1 64 1 64 1 64 1 64" ]
    sample_each -n 3000 -k 'queue*' --capacity 1
    sample_each -n 3000 -k 'queue*' --capacity 6136
}

@test "shared: search reads no further than it has to, and each step of its ladder saves barriers or atomics" {
    on_simulator || skip "its counters"
    # Four tiles of 4096 words, blocks of 8 warps. All words are what is looked for: a step is enough.
    sample_each --counters -n 16Ki -b 256 -k 'search*' --every 1
    counts search-no-flag gld_requests 512 && counts search-flag gld_requests 32 && counts search-vote gld_requests 32 || return
    counts search-batch gld_requests 128 && counts search-poll gld_requests 32 || return
    counts search-no-flag satom_lanes 16384 && counts search-vote satom_lanes 1024 && counts search-ballot satom_lanes 32 || return
    # The flag is cleared by each lane, or by one for its warp.
    counts search-flag satom_lanes $((4 * (256 + 256))) && counts search-any satom_lanes $((4 * (256 + 8))) || return
    # None is: all 16 steps. The flag needs two barriers in each, a vote one, four words per thread a quarter of that.
    sample_each --counters -n 16Ki -b 256 -k 'search*' --every 4294967296
    [ "$(column gld_requests | sort -u)" = 512 ]
    counts search-flag block_barriers $((32 * (1 + 2 * 16))) && counts search-any block_barriers $((32 * 33)) || return
    counts search-vote block_barriers $((32 * (1 + 16))) && counts search-batch block_barriers $((32 * (1 + 4))) || return
    counts search-poll block_barriers 64
}

@test "shared: indexed arrays load local memory, a few banks, all banks, or nothing" {
    on_simulator || skip "its counters"
    sample_each --counters -n 16Ki -b 256 -k 'indexed*' --array 8
    # 512 warps, 64 rounds, two loads in each; 8 stores at first, of the same element in all lanes.
    counts indexed-local local_loads 65536 && counts indexed-local local_stores 4096 || return
    counts indexed-local local_store_sectors 16384 && counts indexed-local local_load_sectors 1753088 || return
    counts indexed-shared-own sld_requests 65536 && counts indexed-shared-own sst_conflicts $((4096 * 7)) || return
    counts indexed-shared-padded sst_conflicts 0 || return
    counts indexed-shared-strided sld_conflicts 0 && counts indexed-shared-strided sst_conflicts 0 || return
    [ "$(counted indexed-shared-own sld_conflicts)" -gt "$(($(counted indexed-shared-padded sld_conflicts) * 3))" ]
    counts indexed-registers local_loads 0 && counts indexed-registers sld_requests 0
}

@test "shared: offsets take one global operation per word, block, warp or tile" {
    on_simulator || skip "its counters"
    sample_each --counters -n 16Ki -b 256 -k 'offsets*' --keep 100
    counts offsets-global-atomic gatom_lanes 16384 && counts offsets-block-aggregated gatom_lanes 64 || return
    counts offsets-warp-aggregated gatom_lanes 512 && counts offsets-block-and-warp gatom_lanes 64 || return
    counts offsets-scan gatom_lanes 64 && counts offsets-tile gatom_lanes 4 || return
    counts offsets-block-aggregated satom_lanes 16384 && counts offsets-block-and-warp satom_lanes 512 || return
    counts offsets-scan satom_requests 0
    # Words that leave through shared memory fill their sectors.
    sample_each --counters -n 16Ki -b 256 -k offsets-scan,offsets-tile --keep 50
    [ "$(counted offsets-tile gst_sectors)" -lt "$(counted offsets-scan gst_sectors)" ]
}

@test "shared: a histogram with a copy for each lane has no conflicts, however skewed" {
    on_simulator || skip "its counters"
    sample_each --counters -n 16Ki -b 256 -k 'histogram*' --bins 256 --skew 1,8
    counts histogram-per-lane satom_conflicts 0 0 && counts histogram-vector satom_conflicts 0 0 || return
    counts histogram-vector gld_requests 128 128 && counts histogram-per-lane gld_requests 512 512 || return
    read -r even skewed <<<"$(counted histogram-shared-atomics satom_conflicts)"
    [ "$even" -gt 0 ]
    [ "$skewed" -gt $((3 * even)) ]
}

@test "shared: a queue keeps lanes busy, and overflows into global memory" {
    on_simulator || skip "its counters"
    sample_each --counters -n 4Ki -b 256 -k 'queue*'
    columns kernel active_lanes | awk '($1 == "queue-none") != ($2 < 8) || ($1 != "queue-none" && $2 < 25)' >wrong
    [ ! -s wrong ] || complain "active lanes: $(cat wrong)"
    [ "$(column gst_requests | sort -u)" = 0 ] || complain "queues that fit overflow"
    # The two totals are added with atomics: all stores to global memory are items.
    sample_each --counters -n 4Ki -b 256 -k 'queue-double*,queue-stack,queue-refill' --capacity 16
    [ "$(column gst_requests | sort -n | head -1)" -gt 100 ] || complain "queues that do not fit do not overflow"
}

@test "shared: the peer of --versus is beside every value, and a ladder begins anew with each" {
    sample_each -n 1000 -k 'indexed-shared-*,spill-none' --array 8,16,32 --versus spill-none
    [ "$(column kernel | grep -c spill-none)" -eq 3 ] && [ "$(column kernel | grep -c indexed)" -eq 9 ] || return
    sample_each -n 1000 -k 'indexed-shared-*' --array 8,16 --ladder
    [ "$(columns kernel step_speedup | awk '$1 == "indexed-shared-own" { print $2 }' | paste -sd ' ')" = "1.000 1.000" ]
}

@test "shared: launch bounds are a limit of registers, and a GPU says what is spilled" {
    sample_each -n 1000 -k 'spill*'
    # (Multiprocessors of some GPUs do not hold two blocks of 1024 threads.)
    [[ $(columns kernel p_most_registers) =~ ^"spill-none 255"$'\n'"spill-little 64"$'\n'"spill-much "(32|64)$ ]]
    if on_simulator; then
        [ "$(columns p_registers p_local_bytes | sort -u)" = "- -" ]
    else
        columns kernel p_most_registers p_registers p_local_bytes | awk '
            $3 > $2 || $3 == 0 { print }
            $1 == "spill-none" && $4 > 0 { print }
            $1 == "spill-much" && $2 == 32 && $4 == 0 { print }' >wrong
        [ ! -s wrong ] || complain "registers and spills: $(cat wrong)"
    fi
}

@test "shared: nvcc spills as the page says, also by -maxrregcount" {
    need nvcc
    local limit
    for limit in 24 255; do
        nvcc -std=c++17 -arch=sm_75 -cubin -maxrregcount $limit -Xptxas -v -I "$root" -DBACKEND=gpu -x cu \
            -include kernels/shared/spill.cuh -o spill.cubin /dev/null 2>"report$limit"
    done
    grep -A2 spill_much report24 | grep -q ' [1-9][0-9]* bytes spill stores' || complain "spill_much: $(cat report24)"
    ! grep -A2 spill_none report255 | grep -q ' [1-9][0-9]* bytes spill stores' || complain "spill_none: $(cat report255)"
}

@test "shared: invalid lengths, percentages, bins, capacities and sizes are refused" {
    refuses 2 "^shared: --array '5' is not 4, 8, 16 or 32" shared --array 5
    refuses 2 "--keep '101' is not from 0 to 100" shared --keep 101
    refuses 2 "--bins '12289' is not from 1 to 12288" shared --bins 12289
    refuses 2 "--skew '0' is not from 1 to 64" shared --skew 0
    refuses 2 "--every" shared --every 0
    refuses 2 "--capacity" shared --capacity 0
    refuses 2 "unknown kernel 'search-flug'; did you mean 'search-flag'" shared -k search-flug
    refuses 2 "size 4294967296 is too large: up to 4294967295 words" shared -n 2Gi,4Gi
    refuses 2 "size 2147483648 is too large: up to 2147483647 words in blocks of 1" shared -n 2Gi -b 1
    on_simulator || refuses 77 "offsets-cub: 2147483648 words are too many for it" shared -n 2Gi -k offsets-cub
}

@test "shared: the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local options
    for options in "-n 5000 -b 96 --capacity 16" "-n 700 -b 31 --array 32" "--schedule random:3 -n 2000"; do
        # shellcheck disable=SC2086  # options
        capture shared --check=all,leakcheck -q --csv $options
        expect_status 0 && expect_errors_like "ERROR SUMMARY: 0 errors" || return
    done
}

@test "shared: the ladder of a use goes through a pipe" {
    need datamash
    on_simulator || skip "its counters"
    pipeline 'shared -d $device --counters -q --csv -k "offsets*" | datamash -t , --header-in -s -g p_keep max gatom_lanes min gatom_lanes'
    expect_status 0
    expect_output "50,8142,4"
}

@test "shared: the examples of its page run" { need mlr && run_examples shared.1; }

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the counters of the checked simulator promise: exactly the textbooks' figures, by kernel and by line.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/check

# counts PROGRAM: runs tests/check/PROGRAM.cu in the checked simulator, counters into counters.csv.
counts() {
    once "$1" simcc -G "$programs/$1.cu" -o "$1" || return
    capture env SIMCC_COUNTERS=csv:counters.csv "./$1"
    expect_status 0 && expect_output "" && expect_no_errors
}

# figure KERNEL COLUMN [LINE]: one figure of a kernel, or of one line of it.
figure() {
    awk -F, -v kernel="$1" -v column="$2" -v line="${3-}" '
        NR == 1 { for (i = 1; i <= NF; ++i) { if ($i == column) wanted = i; if ($i == "line") at = i } }
        NR > 1 && $1 == kernel && $at == line { print $wanted }' counters.csv
}

# is KERNEL COLUMN VALUE [LINE]
is() {
    local value
    value=$(figure "$1" "$2" "${4-}")
    [ "$value" = "$3" ] || complain "$1 ${4:+line $4 }$2: '$value', not '$3'"
}

# line_of TEXT PROGRAM: the first line of the source that contains the text.
line_of() { grep -nF -- "$1" "$programs/$2.cu" | head -1 | cut -d: -f1; }

@test "strides of 1, 2, 4, 8 and 32 words move 4, 8, 16, 32 and 32 sectors" {
    counts count_global
    for pair in 1:4:1 2:8:0.5 4:16:0.25 8:32:0.125 32:32:0.125; do
        IFS=: read -r stride sectors efficiency <<<"$pair"
        is "strided<$stride>" gld_requests 1
        is "strided<$stride>" gld_lanes 32
        is "strided<$stride>" gld_bytes 128
        is "strided<$stride>" gld_sectors "$sectors"
        is "strided<$stride>" gld_sectors_per_request "$sectors"
        is "strided<$stride>" gld_efficiency_asked "$efficiency"
        is "strided<$stride>" gld_efficiency_distinct "$efficiency"
        is "strided<$stride>" gst_sectors 4
        is "strided<$stride>" gst_efficiency_asked 1
    done
}

@test "an access moves 5 sectors if misaligned by a word, 4 if permuted within 128 bytes, 1 if all read one word" {
    counts count_global
    is misaligned gld_sectors 5
    is misaligned gld_efficiency_asked 0.8
    is permuted gld_sectors 4
    is permuted gst_sectors 4
    is broadcast gld_sectors 1
    is broadcast gld_efficiency_asked 4
    is broadcast gld_efficiency_distinct 0.125
}

@test "16 bytes per lane move 16 sectors, 8 bytes 8, a byte 1, and a volatile access is an access" {
    counts count_global
    is vector4 gld_requests 1
    is vector4 gld_sectors 16
    is vector4 gst_sectors 16
    is vector4 gld_efficiency_asked 1
    is words8 gld_sectors 8
    is words8 gst_sectors 8
    is single_bytes gld_sectors 1
    is single_bytes gst_efficiency_asked 1
    is volatile_words gld_sectors 4
    is volatile_words gst_sectors 4
}

@test "each field of a structure is a request of its own" {
    counts count_global
    is structures gld_requests 3
    is structures gld_lanes 96
    is structures gld_sectors_per_request 12
    is structures gld_efficiency_asked 0.333333
}

@test "only lanes with work count" {
    counts count_global
    is tail gld_requests 4
    is tail gld_lanes 106
    is tail gld_bytes 424
    is tail gld_sectors 14
    is tail branches 4
    is tail divergent_branches 1
    is tail branch_efficiency 0.75
    is tail gld_lanes 106 "$(line_of 'if (i < n)' count_global)"
}

@test "atomic operations are counted separately, with the most contended address" {
    counts count_global
    is same_address gatom_requests 4
    is same_address gatom_lanes 128
    is same_address gatom_sectors 4
    is same_address most_contended_operations 128
    is same_address gld_requests ""
    is same_address gst_requests ""
    is neighbors gatom_requests 8
    is neighbors gatom_lanes 132
    is neighbors gatom_sectors 20
    is neighbors most_contended_operations 8
    capture env SIMCC_COUNTERS=1 ./count_global
    grep -A30 '^same_address' <<<"$errors" | grep -q 'most_contended_address *0x' || complain "the address is not named"
}

@test "texture and surface accesses have their own counters: sectors of linear memory, none of opaque arrays" {
    local kernel
    counts count_textures
    for kernel in rows columns of_array linear4 two; do is $kernel gld_requests ""; done
    is rows tex_requests 1
    is rows tex_lanes 32
    is rows tex_bytes 128
    is rows tex_sectors 4
    is columns tex_sectors_per_request 32
    is of_array tex_requests 1
    is of_array tex_bytes 128
    is of_array tex_sectors ""
    is of_array tex_sectors_per_request ""
    is linear4 tex_requests 1
    is linear4 tex_bytes 512
    is linear4 tex_sectors 16
    is two tex_requests 2
    is two tex_sectors 20
    is two tex_sectors 4 "$(line_of 'const float first' count_textures)"
    is two tex_sectors 16 "$(line_of 'first + tex2D' count_textures)"
    is on_surface tex_requests 2
    is on_surface tex_sectors ""
    is on_surface gld_requests ""
    is on_surface gst_requests 1
    # A fetch has no branches, since it is one instruction on a GPU.
    is rows branches ""
}

@test "constant loads have their own counters: a pass for each address" {
    counts count_textures
    is uniform gld_requests ""
    is uniform const_requests 1
    is uniform const_lanes 32
    is uniform const_passes 1
    is uniform const_lanes_per_request 32
    is pairs const_passes_per_request 16
    is each const_passes_per_request 32
    is each gld_sectors 4
}

@test "lanes that run more rounds of a loop than others are counted together while they run" {
    counts count_global
    # The lanes whose number times 40 is at least i run round i: 1241 requests, each to one address.
    is triangle gld_requests 1241
    is triangle gld_lanes $((32 + 40 * 31 * 32 / 2))
    is triangle gld_sectors 1241
    is triangle gst_requests 1
    is triangle gst_sectors 4
}

@test "a column of a 32 x 32 tile takes 32 wavefronts, and 1 when the tile is padded" {
    counts count_shared
    is 'column<32>' sld_requests 1
    is 'column<32>' sld_wavefronts 32
    is 'column<32>' sld_conflicts 31
    is 'column<33>' sld_wavefronts 1
    is 'column<33>' sld_conflicts 0
    is 'column<32>' sst_requests 32
    is 'column<32>' sst_wavefronts 32
    is 'column<32>' sst_conflicts 0
    is 'column<32>' block_barriers 1
}

@test "strides of 2 and 8 words conflict twofold and eightfold, an odd stride and a broadcast not at all" {
    counts count_shared
    is 'strided<2>' sld_wavefronts 2
    is 'strided<2>' sst_conflicts 1
    is 'strided<8>' sld_wavefronts 8
    is 'strided<8>' sst_conflicts 7
    is 'strided<3>' sld_wavefronts 1
    is 'strided<3>' sst_conflicts 0
    is broadcast sld_wavefronts 1
    is broadcast warp_barriers 1
}

@test "words of 8 and 16 bytes take two and four wavefronts without a false conflict, bytes of a word one" {
    counts count_shared
    is 'wide<double>' sld_wavefronts 2
    is 'wide<double>' sld_conflicts 0
    is 'wide<double>' sst_wavefronts 2
    is 'wide<float4>' sld_wavefronts 4
    is 'wide<float4>' sld_conflicts 0
    is 'wide<float4>' sst_wavefronts 4
    is array_of_vectors sst_requests 1
    is array_of_vectors sld_wavefronts 4
    is pairs sld_wavefronts 2
    is vector_broadcast sld_wavefronts 2
    is 'store_to_one_word<int>' sst_wavefronts 1
    is 'store_to_one_word<double>' sst_wavefronts 2
    is 'store_to_one_word<float4>' sst_wavefronts 4
    is single_bytes sld_wavefronts 1
    is single_bytes sst_conflicts 0
}

@test "atomic operations and barriers in shared memory, shuffles and votes are counted" {
    counts count_shared
    is histogram satom_requests 2
    is histogram satom_lanes 64
    is histogram satom_wavefronts 32
    is histogram satom_conflicts 30
    is histogram most_contended_operations 16
    is histogram block_barriers 4
    is histogram gatom_requests ""
    is exchanges exchanges 12
}

@test "atomic operations on one word are serialized, and those on different words conflict as loads do" {
    counts count_shared
    is 'atomics<1>' satom_wavefronts 1
    is 'atomics<1>' satom_conflicts 0
    is 'atomics<8>' satom_wavefronts 8
    is 'atomics<0>' satom_wavefronts 32
    is 'atomics<0>' satom_conflicts 31
    is 'wide_atomics<1>' satom_wavefronts 2
    is 'wide_atomics<1>' satom_conflicts 0
    is 'wide_atomics<16>' satom_wavefronts 32
    is 'wide_atomics<0>' satom_wavefronts 32
}

@test "an array that is indexed at run time is in local memory, where eight lanes' equal words share a sector" {
    counts count_local
    # Eight stores of the same element by all lanes; lane i then loads element i % 8.
    is own_index local_stores 8
    is own_index local_store_sectors 32
    is own_index local_loads 1 && is own_index local_load_lanes 32 && is own_index local_load_bytes 128
    is own_index local_load_sectors 32
    is own_index local_loads 1 "$(line_of 'element i % 8' count_local)"
    is own_index local_stores 8 "$(line_of 'a[i] = in[i];' count_local)"
    # Words of 8 bytes are two; four lanes that read bytes of one word share it.
    is same_index local_load_sectors 8 && is same_index local_store_sectors 32
    is bytes local_load_sectors 8 && is bytes local_stores 64
    is half_of_the_lanes local_loads 1 && is half_of_the_lanes local_load_sectors 16
}

@test "an array with constant indices is in registers, and arrays end with their scopes" {
    counts count_local
    is constant_index local_loads "" && is constant_index local_stores ""
    # Two blocks, two rounds, four and two stores, two loads.
    is nested_scopes local_stores 24 && is nested_scopes local_loads 8
    is nested_scopes local_store_sectors 128 && is nested_scopes local_load_sectors 80
}

@test "a loop that is unrolled by a factor below its number of turns has no constant indices" {
    counts count_local
    is run_time_bound local_stores 6 "$(line_of 'i < n; ++i' count_local)"
    is small_factor local_stores 8 && is small_factor local_loads 1
    is large_factor local_stores "" && is large_factor local_loads ""
}

@test "a branch by parity of the lane is divergent, by parity of the warp efficient" {
    counts count_branches
    local test
    test=$(line_of 'threadIdx.x % 2' count_branches)
    is parity branches 2
    is parity divergent_branches 2
    is parity branch_efficiency 0
    is parity branch_efficiency 0 "$test"
    is parity active_lanes 16 $((test + 1))
    is parity active_lanes 16 $((test + 3))
    is warp_parity branches 2
    is warp_parity divergent_branches 0
    is warp_parity branch_efficiency 1
    is warp_parity active_lanes 32
}

@test "lanes that diverge reconverge: in each round of a loop, after nested branches and after a switch" {
    counts count_branches
    # Per warp and round: two requests by 16 lanes each and one by all; the branch in it diverges, the loop does not.
    is parity_in_loop gst_requests 3000
    is parity_in_loop gst_lanes 64000
    is parity_in_loop branches 2000
    is parity_in_loop branch_efficiency 0.5
    is nested gst_requests 4
    is nested gst_lanes $((8 + 8 + 16 + 32))
    is nested branches 2
    is nested branch_efficiency 0
    is several_ways gst_requests 5
    is several_ways gst_lanes 64
    is several_ways gst_lanes 32 "$(line_of '+ 256' count_branches)"
}

@test "lanes that leave a loop wait after it, and a branch that all lanes always take counts, too" {
    counts count_branches
    is trip_counts gst_requests 33
    is trip_counts gst_lanes $((16 * 33 + 32))
    is trip_counts divergent_branches 31
    # Each lane has over a thousand events: the warp's steps are found before the last lane has finished.
    is trip_counts_again gst_requests $((3 * 32 * 16))
    is trip_counts_again divergent_branches $((3 * 31))
    is always branches 2
    is always branch_efficiency 1
    is early_exit gst_requests 2
    is early_exit gst_lanes 16
    is early_exit warp_barriers 1
}

@test "the counters are the same on one worker thread and on four, and under any schedule" {
    SIMCC_THREADS=4 counts count_global
    mv counters.csv four.csv
    SIMCC_THREADS=1 counts count_global
    cmp four.csv counters.csv
    SIMCC_SCHEDULE=random:7 counts count_global
    cmp four.csv counters.csv
}

@test "the counters come as text, by line and beside the source" {
    counts count_branches
    capture env SIMCC_COUNTERS=1 ./count_branches
    grep -q '^parity: 1 launch, 1 block, 64 threads$' <<<"$errors" || complain "no heading"
    grep -Eq '^  branch_efficiency +0.5 ' <<<"$errors" || complain "no figure"
    capture env SIMCC_COUNTERS=lines ./count_branches
    grep -q "^  count_branches.cu:$(line_of 'threadIdx.x % 2' count_branches) " <<<"$errors" || complain "no line"
    capture env SIMCC_COUNTERS=annotate ./count_branches
    grep -Eq '0 +32 \| .*if \(threadIdx.x % 2 == 0\)' <<<"$errors" || complain "no source"
}

@test "an unknown word in SIMCC_COUNTERS and a file that cannot be written are reported" {
    counts count_branches
    capture env SIMCC_COUNTERS=pretty ./count_branches
    expect_status 2
    expect_errors_like 'choose 1, lines, annotate or csv:FILE'
    capture env SIMCC_COUNTERS=csv:/nowhere/x ./count_branches
    expect_status 2
    expect_errors_like 'cannot write /nowhere/x'
}

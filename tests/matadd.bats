#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What matadd promises: every variant is right for every matrix and block, sectors are the textbook's, and occupancy is
# CUDA's.
# shellcheck disable=SC2154  # helpers.bash sets what tests use

load helpers

shapes="0 1 7x3 33x65 1x1000 1000x1 64x96 0x9"
some_blocks="1,3x5,32x32,1x1024,1024,7x100"

# The rows of a run at one shape and `blocks` block shapes: two mappings with each block, and the others once.
rows_of() {
    local blocks=$1 others
    others=$(variants matadd | grep -c -v -e -major -e geam)
    echo $((2 * blocks + others))
}

# Without the peer, which is not always installed.
without_peer=cpu,cpu-parallel,row-major,column-major,streaming

# occupancy REGISTERS SMEM BLOCK CC: blocks, occupancy and limiter.
occupancy() {
    expect_fine matadd --occupancy "registers=$1,smem=$2,block=$3,cc=$4" --csv || return
    awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
        $at["asked"] == 1 { print $at["blocks_per_multiprocessor"], $at["occupancy_percent"], $at["limiter"] }' <<<"$output"
}

# ---- sums

@test "matadd: every variant is right for every shape, type, block and alignment" {
    local kind
    for kind in "f32 --offset 0" "f32 --offset 1" "f64 --offset 1"; do
        # shellcheck disable=SC2086  # a type, an option and its argument
        expect_fine matadd -k $without_peer -n "${shapes// /,}" --blocks $some_blocks -w 0 -r 1 --csv -t $kind
        expect_verified_rows $((8 * $(rows_of 6)))
    done
}

@test "matadd: more blocks than a grid has in y become layers in z" {
    expect_fine matadd -k row-major -n 70000x2 --blocks 2x1 -w 0 -r 1 --csv
    expect_verified_rows 1
    [ "$(column grid)" = 1x35000x2 ]
    expect_fine matadd -k column-major -n 2x140000 --blocks 2x1,1 -w 0 -r 1 --csv
    expect_verified_rows 2
    [ "$(column grid | paste -sd ' ')" = "1x46667x3 2x46667x3" ]
}

@test "matadd: larger matrices are right on any number of threads" {
    on_simulator || skip "its threads"
    local threads
    for threads in 1 3 16; do
        SIMCC_THREADS=$threads expect_fine matadd -n 300x301 --blocks 32x8,16x16 --csv
        expect_verified_rows "$(rows_of 2)"
    done
}

@test "matadd: all block shapes up to 1024 threads" {
    expect_fine matadd -k row-major,column-major -n 64 --blocks all -w 0 -r 1 --csv
    expect_verified_rows $((2 * 66))
    # Powers of two, each once.
    columns p_block_x p_block_y | head -66 >blocks
    [ "$(sort -u blocks | wc -l)" -eq 66 ]
    [ -z "$(awk '$1 * $2 > 1024 || and_of($1) || and_of($2) { print }
        function and_of(n) { while (n % 2 == 0) n /= 2; return n != 1 }' blocks)" ]
    # And the ones in between: all pairs of whole numbers with such a product. (On a GPU so many rows take longer.)
    on_simulator || return 0
    expect_fine matadd -k row-major -n 1 --blocks every -w 0 -r 1 --csv
    [ "$(column verify | grep -c pass)" -eq "$(awk 'BEGIN { for (x = 1; x <= 1024; ++x) n += int(1024 / x); print n }')" ]
}

@test "matadd: a row shows shapes, traffic and launch" {
    expect_fine matadd -k column-major -n 100x50 -t f64 --block 8x4 --csv
    expect_verified_rows 1
    [ "$(column n) $(column bytes) $(column flop) $(column p_rows) $(column p_columns)" = "5000 120000 5000 100 50" ]
    [ "$(column grid) $(column block) $(column p_block_x) $(column p_block_y)" = "13x13 8x4 8 4" ]
    expect_fine matadd -k cpu -n 10 --csv
    [ "$(column p_occupancy_limit) $(column p_block_x) $(column p_blocks_per_multiprocessor)" = "none  " ]
}

# ---- loads

@test "matadd: the formulas for sectors and efficiency are the lecture's" {
    expect_fine matadd -k row-major,column-major -n 256 --blocks 32x32,32x16,16x32,16x16,8x32,4x8,1x32,24x8 -w 0 -r 1 --csv
    [ "$(columns kernel block p_sectors_per_request p_efficiency_percent)" = "\
row-major 32x32 4.0000 100.00
row-major 32x16 4.0000 100.00
row-major 16x32 4.0000 100.00
row-major 16x16 4.0000 100.00
row-major 8x32 4.0000 100.00
row-major 4x8 8.0000 50.00
row-major 1x32 32.0000 12.50
row-major 24x8 4.0000 100.00
column-major 32x32 32.0000 12.50
column-major 32x16 32.0000 12.50
column-major 16x32 16.0000 25.00
column-major 16x16 16.0000 25.00
column-major 8x32 8.0000 50.00
column-major 4x8 4.0000 100.00
column-major 1x32 4.0000 100.00
column-major 24x8 24.0000 16.67" ]
}

@test "matadd: the simulator counts the formula's sectors for every block shape" {
    on_simulator || skip "its counters"
    local dtype
    for dtype in f32 f64; do
        expect_fine matadd -k row-major,column-major -n 64 --blocks all -t $dtype --csv
        columns p_sectors_per_request gld_sectors_per_request gst_sectors_per_request p_efficiency_percent gld_efficiency_distinct kernel block |
            awk 'function differs(a, b) { return a - b > 0.0001 || b - a > 0.0001 }
                $1 != $2 || $1 != $3 || differs($4 / 100, $5) { print }' >wrong
        [ ! -s wrong ] || complain "counters that differ from the formula: $(head -3 wrong)"
    done
    # And for those that split sectors, over whole blocks.
    expect_fine matadd -k row-major,column-major -n 96x96 --blocks 24x4,12x8,6x16,3x32,48x2 --csv
    [ "$(column p_sectors_per_request)" = "$(column gld_sectors_per_request)" ]
}

@test "matadd: with lines of 128 bytes, loads are as efficient as the book's profiler says" {
    on_simulator || skip "its counters"
    expect_fine matadd -k row-major --line 128 --csv
    [ "$(columns block gld_sectors_per_request p_efficiency_percent gld_efficiency_distinct gst_sectors_per_request)" = "\
32x32 4.0000 100.00 1.0000 4.0000
32x16 4.0000 100.00 1.0000 4.0000
16x32 8.0000 50.00 0.5000 4.0000
16x16 8.0000 50.00 0.5000 4.0000" ]
    # Which are the published figures to a fifth of a percent.
    paste <(printf '%s\n' 100.00 100.00 49.96 49.80) <(column p_efficiency_percent) |
        awk '{ if (!($2 - $1 <= 0.201 && $1 - $2 <= 0.201)) exit 1 }' || complain "not the book's"
    # In formula and counters alike for every shape.
    expect_fine matadd -k row-major,column-major -n 64 --blocks 4x8,8x8,8x32,1x32,64x4 --line 128 --csv
    [ "$(column p_sectors_per_request)" = "$(column gld_sectors_per_request)" ]
}

@test "matadd: the human table shows occupancy and sectors" {
    on_simulator || skip "its table"
    COLUMNS=500 try matadd -k row-major -n 64 --blocks 4x8 -f human
    expect_status 0
    expect_output_like "rows +columns +registers +blocks/SM +occupancy % +occupancy limit +sectors +useful % +verify +sectors read +of use"
    expect_output_like "row-major .* 64 +64 +32 +32 +50.0 +blocks +8.00 +50.0 +pass +8.00 +50.0"
}

# ---- occupancy

@test "matadd: the occupancy of a row follows from its kernel's resources" {
    local registers block x y
    expect_fine matadd -k row-major -n 64 --blocks 32x32,1x7,10x10,8x8 -w 0 -r 1 --csv
    columns p_block_x p_block_y p_registers p_blocks_per_multiprocessor p_occupancy_percent p_occupancy_limit >rows
    while read -r x y registers row; do
        [ "$registers" -gt 0 ]
        block=$((x * y))
        matadd -d "$device" --occupancy "registers=$registers,block=$block" --csv |
            awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
                $at["asked"] == 1 { print $at["blocks_per_multiprocessor"], $at["occupancy_percent"], $at["limiter"] }' >calculated
        [ "$row" = "$(cat calculated)" ] || complain "$x x $y: $row, and $(cat calculated)"
    done <rows
}

@test "matadd: the calculator gives the textbook's examples" {
    # 256 threads with 64 registers are 16384 registers: four such blocks take all 65536.
    [ "$(occupancy 64 16384 256 9.0)" = "4 50.00 registers" ]
    # One register more than a quarter of the partition's share for ten warps.
    [ "$(occupancy 48 0 320 8.0)" = "4 62.50 registers" ]
    [ "$(occupancy 0 0 32 9.0)" = "32 50.00 blocks" ]
    [ "$(occupancy 0 0 32 7.5)" = "16 50.00 blocks" ]
    [ "$(occupancy 16 0 1024 8.6)" = "1 66.67 threads" ]
    [ "$(occupancy 16 0 768 8.9)" = "2 100.00 threads" ]
    # Of Hopper's 228 KiB, each block takes 1 KiB for the system: two blocks of 113 KiB fit, but not of a byte more.
    [ "$(occupancy 16 115712 128 9.0)" = "2 12.50 shared-memory" ]
    [ "$(occupancy 16 115713 128 9.0)" = "1 6.25 shared-memory" ]
    [ "$(occupancy 16 49152 128 7.0)" = "2 12.50 shared-memory" ]
    # The exercise for Fermi: 8 x 8, 16 x 16 or 32 x 32, by capability and as a description.
    local multiprocessor
    for multiprocessor in 2.0 threads=1536,blocks=8,registers=32768; do
        multiprocessor=${multiprocessor/#2.0/cc=2.0}
        for shape in "8x8 8 33.33 blocks" "16x16 6 100.00 threads" "32x32 1 66.67 threads"; do
            expect_fine matadd --occupancy "$multiprocessor,block=${shape%% *}" --csv || return
            [ "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
                $at["asked"] == 1 { print $at["blocks_per_multiprocessor"], $at["occupancy_percent"], $at["limiter"] }' <<<"$output")" = \
                "${shape#* }" ] || complain "$multiprocessor, $shape" || return
        done
    done
    # Before 2.0, blocks have 512 threads at most, and registers are a block's, for an even number of warps.
    [ "$(occupancy 20 0 192 1.0)" = "2 50.00 registers" ]
    [ "$(occupancy 16 0 1024 1.3)" = "0 0.00 threads" ]
    [ "$(occupancy 64 0 256 3.0)" = "0 0.00 registers" ]  # 63 at most
    [ "$(occupancy 128 0 1024 3.7)" = "0 0.00 registers" ]  # a block has half of the multiprocessor's
    # Too large for any multiprocessor.
    [ "$(occupancy 16 100Ki 128 12.0)" = "0 0.00 shared-memory" ]
    [ "$(occupancy 255 0 512 9.0)" = "0 0.00 registers" ]
    [ "$(occupancy 32 0 256 9.0)" = "8 100.00 threads+registers" ]
}

@test "matadd: the calculator's table has a row per number of warps, and one for the given block, for each capability" {
    expect_fine matadd --occupancy registers=40,smem=1000,block=100,cc=all --csv
    expect_clean_table
    [ "$(column compute_capability | uniq | paste -sd ' ')" = \
        "1.0 1.1 1.2 1.3 2.0 2.1 3.0 3.2 3.5 3.7 5.0 5.2 5.3 6.0 6.1 6.2 7.0 7.2 7.5 8.0 8.6 8.7 8.8 8.9 9.0 10.0 10.1 10.3 11.0 12.0 12.1" ]
    [ "$(column block | head -33 | paste -sd ' ')" = "32 64 96 100 $(seq -s ' ' 128 32 1024)" ]
    [ "$(column asked | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ' ')" = "992 0 31 1" ]
    # The limiter is the resource for the fewest blocks.
    [ -z "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        { least = $at["blocks_per_multiprocessor"]; want = ""
          for (name in room) delete room[name]
          split("threads blocks registers shared-memory", names, " ")
          split("threads blocks registers smem", columns, " ")
          for (i = 1; i <= 4; ++i) {
              room[i] = $at["blocks_by_" columns[i]]
              if (room[i] < least) print "more than " names[i] ": " $0
              if (room[i] == least) want = want (want == "" ? "" : "+") names[i]
          }
          if (want != $at["limiter"]) print want ": " $0 }' <<<"$output")" ]
    # Without a capability, the device's applies, and without a block none is marked.
    expect_fine matadd --occupancy registers=40 --csv
    [ "$(column compute_capability | sort -u)" = "$(devquery -q -d "$device" --prop compute_capability --value)" ]
    [ "$(column asked | sort -u)" = 0 ]
    [ "$(column blocks_by_smem | sort -u | head -1)" -gt 0 ]
}

@test "matadd: the human format gives the answer as a sentence" {
    expect_fine matadd --occupancy registers=64,smem=16384,block=256,cc=9.0 -f human
    [ "$(tail -1 stdout)" = "A multiprocessor of compute capability 9.0 holds 4 blocks of 256 threads, 32 of 64 warps: 50.0 %, limited by registers." ]
    expect_fine matadd --occupancy registers=128,block=1024,cc=8.6 -f human
    [ "$(tail -1 stdout)" = "A multiprocessor of compute capability 8.6 has no room for a block of 1024 threads: registers." ]
    for columns in 40 60 80; do
        COLUMNS=$columns expect_fine matadd --occupancy registers=64,smem=16384,block=256,cc=9.0 -f human
        [ "$(tail -4 stdout | awk '{ if (length($0) > most) most = length($0) } END { print most }')" -le $columns ]
    done
}

@test "matadd: shared memory is cut from the L1 cache as the carve-out says, or as a block needs" {
    local blocks
    for carveout in 0:1 10:3 50:14 100:25; do
        expect_fine matadd --occupancy "registers=16,smem=8000,block=32,cc=9.0,carveout=${carveout%:*}" --csv
        blocks=$(column blocks_by_smem | head -1)
        [ "$blocks" = "${carveout#*:}" ] || complain "carve-out $carveout: $blocks"
    done
}

@test "matadd: the calculator agrees with the toolkit's for every capability and random resources" {
    local include
    for include in "${CUDA_HOME:-/usr/local/cuda}/include" "$root"/build/toolkit/nvidia/*/include; do
        [ ! -f "$include/cuda_occupancy.h" ] || break
    done
    [ -f "$include/cuda_occupancy.h" ] || skip "cuda_occupancy.h is not installed"
    grep -q '__CUDA_OCC_MAJOR__ 1[2-9]' "$include/cuda_occupancy.h" || skip "it is older than compute capability 12"
    unit_program units/occupancy -isystem "$include"
    capture ./occupancy 20000
    expect_output "300000 launches on 15 capabilities"
    expect_status 0
}

@test "matadd: the calculator agrees with CUDA's occupancy for 500 random launches" {
    expect_fine matadd --against-cuda 500 --csv
    expect_clean_table
    [ "$(column block | wc -l)" -eq 500 ]
    [ "$(column blocks_per_multiprocessor)" = "$(column cuda_blocks_per_multiprocessor)" ]
    # They are varied.
    [ "$(column limiter | tr + '\n' | sort -u | paste -sd ' ')" = "blocks registers shared-memory threads" ]
    [ "$(column cuda_blocks_per_multiprocessor | sort -u | wc -l)" -gt 10 ]
    [ "$(column cuda_blocks_per_multiprocessor | grep -c -v -x 0)" -gt 250 ]
    # Another seed gives other launches.
    matadd -d "$device" --against-cuda 500 --seed 7 --csv >other
    ! cmp -s stdout other || complain "expected other launches"
    expect_fine matadd --against-cuda 3 -f human
    [ "$(tail -1 stdout)" = "3 launches compared with CUDA's occupancy, 0 of them different." ]
}

# ---- refusals

@test "matadd: invalid blocks and resources are refused" {
    refuses 2 "^matadd: --blocks '33x32' has 1056 threads; a block has at most 1024" matadd --blocks 32x32,33x32
    refuses 2 "--blocks '32x': '' is not a whole number" matadd --blocks 32x
    refuses 2 "--blocks '0x3': 0 is not from 1 to 1024" matadd --blocks 0x3
    refuses 2 "--blocks '1025': 1025 is not from 1 to 1024" matadd -b 1025
    refuses 2 "--blocks '4x4x4' is neither THREADS nor XxY" matadd --blocks 4x4x4
    refuses 2 "--blocks 'some': 'some' is not a whole number" matadd --blocks some
    refuses 2 "--occupancy 'register' is not one of .*; did you mean 'registers'" matadd --occupancy register=3
    refuses 2 "--occupancy registers '256' is not from 0 to 255" matadd --occupancy registers=256
    refuses 2 "--occupancy block '' is not a whole number" matadd --occupancy block
    refuses 2 "--occupancy cc '6.3' is not 1.0, 1.1, .* 12.1 or all" matadd --occupancy cc=6.3
    refuses 2 "threads, blocks and shared describe one multiprocessor" matadd --occupancy threads=1536,cc=all
    refuses 2 "--occupancy carveout '101' is not from 0 to 100" matadd --occupancy carveout=101
    refuses 2 "--against-cuda '0' is not from 1" matadd --against-cuda 0
    refuses 2 "--kernel does not go with --occupancy" matadd --occupancy cc=9.0 -k cpu
    refuses 2 "--blocks does not go with --occupancy" matadd --occupancy cc=9.0 --blocks all
    refuses 2 "--against-cuda does not go with --occupancy" matadd --occupancy cc=9.0 --against-cuda 5
    refuses 2 "--size does not go with --against-cuda" matadd --against-cuda 5 -n 3
    refuses 2 "--dtype does not go with --occupancy" matadd --occupancy cc=9.0 -t f64
    refuses 2 "--ladder does not go with --occupancy" matadd --occupancy cc=9.0 --ladder
    refuses 2 "--offset does not go with --against-cuda" matadd --against-cuda 5 --offset 1
    refuses 2 "unexpected operand 'a'" matadd a
    refuses 2 "unknown kernel 'row-mayor'; did you mean 'row-major'" matadd -k row-mayor
    ! on_simulator || refuses 77 "geam needs a GPU" matadd -k geam
}

@test "matadd: a full disk is an error, and a reader may close the pipe early" {
    pipeline 'matadd -d $device --occupancy registers=64 >/dev/full'
    expect_status 5
    expect_errors_like "matadd: .*standard output"
    pipeline 'matadd -d $device --occupancy cc=all --csv | head -1 | cut -d , -f 1'
    expect_output "compute_capability"
}

@test "matadd: the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 3 16; do
        capture env SIMCC_THREADS=$threads matadd --check=all,leakcheck -n 65x130 --blocks 32x8,7x9 --offset 3 --csv
        expect_verified_rows "$(rows_of 2)"
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "matadd: the best occupancy of each block size goes through a pipe" {
    need mlr
    pipeline 'matadd -q -d $device --occupancy registers=32,smem=4Ki,cc=8.6 |
        mlr --icsv --onidx filter "\$occupancy_percent == 100" then cut -f block,limiter'
    expect_status 0
    expect_output "96 threads+blocks
128 threads
192 threads
256 threads
384 threads
512 threads
768 threads+registers"
}

@test "matadd: the examples of its page run" { need mlr && run_examples matadd.1; }

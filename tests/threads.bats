#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What threads promises: every thread of any launch has its place, its warp and its block, which runs on a single
# multiprocessor; and CUDA's errors come with their reasons.
# shellcheck disable=SC2154  # helpers.bash sets what tests use

load helpers

# fields NAME...: these columns of the table in $output, a line per row.
fields() {
    awk -F , -v names="$*" 'NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; ++i) at[$i] = i; next }
        { for (i = 1; i <= n; ++i) printf "%s%s", $at[name[i]], (i < n ? " " : "\n") }' <<<"$output"
}

# Every field of every row follows from the shape GX GY GZ BX BY BZ and the row's number.
expect_right_rows() {
    fields block block_x block_y block_z thread thread_x thread_y thread_z index global_x global_y global_z warp lane |
        awk -v gx="$1" -v gy="$2" -v gz="$3" -v bx="$4" -v by="$5" -v bz="$6" '
            { i = NR - 1; size = bx * by * bz; block = int(i / size); thread = i % size
              u = block % gx; v = int(block / gx) % gy; w = int(block / gx / gy)
              x = thread % bx; y = int(thread / bx) % by; z = int(thread / bx / by)
              want = block " " u " " v " " w " " thread " " x " " y " " z " " i " " u * bx + x " " v * by + y " " w * bz + z " " \
                     int(thread / 32) " " thread % 32
              if ($0 != want) print "row " i ": " $0 ", expected " want }
            END { if (NR != gx * gy * gz * bx * by * bz) print NR " rows" }' >wrong
    [ ! -s wrong ] || complain "$* $(head -3 wrong)"
}

@test "threads: without options there are twelve threads, in three blocks" {
    expect_fine threads --csv
    expect_clean_table
    expect_right_rows 3 1 1 4 1 1
    [ "$(column device | sort -u)" = "$(devquery -q -d "$device" --prop name --csv --no-header | cut -d , -f 1)" ]
}

@test "threads: every thread of one-, two- and three-dimensional launches is in its place" {
    local grid block
    for grid in 1 5 3x2 2x3x4; do
        for block in 1 33 4x3 3x5x7; do
            expect_fine threads --grid $grid --block $block --work 3 --csv
            expect_clean_table
            # shellcheck disable=SC2046  # a word per extent
            expect_right_rows $(for extents in $grid $block; do echo "${extents}x1x1" | tr x ' ' | cut -d ' ' -f 1-3; done)
        done
    done
}

@test "threads: the largest block, and many blocks, are right" {
    expect_fine threads -g 3 -b 1024 --work 0 --csv
    expect_right_rows 3 1 1 1024 1 1
    expect_fine threads -g 2 -b 4x4x64 --work 1 --csv
    expect_right_rows 2 1 1 4 4 64
    expect_fine threads -g 30x40 -b 2 --work 0 --csv
    expect_right_rows 30 40 1 2 1 1
}

@test "threads: a block stays on its multiprocessor, and no thread ends before it begins" {
    expect_fine threads -g 50 -b 40 --work 10 --csv
    [ "$(fields block multiprocessor | sort -u | wc -l)" -eq 50 ]
    [ -z "$(fields start_ns end_ns | awk '$1 > $2')" ]
    [ "$(column start_ns | sort -n | head -1)" = 0 ]
    on_simulator || return 0
    SIMCC_THREADS=1 expect_fine threads -g 50 -b 40 --work 10 --csv
    [ "$(column multiprocessor | sort -u)" = 0 ]
    SIMCC_THREADS=3 expect_fine threads -g 50 -b 40 --work 10 --csv
    [ -z "$(column multiprocessor | awk '$1 > 2')" ]
}

@test "threads: a row per warp, the last of which may be short" {
    expect_fine threads -g 2 -b 10x7 --by warp --csv
    expect_clean_table
    [ "$(fields block warp first_thread lanes)" = "0 0 0 32
0 1 32 32
0 2 64 6
1 0 0 32
1 1 32 32
1 2 64 6" ]
}

@test "threads: a row per block" {
    expect_fine threads -g 2x2 -b 33 --by block --csv
    expect_clean_table
    [ "$(fields block block_x block_y block_z threads warps)" = "0 0 0 0 33 2
1 1 0 0 33 2
2 0 1 0 33 2
3 1 1 0 33 2" ]
}

@test "threads: a row per multiprocessor; together they have all blocks" {
    expect_fine threads -g 100 -b 64 --by multiprocessor --csv
    expect_clean_table
    [ "$(fields blocks warps threads | awk '{ a += $1; b += $2; c += $3 } END { print a, b, c }')" = "100 200 6400" ]
    [ -z "$(fields most_blocks_at_once blocks busy_ns start_ns end_ns busy_percent |
        awk '$1 < 1 || $1 > $2 || $3 > $5 - $4 || $6 > 100')" ]
    on_simulator || return 0
    # One thread takes one block after another.
    SIMCC_THREADS=1 expect_fine threads -g 100 -b 64 --by multiprocessor --csv
    [ "$(fields multiprocessor blocks most_blocks_at_once)" = "0 100 1" ]
}

@test "threads: --hello is a line from each thread" {
    expect_fine threads --hello -g 2x2 -b 3 --work 0
    [ "$(wc -l <stdout)" -eq 12 ]
    [ "$(sed -n '1p; 6p; 12p' stdout | paste -sd ,)" = \
        "hello from thread 0 of block 0,hello from thread 2 of block 1,hello from thread 2 of block 3" ]
}

@test "threads: the human table shows the launch, and columns with units" {
    COLUMNS=500 try threads -g 2x2 -b 4x3 -f human
    expect_status 0
    expect_output_like "^[^:]+: 48 threads in 4 blocks of 4x3, on [1-4] of [0-9]+ multiprocessors, [0-9.]+ (ns|us|ms)"
    expect_output_like "block +x +y +z +thread +x +y +z +index +global x +y +z +warp +lane +SM +start us +end us +cycles"
    [ "$(wc -l <stdout)" -eq 50 ]
}

@test "threads: --timeline draws the blocks of each multiprocessor, below the human table or on standard error" {
    expect_fine threads -g 30 -b 32 --by block --timeline -f human
    expect_output_like "threads --grid 30 --block 32: .*digits are the last of a block's number"
    grep '^  SM ' stdout >lines
    [ "$(awk '{ print length }' lines | sort -u | wc -l)" -eq 1 ]
    # Every multiprocessor of the table.
    sed -n '3,32p' stdout | awk '{ print $7 }' | sort -n -u >of_table
    awk '{ print $2 }' lines | sort -n -u >of_lines
    diff of_table of_lines >&2 || complain "other multiprocessors in the picture"
    try threads -g 30 -b 32 --timeline --csv
    expect_status 0
    expect_clean_table
    expect_errors_like "threads --grid 30 --block 32: .*digits"
    on_simulator || return 0
    # One after another on the only multiprocessor.
    SIMCC_THREADS=1 expect_fine threads -g 10 -b 256 --work 2000 --by block --timeline -f human
    grep -q '^  SM 0 *| *0* *1* *2* *3* *4* *5* *6* *7* *8* *9* *|$' stdout || complain "no such line: $(grep SM stdout)"
}

@test "threads: --trace has an event for every block, and no two events of a line overlap" {
    need jq
    expect_fine threads -g 200 -b 64 --by multiprocessor --trace trace.json --csv
    [ "$(jq '[.traceEvents[] | select(.ph == "X" and .cat == "block")] | length' trace.json)" -eq 200 ]
    [ "$(jq -r '[.traceEvents[] | select(.ph == "X") | .name] | unique | length' trace.json)" -eq 200 ]
    jq -e '[.traceEvents[] | select(.ph == "X")] | group_by(.tid) |
        all(.[]; sort_by(.ts) | . as $all | all(range(1; length); $all[. - 1].ts + $all[. - 1].dur <= $all[.].ts + 0.0011))' trace.json
    # As many lines as blocks at the same time.
    [ "$(jq '[.traceEvents[] | select(.name == "thread_name")] | length' trace.json)" -eq \
        "$(column most_blocks_at_once | awk '{ sum += $1 } END { print sum }')" ]
    refuses 5 "nowhere/trace.json" threads --trace nowhere/trace.json
}

# ---- what CUDA refuses

@test "threads: a block or a grid that is too large is CUDA's error, with the reason" {
    refuses 3 "record_threads<<<2, 2048>>>: invalid .*cudaErrorInvalid[A-Za-z]*.*: a block of 2048 threads is more than 1024" threads -g 2 -b 2048
    refuses 3 "a block of 1056 threads is more than 1024; threads --list shows the limits" threads -b 33x32
    refuses 3 "cudaErrorInvalid.*: a block of 65 in z is more than 64;" threads -b 1x1x65
    refuses 3 "a grid of 70000 in y is more than 65535;" threads -g 1x70000
    refuses 3 "a grid of 65536 in z is more than 65535;" threads -g 1x1x65536
    refuses 3 "a grid of 4294967295 in x is more than 2147483647" threads -g 4294967295
    refuses 3 "a grid of 0 in x is none;" threads -g 0
    refuses 3 "a block of 0 in y is none;" threads -b 4x0
    refuses 3 "a block of 2000 threads .*, and a block of 2000 in x is more than 1024, and a grid of 65536 in y" threads -b 2000 -g 1x65536
    # After an error the device still works.
    expect_fine threads --csv
}

@test "threads: more threads than there is memory for records are refused" {
    refuses 3 "the records of 2199023254528 threads need 112.0 TiB, and .* are free on device 0; choose a smaller --grid" threads -g 2147483647 -b 1024
}

@test "threads: --list shows the limits of a launch" {
    expect_fine threads --list --csv
    expect_clean_table
    [ "$(fields max_block_threads max_block_x max_block_y max_block_z max_grid_x max_grid_y max_grid_z)" = \
        "1024 1024 1024 64 2147483647 65535 65535" ]
}

@test "threads: invalid extents are refused" {
    refuses 2 "--grid '1x2x3x4' is not N, NxN or NxNxN" threads --grid 1x2x3x4
    refuses 2 "--block '4x': '' is not a whole number" threads --block 4x
    refuses 2 "--block '-1': '-1' is not a whole number" threads --block=-1
    refuses 2 "--grid '4294967296': '4294967296' is too large" threads --grid 4294967296
    refuses 2 "--by 'lane' is not one of thread, warp, block, multiprocessor" threads --by lane
    refuses 2 "--work 'x' is not a whole number" threads --work x
    refuses 2 "unexpected operand 'a'" threads a
    refuses 2 "unknown option '--size'" threads --size 3
}

@test "threads: a full disk is an error, and a reader may close the pipe early" {
    pipeline 'threads -d $device -q >/dev/full'
    expect_status 5
    expect_errors_like "threads: .*standard output"
    capture bash -c 'threads -d $device -q -g 1000 -b 64 --work 0 --csv | head -1 | cut -d , -f 1'
    expect_output device
}

@test "threads: the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 3 16; do
        capture env SIMCC_THREADS=$threads threads --check=all,leakcheck -g 3x2 -b 11x7 --work 5 --csv
        expect_status 0
        expect_right_rows 3 2 1 11 7 1
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "threads: threads by warp go through a pipe" {
    need mlr
    pipeline 'threads -q -d $device -g 2 -b 48 | mlr --icsv --onidx count-distinct -f block,warp'
    expect_status 0
    expect_output "0 0 32
0 1 16
1 0 32
1 1 16"
}

@test "threads: the examples of its page run" { need mlr && run_examples threads.1; }

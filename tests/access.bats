#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What access promises: every pattern is right for every n, word and operation, in the textbook's number of sectors.

load helpers

all_words="--word 1,2,4,8,16"
all_operations="--op read,write,both"

# sectors NAME: what the counters say in the rows of one operation: loads, stores.
sectors() { columns p_sectors_per_request gld_sectors_per_request gst_sectors_per_request | sort -u; }

@test "access: every pattern is right for every n" {
    local sizes="0 1 31 32 33 255 257 1000 4097"
    expect_fine access -n "${sizes// /,}" --stride 3 --offset 5 -w 0 -r 1 --csv
    # shellcheck disable=SC2086  # one word per size
    expect_all_verified access $sizes
}

@test "access: every pattern is right for every word, operation and unrolling" {
    # shellcheck disable=SC2086  # an option and its argument
    expect_fine access -n 1,1025 $all_words $all_operations --unroll 1,2,4,8 --stride 3,64 --offset 31 -w 0 -r 1 --csv
    expect_verified_rows $((2 * 5 * 3 * 4 * 10))
}

@test "access: every pattern is right in arrays of any size, also when it wraps around" {
    # shellcheck disable=SC2086  # an option and its argument
    expect_fine access -n 3000 --footprint 1,100,5000,20000 $all_operations --word 1,16 --unroll 8 -w 0 -r 1 --csv
    expect_verified_rows $((4 * 3 * 2 * 12))
}

@test "access: every pattern is right with blocks of any size, on any number of threads" {
    local block
    for block in 1 100 1024; do
        expect_fine access -n 5000 -b $block --op read,both -w 0 -r 1 --csv
        expect_verified_rows 24
        [ "$(column block | sort -u)" -eq $(((block + 31) / 32 * 32)) ]
    done
    on_simulator || return 0
    for threads in 1 16; do
        SIMCC_THREADS=$threads expect_fine access -n 5000 --op read,both --csv
        expect_verified_rows 24
    done
}

@test "access: several passes over the array, and large words, are right" {
    expect_fine access -n 100003 --word 16 --stride 7,64 --op read,write -k 'stride,scattered,random' -w 0 -r 1 --csv
    expect_verified_rows 8
}

@test "access: a row shows what was requested and what had to move" {
    expect_fine access -n 1000 --word 8 --op both --unroll 2 --stride 3 -k stride -b 128 --csv
    expect_clean_table
    [ "$(column dtype) $(column n) $(column bytes) $(column flop)" = "none 1000 16000 0" ]
    [ "$(column p_word_bytes) $(column p_op) $(column p_unroll) $(column p_offset) $(column p_stride)" = "8 both 2  3" ]
    # Whole groups of two requests of 32 lanes, three words apart: 6 groups hold 1000 words.
    [ "$(column p_footprint_bytes)" = $((6 * 2 * 96 * 8)) ]
    [ "$(column p_sectors_per_request) $(column p_efficiency_percent)" = "24 33.33" ]
    # 1000 words read and 1000 written, 24 sectors of 32 bytes for 32 words; per nanosecond of the median.
    awk -v moved="$(column p_moved_gbyte_per_s)" -v ns="$(column median_ns)" 'BEGIN {
        expected = 2 * 1000 / 32 * 24 * 32 / ns
        exit !(moved - expected <= 0.001 + expected / 1000 && expected - moved <= 0.001 + expected / 1000) }'
}

# The published load efficiencies of a warp that reads words of 4 bytes.
@test "access: load efficiencies are those of the lectures" {
    expect_fine access -n 1024 -k 'coalesced,permuted,offset,broadcast,scattered' --csv
    [ "$(columns kernel p_sectors_per_request p_efficiency_percent)" = "\
coalesced 4 100.00
permuted 4 100.00
broadcast 1 12.50
offset 5 80.00
scattered 32 12.50" ]
    # The stride's curve falls to an eighth.
    expect_fine access -n 1024 --pattern stride --stride 1:10 --csv
    [ "$(column p_sectors_per_request | paste -sd ' ')" = "4 8 12 16 20 24 28 32 32 32" ]
}

@test "access: loads of lines of 128 bytes, as before Volta, are counted as the formula has them; stores are sectors" {
    on_simulator || skip "its counters"
    # shellcheck disable=SC2086  # an option and its argument
    expect_fine access -n 4096 --footprint 64Ki --line 128 --offset 0,1,8,31 --stride 1,2,3,8,33 --word 4,8,16 $all_operations --csv \
        -k 'coalesced,permuted,reversed,offset,stride,one-per-sector'
    expect_clean_table
    columns p_op p_sectors_per_request gld_requests gld_sectors_per_request gst_sectors_per_request kernel p_word_bytes p_offset p_stride |
        awk 'function differs(a, b) { return a - b > 0.51 || b - a > 0.51 }
            $1 != "write" && ($3 == 0 || differs($4, $2)) { print }
            $1 == "write" && differs($5, $2) { print }' >wrong
    [ ! -s wrong ] || complain "counters that differ from the formula: $(head -3 wrong)"
    # Stores have as many sectors as without the option.
    column gst_sectors >lines
    # shellcheck disable=SC2086
    expect_fine access -n 4096 --footprint 64Ki --offset 0,1,8,31 --stride 1,2,3,8,33 --word 4,8,16 $all_operations --csv \
        -k 'coalesced,permuted,reversed,offset,stride,one-per-sector'
    column gst_sectors | cmp - lines
    # No times are predicted from lines.
    expect_fine access -n 1Ki -k coalesced --line 128 --csv
    [[ $output != *p_predicted* ]]
    refuses 2 "--line '64' is not one of 32 and 128|--line '64'" access --line 64
}

@test "access: the simulator counts the formula's sectors, for every pattern, word, offset, stride and operation" {
    on_simulator || skip "its counters"
    # shellcheck disable=SC2086  # an option and its argument
    expect_fine access -n 512 --offset 0:31 --stride 1:64 $all_words $all_operations --csv
    expect_clean_table
    expect_verified_rows $(((7 + 32 + 64) * 5 * 3))
    columns p_op p_sectors_per_request gld_requests gld_sectors_per_request gst_requests gst_sectors_per_request p_efficiency_percent gld_efficiency_distinct gst_efficiency_distinct kernel p_word_bytes |
        awk 'function differs(a, b) { return a - b > 0.0001 || b - a > 0.0001 }
            $1 != "write" && ($3 != 16 || $4 != $2 || differs($8, $7 / 100)) { print }
            $1 != "read" && ($5 != 16 || $6 != $2 || differs($9, $7 / 100)) { print }
            $1 == "write" && $3 != 0 { print "a load: " $0 }' >wrong
    [ ! -s wrong ] || complain "counters that differ from the formula: $(head -3 wrong)"
}

@test "access: the order within a pattern is what its name says" {
    on_simulator || skip "its counters"
    # A random permutation has no two lanes in the same sector, nor do words 121 apart, in any array.
    expect_fine access -n 3200 --unroll 1,2,4,8 -k 'random,scattered' $all_words --footprint 1,1000,10000,100000 --csv
    [ "$(column gld_sectors_per_request | sort -u)" = 32.0000 ]
    # Every sector of the array moves once in each pass: 3200 words are 400 sectors, and a stride of 4 passes four times.
    expect_fine access -n 4096 -k stride --stride 4 --csv
    [ "$(column gld_sectors) $(column p_footprint_bytes)" = "$((4 * 4096 / 8)) $((4096 * 4))" ]
}

@test "access: the human table shows the formula beside the counters" {
    on_simulator || skip "its counters"
    COLUMNS=500 try access -k stride --stride 2,4 -n 64 -f human
    expect_status 0
    expect_output_like "word +op +unroll +stride +KiB +formula +useful % +verify +sectors read +written"
    expect_output_like "stride +64 .* read +4 +4 +2.00 +16 +25.0 +pass +16.00"
}

@test "access: --pattern is another name of --kernel" {
    local by_pattern
    expect_fine access --pattern 'str*,random' -n 64 --csv
    by_pattern=$(column kernel)
    expect_fine access -k 'str*,random' -n 64 --csv
    [ "$by_pattern" = "$(column kernel)" ]
    [ "$(uniq <<<"$by_pattern" | paste -sd ' ')" = "stride random" ]
    refuses 2 "unknown kernel 'strided'; did you mean 'stride'" access --pattern strided
    [ "$(access --complete --pattern one)" = "$(access --complete -k one)" ]
    [[ $(access --complete --pattern one) == one-per-sector* ]]
}

@test "access: invalid words, operations, unrollings, offsets, strides and footprints are refused" {
    refuses 2 "^access: --word '3' is not 1, 2, 4, 8 or 16" access --word 3
    refuses 2 "--word '32' is not" access --word 1,32
    refuses 2 "--op 'reads' is not one of read, write or both" access --op read,reads
    refuses 2 "--unroll '3' is not 1, 2, 4 or 8" access --unroll 1:8
    refuses 2 "--offset '32' is not from 0 to 31" access --offset 32
    refuses 2 "--stride '0' is not from 1 to 64" access --stride 0:4
    refuses 2 "--stride range '8:4' does not grow" access --stride 8:4
    refuses 2 "--stride range '1:64:x1' does not grow" access --stride 1:64:x1
    refuses 2 "--stride 'x' is not a whole number" access --stride x
    refuses 2 "--footprint '0' is not from 1" access --footprint 0
    refuses 2 "--fetch '16' is not one of 32, 64, 128" access --fetch 16
    ! on_simulator || refuses 77 "--fetch needs a GPU" access --fetch 32
    refuses 2 "unknown option '--dtype'" access --dtype f32
    refuses 2 "unexpected operand 'a'" access a
}

@test "access: the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 16; do
        capture env SIMCC_THREADS=$threads access --check=all,leakcheck -n 2500 --op read,write,both --word 1,8 --csv
        expect_verified_rows 72
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "access: the curve over strides goes through a pipe to a plotter" {
    need mlr
    pipeline 'access -d $device --pattern stride --stride 1:16:x2 -n 4096 |
        mlr --icsv --onidx cut -o -f p_stride,p_efficiency_percent'
    expect_status 0
    expect_output "1 100.00
2 50.00
4 25.00
8 12.50
16 12.50"
}

@test "access: the examples of its page run" { need mlr datamash && run_examples access.1; }

#!/usr/bin/env bats
# What reduce promises: every variant right for every n, type and operation, and a filter that gives the exact answer or none.

load helpers

small_sizes="0 1 31 32 33 255 257 1000"

# Every variant is right for every operation at the small sizes of one type. Further arguments are options.
expect_right_for() {
    local dtype=$1 operation
    shift
    for operation in sum min max mean; do
        expect_fine reduce -n "${small_sizes// /,}" -t "$dtype" --op "$operation" -w 0 -r 1 --csv "$@"
        # shellcheck disable=SC2086  # one word per size
        expect_all_verified reduce $small_sizes
    done
}

@test "every variant is right for f32, all operations and small sizes" { expect_right_for f32; }
@test "every variant is right for f64, all operations and small sizes" { expect_right_for f64; }
@test "every variant is right for i32, all operations and small sizes" { expect_right_for i32; }
@test "every variant is right for i64, all operations and small sizes" { expect_right_for i64; }

@test "every variant is right for an input that starts at an unaligned address" {
    local dtype offset
    for dtype in f32 i64; do
        for offset in 1 3; do expect_right_for $dtype --offset $offset; done
    done
}

@test "every variant is right with blocks of any size" {
    local block
    for block in 1 31 32 64 100 128 512 1000 1024; do
        expect_fine reduce -n 0,1,1000,5000 -b $block -w 0 -r 1 --csv
        expect_all_verified reduce 0 1 1000 5000
    done
}

@test "every variant is right for a million elements and one more" {
    local case cases="f32:sum i64:max"
    on_simulator || cases="f32:sum f32:min f32:mean f64:sum f64:max i32:sum i32:min i64:sum i64:max"
    for case in $cases; do
        expect_fine reduce -n 1048576,1048577 -t "${case%:*}" --op "${case#*:}" -w 0 -r 1 --csv
        expect_all_verified reduce 1048576 1048577
    done
}

@test "every variant is right for sizes around its block and for other seeds" {
    local seed
    for seed in 0 1 18446744073709551615; do
        expect_fine reduce -n 511,512,513,2047,2048,2049,65537 --seed $seed -w 0 -r 1 --csv
        expect_all_verified reduce 511 512 513 2047 2048 2049 65537
    done
}

@test "an in-place variant gets its input back before every launch" {
    expect_fine reduce -n 5000 -k 'neighbored*,unroll8*,sequential' -w 2 -r 12 --max-ci 0 --csv
    [ "$(column verify | sort -u)" = pass ]
    # The variants share their input: one that really destroyed it would spoil those after it.
    expect_fine reduce -n 5000 --csv -w 0 -r 1
    expect_all_verified reduce 5000
}

@test "the nested variants are right at every number of levels and blocks, with the checkers watching too" {
    local block threads
    for block in 32 100 512 1024; do
        expect_fine reduce -k 'nested*' -b $block -n 0,1,2,3,31,32,33,1000,1024,1025,140000 --op max -w 0 -r 1 --csv
        [ "$(column verify | sort | uniq -c | tr -s ' ')" = " 33 pass" ] || complain "block $block"
    done
    on_simulator || return 0
    for threads in 1 2 3 16; do
        capture env SIMCC_THREADS=$threads reduce --check=all -q -k 'nested*' -b 64 -n 1,63,5000 --csv
        expect_status 0
        [ "$(column verify | sort | uniq -c | tr -s ' ')" = " 9 pass" ] || complain "$threads threads"
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "a row shows operation, offset, traffic and launch" {
    expect_fine reduce -k shared-tree -n 1000 --op max --offset 3 -t f64 -b 128 --csv
    [ "$(column p_op) $(column p_offset)" = "max 3" ]
    [ "$(column bytes) $(column flop)" = "8000 1000" ]
    [ "$(column grid) $(column block) $(column smem_bytes)" = "8 128 1024" ]
}

@test "sums of data that rounds are the same every time where the page says so" {
    local kernel first
    perl -e 'srand 1; print pack "f<*", map { rand() - 0.5 } 1 .. 100_000' >data
    for kernel in single-pass tagged sequential multiple-elements neighbored unroll8-complete-static nested nested2; do
        expect_fine reduce data --input-format raw:f32 -k $kernel
        first=$output
        for _ in 1 2 3; do
            expect_fine reduce data --input-format raw:f32 -k $kernel
            expect_output "$first"
        done
    done
    # The filter's own method is one of them.
    expect_fine reduce data --input-format raw:f32
    first=$output
    expect_fine reduce data --input-format raw:f32
    expect_output "$first"
}

@test "--ladder shows the ladder published for the type, and each step's gain" {
    expect_fine reduce --ladder -n 2000 --csv
    expect_clean_table
    [ "$(column kernel | sed -n 3,6p | paste -sd ' ')" = "atomic-global atomic-shared shared-tree shuffle-tree" ]
    [ -z "$(column kernel | grep -x -e sequential -e neighbored)" ]
    [ "$(column step_speedup | sed -n 3p) $(column cumulative_speedup | sed -n 3p)" = "1.000 1.000" ]
    # Each row's factors are the quotients of the medians.
    paste -d ' ' <(column median_ns) <(column step_speedup) <(column cumulative_speedup) <(column cpu_speedup) | awk '
        function is(quotient, shown) { if (!(quotient - shown <= 0.001 * shown + 0.001 && shown - quotient <= 0.001 * shown + 0.001)) wrong = 1 }
        NR == 1 { cpu = $1 }
        NR == 3 { first = before = $1 }
        NR >= 3 { is(before / $1, $2); is(first / $1, $3); is(cpu / $1, $4); before = $1 }
        END { exit wrong }' || complain "a factor is not the quotient of two medians"

    expect_fine reduce --ladder -t i32 -n 2000 --csv
    [ "$(column kernel | sed -n 3p)" = interleaved-divergent ]
    [ -z "$(column kernel | grep -x -e atomic-global -e neighbored)" ]
}

# ---- as a filter

@test "seq 1000000 | reduce - prints the sum" {
    pipeline 'seq 1000000 | reduce -d $device -'
    expect_status 0
    expect_no_errors
    expect_output 500000500000
}

@test "the filter knows minimum, maximum and mean" {
    printf '3\n-7\n12\n4\n' >data
    expect_fine reduce data
    expect_output 12
    expect_fine reduce --op min data
    expect_output -7
    expect_fine reduce --op max data
    expect_output 12
    expect_fine reduce --op mean data
    expect_output 3
}

@test "every variant for the device works as the filter's method" {
    local kernel
    seq 5000 >data
    for kernel in $(variants reduce | grep -v '^cpu'); do
        expect_fine reduce -k "$kernel" data
        expect_output 12502500
        expect_fine reduce -k "$kernel" --op min -t f64 data
        expect_output 1
    done
    refuses 2 "runs on the host" reduce -k cpu data
    refuses 2 "a filter uses one" reduce -k 'atomic-*' data
}

@test "text may be separated by spaces, tabs, commas and any line ends, with signs, fractions and exponents" {
    printf ' 1, 2,3\t4\r\n\n+5  -6\n' >whole
    expect_fine reduce whole
    expect_output 9
    printf '1\n0.5\n2e3\n-.25\n' >fractions
    expect_fine reduce fractions
    expect_output 2001.25
    printf 7 >without_newline
    expect_fine reduce without_newline
    expect_output 7
}

@test "one rule says what a number of text is: signs, fractions, exponents, inf, nan, and commas between numbers" {
    local text expected
    # sums EXPECTED TEXT: in printf's form
    sums() {
        printf "$2" >text
        expect_fine reduce text
        expect_output "$1"
    }
    sums 0 '1e-400 -1e-400'
    sums 3e-320 '1e-320,2e-320'
    sums 6 '1.000,5'
    sums 3 '1 ,\t2'
    sums 3 '1,\n2'
    sums 3 '1\n,2'
    sums 3 '1,2,\n'
    sums 3 '\xef\xbb\xbf1\r\n2\r\n'
    sums 3 '1. +2.'
    sums nan '1 nan'
    sums nan '1 -nan'
    sums nan 'NaN'
    refuses 4 "line 1: there is no number before a comma" reduce <(echo '1,,2')
    refuses 4 "line 2: there is no number before a comma" reduce <(printf '1,\n,2')
    refuses 4 "line 1: there is no number before a comma" reduce <(echo ',1')
    for text in 'nan(1)' 'nan()' 1e400 0x1p3 1_000 "1'000" 1e 1e+ e5 . infinite 1f 1L; do
        refuses 4 "'.*' is (not a number|outside the range of f64)" reduce <(echo "$text")
    done
    refuses 4 "is text in UTF-16; convert it with iconv" reduce <(printf '\xff\xfe1\0')
    refuses 4 "line 2: '...1' is not a number" reduce <(printf '1\n\xef\xbb\xbf1\n')
}

@test "integers stay exact to 64 bits, and a sum that may not fit is refused" {
    printf '9007199254740993\n1\n' >data
    expect_fine reduce data
    expect_output 9007199254740994
    printf '9223372036854775807\n-9223372036854775808\n' >extremes
    expect_fine reduce --op max extremes
    expect_output 9223372036854775807
    expect_fine reduce --op min extremes
    expect_output -9223372036854775808
    printf '9223372036854775807\n1\n' >overflow
    refuses 4 "64 bits.*-t f64" reduce overflow
    expect_fine reduce -t f64 overflow
    expect_output 9.223372036854776e+18
}

@test "sums and means of integers of every width are exact, or refused where 64 bits do not hold them" {
    local type
    pipeline 'seq 100000 | reduce -d $device -t i32 -'
    expect_output 5000050000
    echo 9223372036854775807 >largest
    expect_fine reduce largest
    expect_output 9223372036854775807
    # In between the sum leaves 64 bits, and it comes back.
    printf '%s\n' 9223372036854775807 9223372036854775807 5 -9223372036854775808 -9223372036854775807 >returns
    expect_fine reduce returns
    expect_output 4
    printf '%s\n' -9223372036854775808 -1 >below
    refuses 4 "sum is -9223372036854775809, which does not fit into 64 bits; use -t f64" reduce below
    # A chunk is 2^24 elements: these are two.
    perl -e 'print pack("q<", 9007199254740993) x 16777217' >many
    refuses 4 "sum is 151115736459027918356481, which does not fit" reduce --input-format raw:i64 many
    expect_fine reduce --op mean --input-format raw:i64 many
    expect_output 9007199254740993
    rm many
    printf '%s\n' 9223372036854775807 9223372036854775805 >pair
    expect_fine reduce --op mean pair
    expect_output 9223372036854775806
    pipeline 'seq 4 | reduce -d $device -t i32 --op mean -'
    expect_output 2.5
    for type in 'i1:c:127' 'i2:s<:32767' 'i4:l<:2147483647'; do
        IFS=: read -r code template largest <<<"$type"
        numbers "$template" "$largest" "$largest" "$largest" | npy "<$code" '(3,)' >data.npy
        expect_fine reduce data.npy
        expect_output $((3 * largest))
        expect_fine reduce -t i32 data.npy
        expect_output $((3 * largest))
    done
}

@test "infinity comes only from infinity: what a type cannot hold is refused" {
    local number
    for number in 3.5e38 -3.5e38 3.4028236e38 1e300; do
        refuses 4 "does not fit into f32; choose another --dtype" reduce -t f32 <(echo $number)
    done
    expect_fine reduce -t f32 <(echo 3.4028235e38)
    expect_output 3.4028235e+38
    for number in inf Infinity +INF; do
        expect_fine reduce -t f32 <(echo $number)
        expect_output inf
    done
    expect_fine reduce --op min <(echo 1 -infinity)
    expect_output -inf
    refuses 4 "outside the range of f32; use -t f64" reduce -t f32 <(echo 3e38 3e38)
    refuses 4 "outside the range of f64" reduce <(echo 1e308 1e308)
    expect_fine reduce <(echo inf -inf)
    expect_output nan
}

@test "a NaN in the data is not lost, wherever it is" {
    local place operation
    for place in 1 500 1000; do
        seq 1000 | sed "${place}s/.*/nan/" >data
        for operation in sum min max mean; do
            expect_fine reduce --op $operation data
            expect_output nan
        done
    done
}

@test "raw and .npy input of every element type is reduced" {
    local type
    for type in f4:f f8:d i4:l i8:q; do
        numbers "${type#*:}<" 1 2 3 -10 | npy "<${type%:*}" '(4,)' >data.npy
        expect_fine reduce data.npy
        expect_output -4
    done
    for type in f32:f f64:d i32:l i64:q; do
        numbers "${type#*:}<" 1 2 3 -10 >data
        expect_fine reduce --input-format "raw:${type%:*}" data
        expect_output -4
    done
    numbers c 100 100 -1 | npy '|i1' '(3,)' >data.npy
    expect_fine reduce data.npy
    expect_output 199
    numbers C 255 255 1 | npy '|u1' '(3,)' >data.npy
    expect_fine reduce data.npy
    expect_output 511
    numbers 's<' -32768 -32768 | npy '<i2' '(2,)' >data.npy
    expect_fine reduce data.npy
    expect_output -65536
    numbers 'L<' 4294967295 1 | npy '<u4' '(2,)' >data.npy
    expect_fine reduce data.npy
    expect_output 4294967296
    numbers 'l<' 2147483647 1 | npy '<i4' '(2,)' >data.npy
    expect_fine reduce data.npy
    expect_output 2147483648
}

@test "half precision is read exactly: normal, subnormal, infinite, negative" {
    numbers v $((0x3c00)) $((0x3800)) $((0xc000)) | npy '<f2' '(3,)' >data.npy  # 1, 0.5, -2
    expect_fine reduce data.npy
    expect_output -0.5
    numbers v $((0x0001)) $((0x03ff)) | npy '<f2' '(2,)' >data.npy  # 2^-24 and 1023 x 2^-24
    expect_fine reduce data.npy
    expect_output 6.1035156e-05
    numbers v $((0x7c00)) $((0x7bff)) | npy '<f2' '(2,)' >data.npy  # infinity and 65504
    expect_fine reduce --op min data.npy
    expect_output 65504
    expect_fine reduce --op max data.npy
    expect_output inf
}

@test ".npy of any rank, order and header version is one list of numbers" {
    local version
    numbers 'l<' 1 2 3 4 5 6 >six
    for version in 1 2 3; do
        npy '<i4' '(2, 3)' $version <six >data.npy
        expect_fine reduce data.npy
        expect_output 21
    done
    numbers 'd<' 2.5 | npy '<f8' '()' >scalar.npy
    expect_fine reduce scalar.npy
    expect_output 2.5
    npy '<f8' '(0, 3)' </dev/null >empty.npy
    expect_fine reduce empty.npy
    expect_output 0
    refuses 4 "no mean of no numbers" reduce --op mean empty.npy
}

@test "an input of more than one chunk is reduced in all of them" {
    # A chunk is 2^24 elements: 2^24 + 1 bytes of ones, then one that is larger and one that is smaller than all before.
    head -c 16777217 /dev/zero | tr '\0' '\1' >ones
    npy '|i1' '(16777219,)' < <(cat ones; numbers c 7 -9) >data.npy
    expect_fine reduce data.npy
    expect_output 16777215
    expect_fine reduce --op max data.npy
    expect_output 7
    expect_fine reduce --op min data.npy
    expect_output -9
}

@test "-t chooses the type of the sum" {
    printf '1.75\n1.75\n' >data
    expect_fine reduce -t i64 data
    expect_output 2
    numbers 'f<' 16777216 1 | npy '<f4' '(2,)' >data.npy
    expect_fine reduce -t f64 data.npy
    expect_output 16777217
}

@test "a number outside the range of the chosen type is refused" {
    local number
    for number in 2147483648 -2147483649 3e9 nan inf; do
        refuses 4 "does not fit into i32; choose another --dtype" reduce -t i32 <(echo "$number")
    done
    refuses 4 "does not fit into i64" reduce -t i64 <(echo 9223372036854775808)
    expect_fine reduce -t i32 --op min <(echo 2147483647 -2147483648)
    expect_output -2147483648
}

@test "at most one operand is accepted" {
    refuses 2 "unexpected operand 'b'" reduce a b
}

@test "a wrong operation or offset is refused" {
    refuses 2 "'median' is not one of sum, min, max, mean" reduce --op median
    refuses 2 "offset 'x'" reduce --offset x
    refuses 2 "'median' is not one of sum, min, max, mean" reduce --op median - < <(seq 5)
}

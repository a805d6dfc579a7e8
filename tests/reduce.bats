#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What reduce promises: every variant is right for every n, type and operation, and filters give exact answers or none.

# Tests side by side on a GPU

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
    # The variants share their input: if one really destroyed it, all later ones would be wrong.
    expect_fine reduce -n 5000 --csv -w 0 -r 1
    expect_all_verified reduce 5000
}

@test "the nested variants are right at every number of levels and blocks, also with the checkers" {
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

@test "rounded sums are reproducible if the page says so" {
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
    # The filter's default method is one of them.
    expect_fine reduce data --input-format raw:f32
    first=$output
    expect_fine reduce data --input-format raw:f32
    expect_output "$first"
}

@test "--ladder shows the published ladder of the type, and each step's gain" {
    expect_fine reduce --ladder -n 2000 --csv
    expect_clean_table
    [ "$(column kernel | sed -n 3,7p | paste -sd ' ')" = "atomic-global atomic-shared shared-tree shared-shuffle shuffle-tree" ]
    [ -z "$(column kernel | grep -x -e sequential -e neighbored)" ]
    [ "$(column step_speedup | sed -n 3p) $(column cumulative_speedup | sed -n 3p)" = "1.000 1.000" ]
    # Each row's factors are the quotients of the medians.
    columns median_ns step_speedup cumulative_speedup cpu_speedup | awk '
        function is(quotient, shown) { if (!(quotient - shown <= 0.001 * shown + 0.001 && shown - quotient <= 0.001 * shown + 0.001)) wrong = 1 }
        NR == 1 { cpu = $1 }
        NR == 3 { first = before = $1 }
        NR >= 3 { is(before / $1, $2); is(first / $1, $3); is(cpu / $1, $4); before = $1 }
        END { exit wrong }' || complain "a factor is not the quotient of two medians"

    expect_fine reduce --ladder -t i32 -n 2000 --csv
    [ "$(column kernel | sed -n 3p)" = interleaved-divergent ]
    [ -z "$(column kernel | grep -x -e atomic-global -e neighbored)" ]
}

@test "the tutorial's last step ends its tree in shared memory at 32 values, and shuffles once per block" {
    on_simulator || skip "a GPU has no counters of its own"
    expect_fine reduce --counters -n 64Ki -b 256 -k 'shared-tree,shared-shuffle,shuffle-tree' --csv
    # Of 256 values in a block, the steps of 128, 64 and 32 threads load twice per warp: 14 times, and five steps of one
    # warp 10 times more, or all eight warps once more and five shuffles. Thread 0 loads the result.
    columns kernel sld_requests sst_requests block_barriers exchanges gatom_requests >counted
    cat >expected <<'END'
shared-tree 6400 5120 16384 0 256
shared-shuffle 5632 3840 6144 1280 256
shuffle-tree 256 2048 2048 11520 256
END
    diff expected counted
}

@test "a textbook kernel, copied into another program, is plain CUDA that adds up numbers of every type" {
    local kernels=() name
    # sums FILE KERNEL LAUNCH: the launch of a kernel that leaves sums in output.
    sums() {
        copy_kernel "reduce/textbook/$1.cuh" "$2" "T* input, T* output" "    $2$3;"
        kernels+=("$2")
    }
    printf '#include <cstdio>\n#include <cstdlib>\nconstexpr unsigned n = 1000;\n' >program.cu
    for name in atomic_global atomic_shared shared_tree shared_shuffle shuffle_tree grid_stride; do
        sums atomic reduce_$name '<<<4, 256, 256 * sizeof(T)>>>(input, n, output)'
    done
    for name in interleaved_divergent interleaved_conflicts sequential; do
        sums shared reduce_$name '<<<4, 256, 256 * sizeof(T)>>>(input, n, output)'
    done
    for name in first_add unrolled_warp; do
        sums shared reduce_$name '<<<2, 256, 256 * sizeof(T)>>>(input, n, output)'
    done
    for name in unrolled_block multiple_elements; do
        sums shared reduce_$name '<256><<<2, 256, 256 * sizeof(T)>>>(input, n, output)'
    done
    for name in neighbored neighbored_dense interleaved_pairs; do
        sums in_place reduce_$name '<<<4, 256>>>(input, n, output)'
    done
    sums in_place reduce_unroll '<8><<<2, 64>>>(input, n, output)'
    for name in warp complete; do sums in_place reduce_unroll8_$name '<<<2, 64>>>(input, n, output)'; done
    sums in_place reduce_unroll8_complete_static '<64><<<2, 64>>>(input, n, output)'
    sums nested reduce_nested '<<<2, 64>>>(input, n, output, true)'
    sums nested reduce_nested_together '<<<2, 64>>>(input, n, output, 64)'
    sums nested reduce_nested_partials '<<<1, 128>>>(input, n, output)'
    cat >>program.cu <<'END'
template <typename T>
void print_sum(void (*run)(T*, T*)) {
    T *input, *output, sum = 0;
    cudaMallocManaged(&input, n * sizeof(T));
    cudaMallocManaged(&output, 4 * sizeof(T));
    cudaMemset(output, 0, 4 * sizeof(T));
    for (unsigned i = 0; i < n; ++i) input[i] = i % 10;
    run(input, output);
    if (cudaDeviceSynchronize() != cudaSuccess) exit(1);
    for (unsigned i = 0; i < 4; ++i) sum += output[i];
    printf(" %g", double(sum));
}
END
    for name in "${kernels[@]}"; do
        printf 'print_sum<%s>(run_%s); ' int "$name" float "$name" double "$name"
        printf 'puts(" %s");\n' "$name"
    done | sed '1s/^/int main() {\n/; $s/$/\n}/' >>program.cu
    copies_print "$(printf ' 4500 4500 4500 %s\n' "${kernels[@]}")"
}

@test "the book's recursion launches 16,384 children from 2,048 blocks, and ours as many for each of its blocks" {
    on_simulator || skip "a GPU does not count them"
    printf '#include <cstdio>\n' >program.cu
    copy_kernel reduce/textbook/nested.cuh reduce_nested "T* input, T* output" \
        "    reduce_nested<<<2048, 512>>>(input, size_t(1) << 20, output, false);"
    cat >>program.cu <<'END'
int main() {
    int *input, *output, sum = 0;
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << 15);
    cudaMallocManaged(&input, sizeof(int) << 20);
    cudaMallocManaged(&output, 2048 * sizeof(int));
    for (int i = 0; i < 1 << 20; ++i) input[i] = 1;
    run_reduce_nested(input, output);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < 2048; ++i) sum += output[i];
    printf("%d\n", sum);
}
END
    capture simcc -G program.cu -o program
    expect_status 0
    SIMCC_COUNTERS=csv:counted capture ./program
    expect_output 1048576
    output=$(awk -F, '$6 == "" || NR == 1' counted)
    [ "$(columns launches blocks child_launches)" = "16385 18432 16384" ]

    expect_fine reduce -k 'nested*' -b 512 -n 1Mi --counters --no-predict --csv
    [ "$(columns kernel grid child_launches)" = $'nested 113 1808\nnested-nosync 113 904\nnested2 113 8' ]
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

@test "every device variant works as the filter's method" {
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

@test "one rule defines numbers in text: signs, fractions, exponents, inf, nan, and commas between numbers" {
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

@test "sums and means of integers of every width are exact, or refused if they do not fit into 64 bits" {
    local type
    pipeline 'seq 100000 | reduce -d $device -t i32 -'
    expect_output 5000050000
    echo 9223372036854775807 >largest
    expect_fine reduce largest
    expect_output 9223372036854775807
    # On its way the sum leaves the range of 64 bits and comes back.
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

@test "infinity comes only from infinity: a sum that overflows the type is refused" {
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
    # A chunk is 2^24 elements: 2^24 + 1 bytes of ones, then one larger and one smaller than all before.
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

# ---- more operations, and exact sums

all_operations=sum,min,max,mean,var,std,pvar,pstd,l2,absmax,argmin,argmax,nans

@test "every operation is right in every type, at any size, alignment and block, alone and in one pass" {
    local dtype
    for dtype in f32 f64 i32 i64; do
        expect_fine reduce -n 0,1,2,31,257,5000 -t $dtype --op $all_operations -k 'cpu*,statistics,accurate,exact' \
            --offset 1 -w 0 -r 1 --csv
        expect_verified_rows $((5 * 6 * 14))
        [ "$(column p_op | sort -u | wc -l)" -eq 14 ]
        expect_fine reduce -n 1000,70001 -t $dtype --op $all_operations -k 'statistics,accurate,exact' -b 33 -w 0 -r 1 --csv
        expect_verified_rows $((3 * 2 * 14))
    done
}

@test "a method that lacks an operation has no row, and is refused when named" {
    expect_fine reduce -n 100 --op var,max -k '*' -w 0 -r 1 --csv
    expect_clean_table
    [ "$(columns kernel p_op | grep -c 'tagged max$') $(columns kernel p_op | grep -c 'tagged .*var')" = "1 0" ]
    refuses 2 "tagged does not find var" reduce -n 100 --op var -k tagged
    refuses 2 "tagged does not find exact sum" reduce -n 100 --exact -k tagged
    refuses 2 "tagged does not find var" reduce --op var -k tagged <(seq 5)
    refuses 2 "accurate does not find exact sum" reduce --exact -k accurate <(seq 5)
    expect_fine reduce -n 100 --exact -w 0 -r 1 --csv
    [ "$(column kernel | paste -sd ' ')" = "cpu cpu-parallel exact" ]
    expect_fine reduce -n 100 --accurate --op max -k tagged -w 0 -r 1 --csv
    expect_verified_rows 1
}

@test "the checkers find nothing in the methods that compute more than one number" {
    on_simulator || skip "on a GPU compute-sanitizer watches"
    local dtype
    for dtype in f32 f64 i64; do
        capture reduce --check=all -q -n 0,1,1000,5001 --offset 1 -t $dtype --op sum,var,argmin --values wide \
            -k statistics,accurate,exact --csv
        expect_status 0
        expect_errors_like "ERROR SUMMARY: 0 errors"
        seq 3000 >data
        capture reduce --check=all -q -t $dtype --exact --op var,sum data
        expect_status 0
        expect_output "750250	4501500"
    done
    # In any order of the blocks: the last one collects the results of the others.
    local schedule
    for schedule in lockstep random:1 random:2; do
        capture reduce --check=all -q -n 40Ki --schedule $schedule -k statistics,accurate,exact --csv
        expect_verified_rows 3
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "the error column distinguishes plain sums from accurate and exact ones" {
    local dtype
    for dtype in f32 f64; do
        expect_fine reduce -n 10000 -t $dtype --values wide -k tagged,statistics,accurate,exact -w 0 -r 1 --csv
        expect_verified_rows 4
        columns kernel p_error_ulp | awk '
            $1 == "tagged" && !($2 > 1000) { wrong = 1 }
            ($1 == "accurate" || $1 == "statistics") && !($2 < 8) { wrong = 1 }
            $1 == "exact" && !($2 <= 0.5) { wrong = 1 }
            END { exit wrong }' || complain "errors"
    done
    expect_fine reduce -n 10000 -k tagged,exact --versus tagged -w 0 -r 3 --csv
    [ "$(column p_error_ulp | sort -u)" = 0.000 ]
    expect_fine reduce -n 10000 --ladder -w 0 -r 1 --csv
    [ "$(column p_error_ulp | sort -u)" = 0.000 ]
    expect_fine reduce -n 10000 --no-verify --values wide -k tagged -w 0 -r 1 --json
    [[ $output == *'"p_error_ulp":null'* ]] || complain "an error without a verification"
    on_simulator || return 0
    expect_fine reduce -n 10000 --counters -k tagged,exact --csv
    expect_verified_rows 2
    [ "$(column p_error_ulp | sort -u)" = 0.000 ]
}

# ill_conditioned TYPE SEED: numbers with 0 to 60 more bits than their sum in `data`, and in another order in
# `shuffled`; prints the TYPE nearest to the exact sum, by Python's integers.
ill_conditioned() {
    python3 - "$@" <<'PYTHON'
import math, random, struct, sys
from fractions import Fraction
kind, code = sys.argv[1], {"f32": "f", "f64": "d"}[sys.argv[1]]
random.seed(sys.argv[2])
low, top = (-149, 100) if kind == "f32" else (-1074, 1000)
value = lambda x: struct.unpack("<" + code, struct.pack("<" + code, x))[0]
numbers = [value(math.ldexp(random.uniform(-1, 1), random.randint(low + 30, top))) for _ in range(2000)]
numbers += [-x for x in numbers]
numbers += [value(math.ldexp(random.uniform(-1, 1), random.choice([low + 3, low + 60, 0]))) for _ in range(99)]
numbers += [value(math.ldexp(1, -k)) for k in range(30)]
for name in "data", "shuffled":
    random.shuffle(numbers)
    with open(name, "wb") as file:
        file.write(struct.pack("<%d%s" % (len(numbers), code), *numbers))
exact = sum(map(Fraction, numbers))
nearest = math.fsum(numbers)
if kind == "f32":  # the f64 is not one of two f32 with the sum halfway, or else the fraction decides
    nearest = value(nearest)
    up, down = (struct.unpack("<f", struct.pack("<i", struct.unpack("<i", struct.pack("<f", nearest))[0] + d))[0]
                for d in (1, -1))
    nearest = min((nearest, up, down), key=lambda x: abs(Fraction(x) - exact))
print(struct.pack(">d", nearest).hex())
PYTHON
}

# bits TYPE NUMBER: its bits as f64, since texts of the same number may differ.
bits() { perl -e 'print unpack("H*", pack("d>", $ARGV[0] eq "f32" ? unpack("f", pack("f", $ARGV[1])) : $ARGV[1]))' "$@"; }

@test "--exact gives the number nearest to the exact sum: in any order, with any block, on device and host" {
    need python3
    local dtype seed expected file options
    for dtype in f32 f64; do
        for seed in 1 2 3; do
            expected=$(ill_conditioned $dtype $seed)
            for file in data shuffled; do
                for options in "" "-k exact -b 32" "-k exact -b 64" "-k exact -b 256"; do
                    # shellcheck disable=SC2086  # one word per option
                    expect_fine reduce --exact --input-format raw:$dtype $options $file
                    [ "$(bits $dtype "$output")" = "$expected" ] || complain "$dtype $seed $file $options: not $expected"
                done
            done
        done
    done
    # Other methods are far from it.
    expect_fine reduce --input-format raw:f64 -k tagged data
    [ "$(bits f64 "$output")" != "$expected" ]
}

@test "--exact handles infinities, NaNs and zeros, and no partial sum overflows" {
    local dtype template
    # gives EXPECTED NUMBER...
    gives() {
        local expected=$1
        shift
        numbers $template "$@" >data
        expect_fine reduce --exact --input-format raw:$dtype data
        expect_output "$expected"
        expect_fine reduce --exact --input-format raw:$dtype -k exact data
        expect_output "$expected"
    }
    for dtype in f32 f64; do
        if [ $dtype = f32 ]; then template='f<'; else template='d<'; fi
        gives -0 -0.0 -0.0
        gives 0 -0.0 0
        gives 0 1 -1
        gives inf 1 inf
        gives -inf 1 -inf -3
        gives nan inf -inf
        gives nan 1 nan
    done
    gives 1e+308 1e308 1e308 -1e308
    gives 5e-324 1e308 5e-324 -1e308
    # shellcheck disable=SC2046  # one word per number
    gives 1e+308 $(printf '1e308 %.0s' {1..100}) $(printf -- '-1e308 %.0s' {1..99})
    refuses 4 "outside the range of f64" reduce --exact <(echo 1e308 1e308)
    refuses 4 "outside the range of f32" reduce --exact -t f32 <(echo 3e38 3e38)
    # Integers that f64 cannot represent.
    expect_fine reduce --exact <(printf '9007199254740993\n1\n')
    expect_output 9007199254740994
    expect_fine reduce --exact --op mean <(echo 1e16 1 -1e16)
    expect_output 0.3333333333333333
}

@test "whole numbers of text keep all their digits in exact and accurate sums, before fractions and after them" {
    local options
    # gives EXPECTED NUMBER...: by every method.
    gives() {
        local expected=$1
        shift
        printf '%s\n' "$@" >data
        for options in --exact --accurate "--exact -k exact" "--accurate -k accurate"; do
            # shellcheck disable=SC2086  # one word per option
            expect_fine reduce $options data
            expect_output "$expected"
        done
    }
    gives 9007199254740994 9007199254740993 0.5
    gives 9007199254740994 0.5 9007199254740993
    gives -0.5 0.5 9007199254740993 -9007199254740995 -9223372036854775808 9223372036854775807 2
    gives 1.5 -9223372036854775807 9223372036854775807 0.5 9223372036854775807 -9223372036854775807 1
    # In a block before the first fraction, in its block, and in one after it.
    { echo 9007199254740993 && yes 1 | head -n 200000 && echo 9007199254740993 0.25; } >long
    { yes 1 | head -n 200000 && echo 9007199254740993; } >>long
    expect_fine reduce --exact long
    expect_output 2.702159776462298e+16  # 3 * 9007199254740993 + 400000 + 0.25, to a multiple of 4
    # What rounding took from them, or their sum, is negative.
    gives 9.223372036854776e+18 9223372036854775807 0.5
    gives -9.223372036854776e+18 -9223372036854775807 0.25
    { seq -200000 -1 && echo 0.5; } >negative
    for options in --exact --accurate "--op sum"; do
        # shellcheck disable=SC2086  # one word per option
        expect_fine reduce $options negative
        expect_output -20000099999.5
    done
    # With -t they are numbers of that type, or refused where their digits are lost.
    refuses 4 "some beyond 2\^53 are not exact; leave the fractions out" reduce -t i64 <(printf '9007199254740993\n0.5\n')
    expect_fine reduce -t i64 <(printf '9007199254740992\n0.5\n')
    expect_output 9007199254740992
    expect_fine reduce --exact -t f64 <(printf '9007199254740993\n0.5\n-9007199254740993\n')
    expect_output 0.5
}

@test "an accurate sum may be in range even if partial sums are not" {
    local options
    for options in "" "-k accurate" "-k statistics"; do
        # shellcheck disable=SC2086  # one word per option
        expect_fine reduce --op sum,max $options <(echo 1e308 1e308 -1e308)
        expect_output "1e+308	1e+308"
    done
    expect_fine reduce --accurate <(echo 1e308 1e308 -1e308 -1e308 5 0.25)
    expect_output 5.25
    expect_fine reduce --accurate --op mean <(echo 1e308 1e308 -1e308 -1e308 5 5)
    expect_output 1.6666666666666667
    # In pieces of the stream whose sums each leave the range.
    perl -e 'print pack "d<*", (1e308) x 200_000, (-1e308) x 200_000, 3' >pieces
    expect_fine reduce --accurate --input-format raw:f64 pieces
    expect_output 3
    expect_fine reduce --accurate <(echo 1e308 1e308 -inf)
    expect_output -inf
    expect_fine reduce --accurate <(echo 1e308 1e308 -1e308 nan)
    expect_output nan
    refuses 4 "a sum of these finite numbers is outside the range of f64" reduce --accurate <(echo 1e308 1e308 1)
}

@test "several operations are fields of one line, and a list in JSON, found in one pass over the input" {
    printf '3\n-7\n12\n4\n12\n' >data
    expect_fine reduce --op sum,min,max,mean,absmax,argmin,argmax,nans data
    expect_output "24	-7	12	4.8	12	1	2	0"
    pipeline 'seq 10 | reduce -d $device --op min,max --json -'
    expect_output '{"tool":"reduce","dtype":"i64","n":10,"op":["min","max"],"result":[1,10]}'
    pipeline 'printf "1\n-inf\n" | reduce -d $device --op l2 --json -'
    expect_output '{"tool":"reduce","dtype":"f64","n":2,"op":"l2","result":"inf"}'
    expect_fine reduce --op sum,min,max,mean,var,l2,absmax,argmin,argmax,nans <(printf '1\nnan\n4\nnan\n')
    expect_output "nan	nan	nan	nan	nan	nan	nan	1	1	2"
    # Across pieces of the stream: the first of equal numbers, and positions from the beginning of the input.
    perl -e 'print pack "f<*", (map { $_ % 7 } 0 .. 199_999), -2, 9, -2, 9' >floats
    for kernel in "" "-k statistics" "-k exact"; do
        # shellcheck disable=SC2086  # one word per option
        expect_fine reduce --input-format raw:f32 $kernel --op argmin,argmax,sum,max floats
        expect_output "200000	200001	600008	9"
    done
}

@test "variances and norms do not cancel against the mean, and squares may be outside the type's range" {
    # gives EXPECTED OPERATION NUMBER...: on the host and by a kernel
    gives() {
        local expected=$1 operation=$2 options
        shift 2
        printf '%s\n' "$@" >data
        for options in "" "-k statistics"; do
            # shellcheck disable=SC2086  # one word per option
            expect_fine reduce --op "$operation" $options data
            [ "$(printf '%.12g' "$output")" = "$(printf '%.12g' "$expected")" ] || complain "$operation $* is not $expected"
        done
    }
    gives 30 var 1000000004 1000000007 1000000013 1000000016
    gives 22.5 pvar 1000000004.0 1000000007 1000000013 1000000016
    gives 1 std 9223372036854775805 9223372036854775806 9223372036854775807
    gives 0 pstd 0.1 0.1 0.1
    gives 5e200 l2 3e200 -4e200
    gives 5e-200 l2 3e-200 4e-200
    gives 1e300 pstd 1e300 3e300
    gives 5 l2 3 4
    gives 9223372036854775807 pstd -9223372036854775807 9223372036854775807
    refuses 4 "outside the range of f64" reduce --op pvar <(echo 1e300 3e300)
    refuses 4 "a sample of one number has no var; use --op pvar" reduce --op var <(echo 7)
    npy '<f8' '(0,)' </dev/null >empty.npy
    refuses 4 "there is no argmax of no numbers" reduce --op argmax empty.npy
    expect_fine reduce --op sum,l2,nans empty.npy
    expect_output "0	0	0"
    need datamash
    perl -e 'srand 7; printf "%.17g\n", 1e6 + rand for 1 .. 5000' >data
    expect_fine reduce --op var,pvar,std,pstd data
    paste <(tr '\t' '\n' <<<"$output") <(datamash svar 1 pvar 1 sstdev 1 pstdev 1 <data | tr '\t' '\n') |
        awk '{ d = $1 / $2 - 1; if (!(d < 1e-6 && d > -1e-6)) exit 1 }' || complain "datamash has others"
}

# matrix TEMPLATE DESCR ROWS COLUMNS [ORDER]: a .npy file whose element in row r and column c is (7 r + 3 c) mod 11 - 5.
matrix() {
    local fortran_order='False,'
    [ "${5-C}" = C ] || fortran_order='True, '
    perl -e 'my ($template, $rows, $columns, $order) = @ARGV;
             my @at = $order eq "C" ? map { [int($_ / $columns), $_ % $columns] } 0 .. $rows * $columns - 1
                                    : map { [$_ % $rows, int($_ / $rows)] } 0 .. $rows * $columns - 1;
             print pack("($template)*", map { (7 * $_->[0] + 3 * $_->[1]) % 11 - 5 } @at);' "$1" "$3" "$4" "${5-C}" |
        npy "$2" "($3, $4)" | sed "1s/False,/$fortran_order/"
}

# line_results AXIS OPERATION ROWS COLUMNS: the results for such a matrix, one per line, with six digits.
line_results() {
    perl -e 'use List::Util qw(sum min max first);
             my ($axis, $operation, $rows, $columns) = @ARGV;
             for my $line (0 .. ($axis == 0 ? $columns : $rows) - 1) {
                 my @x = map { my ($r, $c) = $axis == 0 ? ($_, $line) : ($line, $_); (7 * $r + 3 * $c) % 11 - 5 }
                         0 .. ($axis == 0 ? $rows : $columns) - 1;
                 my $mean = sum(@x) / @x;
                 my $squares = sum(map { ($_ - $mean) ** 2 } @x);
                 my %of = (sum => sum(@x), mean => $mean, max => max(@x), absmax => max(map { abs } @x),
                           argmin => (first { $x[$_] == min(@x) } 0 .. $#x), pstd => sqrt($squares / @x), nans => 0);
                 printf "%.6g\n", $of{$operation};
             }' "$@"
}

# npy_lines: the numbers of standard input in the same form.
npy_lines() {
    perl -0777 -ne 'my $length = unpack("v", substr($_, 8, 2));
                    my ($descr) = substr($_, 10, $length) =~ /descr.: .<(..)/;
                    my $template = {f4 => "f<", f8 => "d<", i8 => "q<"}->{$descr};
                    printf "%.6g\n", $_ for unpack("($template)*", substr($_, 10 + $length));'
}

@test "--axis reduces each column or row of a matrix, in both orders, on the host and by the kernel" {
    local case shape type axis operation order
    for case in '1 1:0:sum' '1 1:1:argmin' '3 5:0:pstd' '3 5:1:sum' '300 41:0:argmin' '300 41:1:pstd' '2 30000:0:sum' \
        '2 30000:1:argmin' '30000 2:0:pstd' '30000 2:1:sum'; do
        IFS=: read -r shape axis operation <<<"$case"
        # shellcheck disable=SC2086  # two words
        line_results "$axis" "$operation" $shape >expected
        for type in 'f< <f4' 'q< <i8'; do
            for order in C F; do
                # shellcheck disable=SC2086  # two words
                matrix $type $shape $order >data.npy
                expect_fine reduce --axis "$axis" --op "$operation" data.npy
                npy_lines <stdout | cmp - expected || complain "$case, $type, $order"
            done
        done
    done
    for operation in mean max absmax nans; do
        line_results 0 $operation 33 70 >expected
        matrix 'd<' '<f8' 33 70 >data.npy
        # shellcheck disable=SC2046  # no word or one
        capture reduce -d "$device" -q $(on_simulator && echo --check=all) --axis 0 --op $operation data.npy
        expect_status 0
        npy_lines <stdout | cmp - expected
        if on_simulator; then expect_errors_like "ERROR SUMMARY: 0 errors"; fi
        line_results 1 $operation 33 70 >expected
        # shellcheck disable=SC2046  # no word or one
        capture reduce -d "$device" -q $(on_simulator && echo --check=all) --axis 1 --op $operation data.npy
        npy_lines <stdout | cmp - expected
    done
    pipeline 'reduce -d $device --axis 1 --op max --json data.npy | cut -c 1-61'
    expect_output '{"tool":"reduce","dtype":"f64","n":33,"result":[5,5,5,5,5,5,5'
}

@test "--axis says what it does not do" {
    matrix 'd<' '<f8' 2 3 >data.npy
    refuses 2 "--axis takes one operation, not sum,max" reduce --axis 0 --op sum,max data.npy
    refuses 2 "sums of an --axis are those of --accurate" reduce --axis 0 --exact data.npy
    refuses 2 "--axis has a method of its own" reduce --axis 0 -k tagged data.npy
    refuses 2 "--axis is for a matrix in a file" reduce --axis 0
    refuses 2 "--axis '2' is too large" reduce --axis 2 data.npy
    refuses 4 "two dimensions, and this is none" reduce --axis 0 <(seq 5)
    numbers 'd<' 1 2 | npy '<f8' '(2,)' >vector.npy
    refuses 4 "this has the shape \(2,\)" reduce --axis 0 vector.npy
    npy '<f8' '(0, 3)' </dev/null >empty.npy
    refuses 4 "there is no max of no numbers" reduce --axis 0 --op max empty.npy
    expect_fine reduce --axis 0 empty.npy
    [ "$(npy_lines <stdout | paste -sd ' ')" = "0 0 0" ]
    numbers 'd<' 1e308 1 1e308 2 | npy '<f8' '(2, 2)' >large.npy
    refuses 4 "outside the range of f64" reduce --axis 0 large.npy
    refuses 4 "the squares of some numbers are outside the range of f64" reduce --axis 0 --op l2 large.npy
}

@test "--axis handles infinities, NaNs and zeros like a result of all numbers, and refuses overflow" {
    # results OPERATION: the results of the rows of data.npy.
    results() {
        expect_fine reduce --axis 1 --op "$1" --json data.npy
        output=$(sed 's/.*"result":\(.*\)}$/\1/' stdout)
    }
    numbers 'd>' inf 1 2 -inf inf 3 nan inf 4 -0.0 -0.0 -0.0 | npy '>f8' '(4, 3)' >data.npy
    results l2
    expect_output '["inf","inf","nan",0]'
    results sum
    expect_output '["inf","nan","nan",0]'
    results min
    expect_output '[1,"-inf","nan",-0]'
    results absmax
    expect_output '["inf","inf","nan",0]'
    results pvar
    expect_output '["nan","nan","nan",0]'
    results argmax
    expect_output '[0,1,0,0]'
    results nans
    expect_output '[0,0,1,0]'
    numbers 'q<' -9223372036854775808 0 | npy '<i8' '(1, 2)' >data.npy
    results sum
    expect_output '[-9223372036854775808]'
    refuses 4 "the absmax of one of the lines does not fit into 64 bits" reduce --axis 1 --op absmax data.npy
    printf '\1\0\1\1\0\0' | npy '|b1' '(2, 3)' >data.npy
    results sum && expect_output '[2,1]'
}

@test "--axis writes the results of rows as they come, and needs memory only for existing columns" {
    # zeros SHAPE AXIS: the bytes of the first of endless results.
    zeros() {
        npy '<f8' "$1" </dev/null >none.npy
        capture bash -c "ulimit -v 8000000; reduce -d $device -q --axis $2 none.npy | head -c 1000128 | tail -c 1000000 | tr -d '\\0' | wc -c"
        expect_status 0
        expect_output 0
    }
    if on_simulator; then
        zeros '(1000000000000, 0)' 1
        zeros '(0, 1000000000000)' 0
    fi
    npy '<f8' '(1000000000000, 0)' </dev/null >none.npy
    expect_fine reduce --axis 0 none.npy
    [ "$(wc -c <stdout)" -eq 128 ]
    refuses 4 "there is no max of no numbers" reduce --axis 1 --op max none.npy
    # More rows than are written at once, and a header that promises more columns than memory holds.
    perl -e 'print pack "l<*", map { ($_, 1) } 0 .. 149_999' | npy '<i4' '(150000, 2)' >tall.npy
    expect_fine reduce --axis 1 tall.npy
    [ "$(tail -c 1200000 stdout | perl -e 'local $/; my $i = 1; $_ == $i++ or die for unpack "q<*", <>; print $i')" = 150001 ]
    expect_fine reduce --axis 1 --op mean --json tall.npy
    expect_output_like '"n":150000,"result":\[0.5,1,1.5,2,.*,75000\]\}$'
    npy '<f8' '(2, 100000000000)' </dev/null >wide.npy
    refuses 4 "100000000000 columns need .*, but .* of memory are available" reduce --axis 0 <(cat wide.npy)
}

@test "at most one operand is accepted" {
    refuses 2 "unexpected operand 'b'" reduce a b
}

@test "a wrong operation or offset is refused" {
    refuses 2 "'median' is not one of sum, min, max, mean" reduce --op median
    refuses 2 "offset 'x'" reduce --offset x
    refuses 2 "'median' is not one of sum, min, max, mean" reduce --op median - < <(seq 5)
}

# ---- the grid

@test "--grid 1 --block 1 is the sequential program, and --grid names the most blocks" {
    expect_fine reduce -n 0,1,1000 -k grid-sync --grid 1 --block 1 -w 0 -r 1 --csv
    [ "$(columns n grid block verify)" = "0 1 1 pass
1 1 1 pass
1000 1 1 pass" ] || complain "shapes"
    expect_fine reduce -n 5000 -b 64 --grid 3 -w 0 -r 1 --csv
    [ "$(columns kernel grid verify | grep -v none)" = "multiple-elements 3 pass
grid-stride 3 pass
grid-sync 3 pass" ] || complain "variants with a grid of their own"
    refuses 2 'leave --grid out' reduce -k sequential --grid 1
}

@test "a sum behind the grid's barrier is the same bits every time" {
    expect_fine reduce -n 100000 -k grid-sync --values wide -w 0 -r 5 --csv
    [ "$(column verify)" = pass ] || complain "a right sum"
    printf '1e8\n1\n-1e8\n%.0s' {1..3000} >numbers
    local sums
    sums=$(for _ in 1 2 3; do reduce -q -d "$device" -t f32 -k grid-sync numbers; done | sort -u | wc -l)
    [ "$sums" -eq 1 ] || complain "$sums different sums"
}

# ---- step by step

lecture='10 1 8 -1 0 -2 3 5 -2 -3 2 7 0 11 0 2'

# steps_of VARIANT: what --steps draws for the lecture's numbers.
steps_of() {
    capture reduce --steps -f human -k "$1" - <<<"$lecture"
    expect_status 0 && expect_no_errors
}

# drawn WORD: the rows of the picture that begin with this word, without the names before them.
drawn() { sed -n "s/.*\\<$1\\> *//p" <<<"$output" | tr -s " "; }

@test "--steps draws the lecture's rows: interleaved addressing, with idle lanes and without" {
    local variant values='10 1 8 -1 0 -2 3 5 -2 -3 2 7 0 11 0 2
11 1 7 -1 -2 -2 8 5 -5 -3 9 7 11 11 2 2
18 1 7 -1 6 -2 8 5 4 -3 9 7 13 11 2 2
24 1 7 -1 6 -2 8 5 17 -3 9 7 13 11 2 2
41 1 7 -1 6 -2 8 5 17 -3 9 7 13 11 2 2'
    for variant in interleaved-divergent interleaved-conflicts neighbored neighbored-dense; do
        steps_of $variant || return
        [ "$(drawn values)" = "$values" ] || complain "values of $variant" || return
        [ "$(drawn with)" = "1 . 3 . 5 . 7 . 9 . 11 . 13 . 15 .
2 . . . 6 . . . 10 . . . 14 . . .
4 . . . . . . . 12 . . . . . . .
8 . . . . . . . . . . . . . . ." ] || complain "partners of $variant" || return
        expect_output_like 'stride 8' && expect_output_like 'The result is 41, after 4 steps\.$' || return
    done
    steps_of interleaved-divergent
    [ "$(drawn thread | sed -n 2p)" = "0 . . . 4 . . . 8 . . . 12 . . ." ] || complain "every fourth thread works" || return
    steps_of interleaved-conflicts
    [ "$(drawn thread | sed -n 2p)" = "0 . . . 1 . . . 2 . . . 3 . . ." ] || complain "the first four threads work"
}

@test "--steps draws the lecture's rows: sequential addressing" {
    local variant
    for variant in sequential shared-tree interleaved-pairs; do
        steps_of $variant || return
        [ "$(drawn values)" = '10 1 8 -1 0 -2 3 5 -2 -3 2 7 0 11 0 2
8 -2 10 6 0 9 3 7 -2 -3 2 7 0 11 0 2
8 7 13 13 0 9 3 7 -2 -3 2 7 0 11 0 2
21 20 13 13 0 9 3 7 -2 -3 2 7 0 11 0 2
41 20 13 13 0 9 3 7 -2 -3 2 7 0 11 0 2' ] || complain "values of $variant" || return
    done
}

@test "--steps shows a shuffle's values in every lane, and atomic operations in their order" {
    steps_of shuffle-tree
    [ "$(drawn values | sed -n 6p)" = "41 31 30 22 23 23 25 22 17 19 22 20 13 13 2 2" ] || complain "the last shuffle" || return
    expect_output_like 'From index 16 on, every value is 0 throughout' || return
    steps_of atomic-global
    [ "$(sed -n '/^start  /,$p' <<<"$output" | awk '{ print $NF }' | head -17 | paste -s -d ' ')" = "0 10 11 19 18 18 16 19 24 22 19 21 28 28 39 39 41" ] ||
        complain "totals"
}

# expect_all_end N OPERATION: every variant that has steps ends them with the same result.
expect_all_end() {
    capture reduce --steps -t i32 -n "$1" --op "$2" -f human
    expect_status 0 && expect_no_errors || return
    local results variants
    results=$(sed -n 's/^The result is \([^,]*\), .*/\1/p' <<<"$output" | sort | uniq -c)
    variants=$(reduce -l --csv | grep -c -v -E '^kernel|host|gpu|nested|^statistics|^accurate|^exact')
    [ "$(awk '{ print $1 }' <<<"$results")" = "$variants" ] || complain "not one result of $variants variants: $results"
}

@test "every variant that has steps ends them with the result, for every operation and small n" {
    local n operation
    for n in 0 1 2 5 31 64; do
        for operation in sum min max; do
            expect_all_end "$n" "$operation" || return
        done
    done
}
@test "--steps --csv has a row per step and thread, from which the picture follows" {
    need mlr
    pipeline "echo $lecture | reduce --steps -k interleaved-divergent - | mlr --icsv --onidx filter '\$active == 1 && \$step > 0' then count -g step"
    expect_output "1 8
2 4
3 2
4 1"
    pipeline "echo $lecture | reduce --steps -k interleaved-divergent --csv -"
    expect_clean_table ,
    [ "$(wc -l <<<"$output")" -eq 81 ] || complain "81 lines"
    expect_output_like $'\ninterleaved-divergent,3,8,1,8,17,12,shared\n'
}

# refuses_steps PATTERN [ARGUMENT]...
refuses_steps() {
    capture reduce --steps "${@:2}"
    expect_status 2 && expect_refusal reduce "$1"
}

@test "--steps says what it cannot draw, and what to do" {
    refuses_steps 'cpu has no steps to show; these have: atomic-global, .* and tagged' -k cpu
    refuses_steps 'needs 2 of 64 threads for 100 numbers: give it fewer$' -k sequential -n 100
    refuses_steps 'or a larger --block$' -k sequential -n 16 -b 8
    refuses_steps '1025 are more than 1024' -n 1025
    refuses_steps 'one of sum, min and max' --op max,min
    refuses_steps 'one of sum, min and max' --op mean
    refuses_steps '--ladder is for measurements' --ladder
    refuses_steps 'leave --device gpu out' -d gpu
}

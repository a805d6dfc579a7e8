#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What vecadd promises: every variant is right for every n, type and kind of memory, and a filter adds two inputs.

# Several streams on a GPU

load helpers

small_sizes="0 1 31 32 33 255 257 1000"

# Every variant is right at the small sizes of one type. Further arguments are options.
expect_right_for() {
    local dtype=$1
    shift
    expect_fine vecadd -n "${small_sizes// /,}" -t "$dtype" -w 0 -r 1 --csv "$@"
    # shellcheck disable=SC2086  # one word per size
    expect_all_verified vecadd $small_sizes
}

@test "every variant is right for every type and small sizes" {
    local dtype
    for dtype in f32 f64 i32 i64; do expect_right_for "$dtype"; done
}

@test "every variant is right for vectors that start at an unaligned address" {
    local dtype offset
    for dtype in f32 f64 i32 i64; do
        for offset in 1 2 3 5; do expect_right_for "$dtype" --offset $offset; done
    done
}

@test "a textbook kernel, copied into another program, is plain CUDA that adds vectors" {
    local name kernels=(one_per_thread grid_stride unroll4 vector4)
    printf '#include <cstdio>\nconstexpr unsigned n = 1003;\n' >program.cu
    for name in "${kernels[@]}"; do
        copy_kernel vecadd/textbook.cuh vecadd_$name "const T* a, const T* b, T* c" "    vecadd_$name<<<8, 128>>>(a, b, c, n);"
    done
    cat >>program.cu <<'END'
template <typename T>
void check(void (*run)(const T*, const T*, T*)) {
    unsigned right = 0;
    T *a, *b, *c;
    for (T** array : {&a, &b, &c}) cudaMallocManaged(array, n * sizeof(T));
    for (unsigned i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
    run(a, b, c);
    if (cudaDeviceSynchronize() != cudaSuccess) return;
    for (unsigned i = 0; i < n; ++i) right += c[i] == 3 * T(i);
    printf("%u\n", right);
}
END
    { echo 'int main() {' && for name in "${kernels[@]}"; do
        printf 'check<float>(run_vecadd_%s);\ncheck<long>(run_vecadd_%s);\n' "$name" "$name"
    done && echo '}'; } >>program.cu
    copies_print "$(printf "1003\n%.0s" {1..8})"
}

@test "every variant is right with blocks of any size" {
    local block
    for block in 1 31 32 64 100 128 512 1000 1024; do expect_right_for f32 -b $block; done
}

@test "every variant is right for a million elements and one more" {
    local dtype dtypes="f32 i64"
    on_simulator || dtypes="f32 f64 i32 i64"
    for dtype in $dtypes; do
        expect_fine vecadd -n 1048576,1048577 -t "$dtype" -w 0 -r 1 --csv
        expect_all_verified vecadd 1048576 1048577
        expect_fine vecadd -n 1048577 -t "$dtype" --offset 1 -w 0 -r 1 --csv
        expect_all_verified vecadd 1048577
    done
}

@test "every kind of memory gives right results and its costs" {
    expect_fine vecadd --memory all -k one-per-thread,vector4 -n 10000 -w 0 -r 1 --csv
    expect_clean_table
    [ "$(column p_memory | uniq | paste -sd ' ')" = "device pageable pinned write-combined mapped managed" ]
    [ "$(column verify | sort -u)" = pass ]
    # Device memory has no stages; with all other kinds every stage takes time.
    columns p_memory p_alloc_ns p_h2d_ns p_kernel_ns p_d2h_ns p_total_ns |
        awk '$1 == "device" ? $2 + $3 + $4 + $5 + $6 != 0 : !($2 > 0 && $3 > 0 && $4 > 0 && $5 > 0 && $6 > 0)' >wrong
    [ ! -s wrong ] || complain "costs: $(cat wrong)"
    refuses 2 "unknown memory kind 'pinnd'.*pinned" vecadd --memory pinnd
}

@test "a row shows traffic and launch" {
    expect_fine vecadd -k one-per-thread -n 1000 -t f64 -b 128 --offset 1 --csv
    [ "$(column bytes) $(column flop)" = "24000 1000" ]
    [ "$(column grid) $(column block) $(column smem_bytes) $(column p_offset)" = "8 128 0 1" ]
}

@test "a result outside the allowed error is reported, gets no row, and gives exit code 1" {
    # Sums of random f32 are rounded: a tolerance below the rounding error must be exceeded, and reported.
    try vecadd -k 'cpu,vector4' -n 1000 --tol 1e-12 --csv
    expect_status 1
    expect_output ""
    expect_errors_like "vecadd: cpu: wrong result for n = 1000, f32: element [0-9]+: got .*, expected .*, allowed error "
    expect_errors_like "vecadd: vector4: wrong result for n = 1000"
    # Rounding is the only reason.
    expect_fine vecadd -k 'cpu,vector4' -n 1000 --tol 1e-6 --csv
    expect_fine vecadd -k 'cpu,vector4' -n 1000 --tol 1e-12 -t i32 --csv
    expect_fine vecadd -k 'cpu,vector4' -n 1000 --tol 1e-12 --no-verify --csv
    [ "$(column verify | sort -u)" = skipped ]
}

# ---- as a filter

@test "two files of text are added line by line" {
    seq 5 >a
    seq 10 10 50 >b
    expect_fine vecadd a b
    expect_output "$(seq 11 11 55)"
}

@test "every device variant works as the filter's method" {
    local kernel
    seq 1000 >a
    for kernel in $("$root/bin/vecadd" --list --csv --no-header | awk -F , '$2 == "any" { print $1 }'); do
        expect_fine vecadd -k "$kernel" a a
        expect_output "$(seq 2 2 2000)"
    done
    refuses 2 "runs on the host" vecadd -k cpu a a
}

@test "one of the two inputs may be standard input" {
    pipeline 'seq 3 | vecadd -d $device - <(seq 100 100 300)'
    expect_status 0
    expect_no_errors
    expect_output "$(seq 101 101 303)"
    pipeline 'seq 3 | vecadd -d $device <(seq 100 100 300) -'
    expect_output "$(seq 101 101 303)"
    seq 3 >a
    refuses 2 "only one of A and B" vecadd - - <a
    refuses 2 "two operands are needed" vecadd a
    refuses 2 "unexpected operand 'c'" vecadd a b c
}

@test "fractions print as the shortest text that reads back the same" {
    printf '0.1\n1e300\n-1\n' >a
    printf '0.2\n1e300\n1\n' >b
    expect_fine vecadd a b
    expect_output "0.30000000000000004
2e+300
0"
}

@test ".npy in gives .npy out, of the same shape, readable by reduce" {
    numbers 'f<' 1 2 3 4 5 6 | npy '<f4' '(2, 3)' >a.npy
    numbers 'f<' 10 20 30 40 50 60 | npy '<f4' '(2, 3)' >b.npy
    expect_fine vecadd a.npy b.npy
    numbers 'f<' 11 22 33 44 55 66 | npy '<f4' '(2, 3)' >expected.npy
    [ "$(tail -c 24 stdout | od -An -c)" = "$(tail -c 24 expected.npy | od -An -c)" ]
    [ $(( ($(wc -c <stdout) - 24) % 64 )) -eq 0 ]  # the data begin on a 64-byte boundary
    grep -a -q "'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)" stdout
    pipeline 'vecadd -d $device a.npy b.npy | reduce -d $device -'
    expect_output 231
}

@test "mixed types are added in a type that holds both" {
    numbers 'l<' 2147483647 | npy '<i4' '(1,)' >i4.npy
    numbers 'q<' 1 | npy '<i8' '(1,)' >i8.npy
    numbers 'f<' 0.5 | npy '<f4' '(1,)' >f4.npy
    expect_fine vecadd i4.npy i8.npy -o sum.npy
    grep -a -q "'descr': '<i8'" sum.npy
    expect_fine reduce sum.npy
    expect_output 2147483648
    expect_fine vecadd i4.npy f4.npy -o sum.npy
    grep -a -q "'descr': '<f8'" sum.npy
    expect_fine reduce sum.npy
    expect_output 2147483647.5
    printf '1.25\n' >text
    expect_fine vecadd text f4.npy
    expect_output 1.75
    expect_fine vecadd -t i32 text f4.npy
    expect_output 1
}

@test "a sum that overflows the type is refused, with its element" {
    refuses 4 "element 2: 2147483647 \+ 1 does not fit into i32; choose another" vecadd -t i32 <(echo 1 2147483647) <(echo 1 1)
    refuses 4 "element 1: -9223372036854775808 \+ -1 does not fit into i64" vecadd <(echo -9223372036854775808) <(echo -1)
    refuses 4 "element 1: 1e\+308 \+ 1e\+308 does not fit into f64" vecadd <(echo 1e308) <(echo 1e308)
    expect_fine vecadd <(echo 9223372036854775807 inf) <(echo -1 1)
    expect_output "9.223372036854776e+18
inf"
    expect_fine vecadd -t f64 <(echo 2147483647) <(echo 1)
    expect_output 2147483648
}

@test "numbers that change their type after the first chunk are printed as text or refused" {
    # A chunk is 2^22 elements.
    { yes 1 | head -n 4194304; echo 0.5; } >late
    head -c 16777220 /dev/zero | npy '<i4' '(4194305,)' >zeros.npy
    # (The results before have been written by then, but no file of that name appears.)
    refuses 4 "after 4194304 elements of i64 there are f64: give a --dtype" vecadd zeros.npy late -o sum.npy
    [ ! -e sum.npy ]
    capture bash -c "vecadd -d $device late zeros.npy | tail -1"
    expect_output 0.5
}

@test "-0 stays -0 among fractions, anywhere in a text, and is 0 among whole numbers" {
    printf '%s\n' -0 1 0.5 -0 -0.0 0 -00 >a
    expect_fine vecadd a a
    expect_output $'-0\n2\n1\n-0\n-0\n0\n-0'
    expect_fine vecadd <(echo -0) <(echo -0)
    expect_output 0
    expect_fine vecadd -t f32 <(echo 5 -0) <(echo 5 -0)
    expect_output $'10\n-0'
    # Blocks of text have 256 KiB: in a block of whole numbers, after the first fraction.
    { echo 0.5 && yes 7 | head -n 150000 && echo -0 && yes 7 | head -n 150000 && echo -0 0; } >a
    capture bash -c "vecadd -d $device a a | grep -n -v 14 | paste -sd ' '"
    expect_output "1:1 150002:-0 300003:-0 300004:0"
}

@test "raw input of more than one chunk is added in all of them" {
    # A chunk is 2^22 elements of i32; bytes of ones and twos add up to threes.
    head -c 16777236 /dev/zero | tr '\0' '\1' >a
    head -c 16777236 /dev/zero | tr '\0' '\2' >b
    try vecadd --input-format raw:i32 a b -o c
    expect_status 0
    expect_no_errors
    head -c 16777236 /dev/zero | tr '\0' '\3' | cmp - c
}

@test "vectors of different length are refused, and nothing is written" {
    local shorter
    seq 5 >five
    seq 6 >six
    refuses 4 "five ends after 5 elements, six goes on" vecadd five six
    refuses 4 "five ends after 5 elements, six goes on" vecadd six five
    numbers 'f<' 1 2 3 4 5 6 | npy '<f4' '(2, 3)' >a.npy
    numbers 'f<' 1 2 3 4 5 6 | npy '<f4' '(3, 2)' >b.npy
    refuses 4 "shape \(2, 3\).*shape \(3, 2\)" vecadd a.npy b.npy
    # The second chunk ends early: the sum of the first must not have been written yet.
    head -c 16777220 /dev/zero >longer
    head -c 16777216 /dev/zero >shorter
    refuses 4 "shorter ends after 4194304 elements" vecadd --input-format raw:i32 longer shorter
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What transpose promises: every variant is right for every shape, type and alignment, and a filter takes any matrix.

# Several streams on a GPU

load helpers

shapes="0 1 7x3 33x65 128x128 100x1 1x77 5x1000 1000x5 64x256 257 0x9"

# The number of elements of each shape.
sizes_of() {
    local shape
    for shape; do
        case $shape in
            *x*) echo $((${shape%x*} * ${shape#*x})) ;;
            *) echo $((shape * shape)) ;;
        esac
    done
}

# Every variant has a verified row for each shape; in-place only for the squares. Further arguments are options.
expect_right() {
    local squares expected
    expect_fine transpose -n "${shapes// /,}" -w 0 -r 1 --csv "$@"
    expect_clean_table
    [ "$(column verify | sort -u)" = pass ] || complain "not all verified: $*"
    squares=$(tr ' ' '\n' <<<"$shapes" | grep -c -v x)
    squares=$((squares + 1))  # 128x128
    for kernel in $(variants transpose); do
        [ "$kernel" = geam ] && continue
        expected=$(wc -w <<<"$shapes")
        [ "$kernel" = in-place ] && expected=$squares
        [ "$(column kernel | grep -c -x -e "$kernel")" -eq "$expected" ] || complain "rows of $kernel: $*"
    done
}

@test "every variant is right for every type and many shapes" {
    local dtype
    for dtype in f32 f64 f16 i8; do expect_right -t $dtype; done
    # shellcheck disable=SC2046,SC2086  # one word per shape
    diff <(column n | uniq) <(sizes_of $shapes | uniq)
}

@test "every variant is right at any alignment" {
    local dtype offset
    for dtype in f32 f64 f16 i8; do
        for offset in 1 4; do expect_right -t $dtype --offset $offset; done
    done
}

@test "every variant is right with blocks of any size" {
    local block
    for block in 1 100 1024; do expect_right -b $block; done
}

@test "larger matrices are right, with whole and partial tiles" {
    local dtype
    for dtype in f32 i8; do
        expect_fine transpose -n 1024x1536,1000x1001,2048x31 -t $dtype -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
    done
}

@test "a row shows shape, traffic and launch" {
    expect_fine transpose -k padded -n 100x50 -t f64 --csv
    [ "$(column n) $(column bytes) $(column flop) $(column p_rows) $(column p_columns)" = "5000 80000 0 100 50" ]
    [ "$(column grid) $(column block)" = "2x4 32x8" ]
}

@test "the counters are the lecture's: sectors of rows and columns, and conflicts of a tile without padding" {
    on_simulator || skip "the simulator's"
    capture transpose -q --counters -n 256 --csv -k 'copy,naive-*,tile,padded,swizzled,vectorized'
    expect_status 0
    diff - <(columns kernel gld_sectors_per_request gst_sectors_per_request sst_wavefronts_per_request sld_wavefronts_per_request sld_conflicts) <<'EOF'
copy 16.0000 16.0000 - - 0
naive-read 4.0000 32.0000 - - 0
naive-write 32.0000 4.0000 - - 0
tile 4.0000 4.0000 1.0000 32.0000 63488
padded 4.0000 4.0000 1.0000 1.0000 0
swizzled 4.0000 4.0000 1.0000 1.0000 0
vectorized 16.0000 16.0000 4.0000 4.0000 0
EOF
    # Vectors of every type have no conflicts.
    for dtype in f64 f16 i8; do
        capture transpose -q --counters -n 256 --csv -k 'vectorized,in-place' -t $dtype
        [ "$(column sld_conflicts | sort -u) $(column sst_conflicts | sort -u)" = "0 0" ] || complain "$dtype"
    done
}

@test "the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local dtype
    for dtype in f32 i8; do
        capture transpose --check=all -n 130x70,128 -t $dtype --csv
        expect_status 0
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "a textbook kernel, copied into another program, is plain CUDA that transposes" {
    local name kernels=()
    # transposes KERNEL LAUNCH
    transposes() {
        copy_kernel transpose/textbook.cuh "$1" "const T* input, T* output" "    $1$2(input, output, width, height);"
        kernels+=("$1")
    }
    printf '#include <cstdio>\nconstexpr unsigned width = 70, height = 45;\n' >program.cu
    transposes transpose_naive_read '<<<dim3(3, 6), dim3(32, 8)>>>'
    transposes transpose_naive_write '<<<dim3(2, 9), dim3(32, 8)>>>'
    transposes transpose_tile '<1><<<dim3(3, 2), dim3(32, 8)>>>'
    transposes transpose_swizzled '<<<dim3(3, 2), dim3(32, 8)>>>'
    cat >>program.cu <<'END'
template <typename T>
void check(const char* name, void (*run)(const T*, T*)) {
    unsigned right = 0;
    T *input, *output;
    cudaMallocManaged(&input, width * height * sizeof(T));
    cudaMallocManaged(&output, width * height * sizeof(T));
    for (unsigned i = 0; i < width * height; ++i) input[i] = i % 101;
    run(input, output);
    if (cudaDeviceSynchronize() != cudaSuccess) return;
    for (unsigned i = 0; i < width * height; ++i) right += output[i] == input[i % height * width + i / height];
    printf("%s %u\n", name, right);
}
END
    { echo 'int main() {' && for name in "${kernels[@]}"; do
        printf 'check<%s>("%s", run_%s);\n' signed\ char "$name" "$name" double "$name" "$name"
    done && echo '}'; } >>program.cu
    copies_print "$(for name in "${kernels[@]}"; do printf '%s 3150\n' "$name" "$name"; done)"
}

@test "in-place is for square matrices, and geam for GPUs and the types that cuBLAS has" {
    try transpose -k in-place -n 3x4
    expect_status 77
    expect_output ""
    expect_errors_like "in-place is left out at 3x4: only a square matrix stays in its place"
    expect_errors_like "none of the chosen variants can run here; -v says why"
    try transpose -k in-place -n 3x4,4 --csv
    expect_status 0
    [ "$(column p_rows)" = 4 ]
    if on_simulator; then refuses 77 "geam needs a GPU" transpose -k geam -n 4; fi
    try transpose -k geam -n 4 -t i8
    expect_status 77
}

@test "wrong shapes, options and operands are refused" {
    refuses 2 "size '3x4x5' is neither N nor ROWSxCOLUMNS" transpose -n 3x4x5
    refuses 2 "size 'x' is neither N nor ROWSxCOLUMNS|not a whole number" transpose -n x
    refuses 2 "size '[0-9x]*' is too large" transpose -n 1000000000x1000000000
    refuses 2 "unknown kernel 'pading'" transpose -k pading
    refuses 2 "unexpected operand 'b'" transpose a b
    refuses 2 "--shape and --order are for files" transpose --shape 3x4
    refuses 2 "--shape '3,4' is not ROWSxCOLUMNS" transpose --shape 3,4 -
    refuses 2 "with 'a'.* is a filter|--size is for generated input" transpose -n 3 a
}

# ---- as a filter

@test "lines of text become columns" {
    printf '1 2 3\n4,5,6.5\n' >a
    expect_fine transpose a
    expect_output "1 4
2 5
3 6.5"
    pipeline 'transpose -d $device a | transpose -d $device -'
    expect_output "1 2 3
4 5 6.5"
    pipeline 'seq 6 | transpose -d $device --shape 2x3 -'
    expect_output "1 4
2 5
3 6"
    pipeline 'printf "\n1 2\n\n3 4" | transpose -d $device -'
    expect_output "1 3
2 4"
    npy '<f8' '(0, 5)' </dev/null >none.npy
    expect_fine transpose --json none.npy
    expect_output '{"tool":"transpose","dtype":"f64","n":0,"result":[[],[],[],[],[]]}'
    npy '<f8' '(5, 0)' </dev/null >none.npy
    expect_fine transpose --json none.npy
    expect_output '{"tool":"transpose","dtype":"f64","n":0,"result":[]}'
    expect_fine transpose --json a
    [ "$(jq -c .result <<<"$output")" = '[[1,4],[2,5],[3,6.5]]' ]
}

@test "every device variant works as the filter's method, except copy and in-place" {
    local kernel
    seq 35 | paste -d ' ' - - - - - >a
    for kernel in $(transpose --list --csv --no-header | awk -F , '$2 == "any" { print $1 }'); do
        case $kernel in
            copy | in-place) refuses 2 "$kernel does not make a transpose" transpose -k "$kernel" a ;;
            *)
                expect_fine transpose -k "$kernel" a
                [ "$(sed -n 2p <<<"$output")" = "2 7 12 17 22 27 32" ] || complain "$kernel"
                ;;
        esac
    done
}

@test "a kernel that would not run is refused: if the host moves the elements, or nothing moves" {
    local order
    # npy DESCR BYTES ORDER: a matrix of 2x3 elements.
    npy() { printf "\x93NUMPY\x01\x00\x76\x00%-117s\n%s" "{'descr': '$1', 'fortran_order': $3, 'shape': (2, 3), }" "$2"; }
    npy '|S3' aaabbbcccdddeeefff False >s3.npy
    npy '|S4' aaaabbbbccccddddeeeeffff False >s4.npy
    npy '|S4' aaaabbbbccccddddeeeeffff True >f4.npy
    expect_fine transpose s3.npy -o t.npy
    [ "$(tail -c 18 t.npy)" = aaadddbbbeeecccfff ]
    for order in c fortran; do
        refuses 2 'copy does not make a transpose' transpose -k copy --order $order s3.npy
        refuses 2 'in-place does not make a transpose' transpose -k in-place --order $order s4.npy
    done
    refuses 2 'elements of 3 bytes are moved by the host, without a kernel: leave --kernel out' transpose -k tile s3.npy
    refuses 2 's4.npy are copied as they are, without a kernel: leave --kernel out' transpose -k tile --order fortran s4.npy
    refuses 2 'f4.npy are copied as they are, without a kernel: leave --kernel out' transpose -k tile f4.npy
    expect_fine transpose -k tile s4.npy -o t.npy
    [ "$(tail -c 24 t.npy)" = aaaaddddbbbbeeeeccccffff ]
}

# A .npy file of 3 x 2 elements of TYPE, with SIZE bytes each: an element is its letter, repeated.
letters() {
    perl -e 'print map { $_ x $ARGV[0] } split //, $ARGV[1]' "$1" "$2"
}

@test ".npy of any type is transposed as it is stored, and the element order may change" {
    local type size
    for type in '|i1 1' '|b1 1' '<f2 2' '>i2 2' '<f4 4' '>u4 4' '<f8 8' '<c16 16' '<U3 12' '|S5 5' '<M8[ns] 8'; do
        read -r type size <<<"$type"
        letters "$size" ABCDEF | npy "$type" '(3, 2)' >a.npy
        expect_fine transpose a.npy -o t.npy
        grep -a -q -F "'descr': '$type', 'fortran_order': False, 'shape': (2, 3)" t.npy || complain "header of $type"
        tail -c $((6 * size)) t.npy | cmp - <(letters "$size" ACEBDF) || complain "elements of $type"
        # In the other order, the bytes do not move.
        expect_fine transpose --order fortran a.npy -o f.npy
        grep -a -q -F "'fortran_order': True, 'shape': (2, 3)" f.npy || complain "header of $type"
        tail -c $((6 * size)) f.npy | cmp - <(letters "$size" ABCDEF) || complain "elements of $type"
        expect_fine transpose f.npy -o c.npy
        grep -a -q -F "'fortran_order': False, 'shape': (3, 2)" c.npy || complain "header of $type"
        tail -c $((6 * size)) c.npy | cmp - <(letters "$size" ABCDEF) || complain "elements of $type"
        expect_fine transpose --order fortran f.npy -o c.npy
        tail -c $((6 * size)) c.npy | cmp - <(letters "$size" ACEBDF) || complain "elements of $type"
    done
    numbers 'l<' 1 2 3 | npy '<i4' '(3,)' >vector.npy
    expect_fine transpose vector.npy -o column.npy
    grep -a -q -F "'shape': (3, 1)" column.npy
    refuses 4 "has shape \(1, 1, 1\): a matrix has two dimensions" transpose <(numbers 'l<' 1 | npy '<i4' '(1, 1, 1)')
    refuses 4 "(cannot be read|has no fixed size)" transpose <(numbers 'l<' 1 | npy '|O' '(1, 1)')
}

@test "raw data of more than one panel is transposed in all of them" {
    # A panel is 64 MiB in the simulator.
    perl -e 'for my $row (0 .. 4499) { print pack "l<*", map { $row * 5000 + $_ } 0 .. 4999 }' >a.raw
    expect_fine transpose --input-format raw:i32 --shape 4500x5000 a.raw -o t.raw
    [ "$(od -An -td4 -j 18000 -N 12 t.raw | tr -s ' ')" = " 1 5001 10001" ]
    expect_fine transpose --input-format raw:i32 --shape 5000x4500 t.raw -o b.raw
    cmp a.raw b.raw
    refuses 2 "does not say its shape; give --shape" transpose --input-format raw:i32 a.raw
    refuses 4 "a.raw has more than 100 elements, --shape 10x10 needs 100" transpose --input-format raw:i32 --shape 10x10 a.raw
}

@test "lines of different length, wrong shapes and types are refused, and nothing is written" {
    printf '1 2\n3\n' >ragged
    refuses 4 "its lines have different counts of numbers" transpose ragged
    expect_fine transpose --shape 1x3 ragged
    refuses 4 "has 3 elements, --shape 2x2 needs 4" transpose --shape 2x2 ragged
    refuses 4 "line 1: 'x' is not a number" transpose <(echo x)
    numbers 'l<' 1 2 | npy '<i4' '(1, 2)' >a.npy
    refuses 4 "a.npy has shape 1x2, --shape says 2x1" transpose --shape 2x1 a.npy
    refuses 2 "--dtype is for benchmarks" transpose -t f32 a.npy
    refuses 2 "--order is for .npy and raw data" transpose --order fortran ragged --shape 1x3
}

@test "output that cannot be written is noticed, and a reader that exits early causes no message" {
    [ ! -w /dev/full ] || { capture bash -c "seq 100 | transpose -q -d $device - >/dev/full" && expect_status 5; }
    capture bash -o pipefail -c "seq 100000 | transpose -q -d $device - | head -c 1"
    [ -z "$errors" ] || complain "expected no message"
}

@test "the table goes through a pipeline" {
    need mlr
    pipeline 'transpose -q -d $device -n 64x32 -k "tile,padded" | mlr --icsv --ojson cut -f kernel,p_rows,p_columns | tr -d " \n"'
    expect_status 0
    expect_output '[{"kernel":"tile","p_rows":64,"p_columns":32},{"kernel":"padded","p_rows":64,"p_columns":32}]'
}

@test "transpose: the examples of its page run" { need mlr && run_examples transpose.1; }

@test "--steps shows who reads and writes what: rows on both sides of a tile, or on one side without it" {
    capture transpose --steps -k padded -n 3x2 -f human
    expect_status 0
    expect_no_errors
    expect_output_like $'\nthread 1,0  input\\[0,1\\] -> shared\\[1\\] \\| shared\\[33\\] -> output\\[0,1\\]\n'
    capture transpose --steps -k naive-read,naive-write -n 4 --csv
    expect_clean_table ,
    [ "$(awk -F , '$4 == 1 && $5 == 0 { print $1, $7, $10, $11 }' <<<"$output")" = "naive-read read 0 1
naive-read write 1 0
naive-write read 1 0
naive-write write 0 1" ] || complain "thread 1,0"
}

@test "--steps refuses a matrix that takes several blocks, and what has none" {
    capture transpose --steps -k tile -n 33
    expect_status 2
    expect_refusal transpose 'tile needs 4 for a matrix of 33x33: give it a smaller one'
    capture transpose --steps -k cpu
    expect_status 2
    expect_refusal transpose 'cpu has no steps to show'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What matmul promises: every variant is right at every shape, and a filter multiplies two matrices.

# Tests side by side on a GPU

load helpers

shapes="1x1x1 7x13x5 33x1x17 1x50x64 64x64x0 127x129x65 130x260x9"
forms=("--transpose a" "--transpose b" "--transpose a,b" "--batch 3" "--batch 3 --transpose a,b")

# need_variant NAME [TYPE]: skips the test unless a GPU of compute capability 9.0 runs that variant.
need_variant() {
    if on_simulator; then skip "$1 needs a GPU"; fi
    try matmul -k "$1" -t "${2-f32}" -n 64 -w 0 -r 1 --csv
    if [ "$status" -eq 77 ]; then skip "$1 needs compute capability 9.0"; fi
}

# Every variant that exists for the type is there once per shape, and verified.
expect_right_for() {
    local dtype=$1 expected
    expect_fine matmul -n "${shapes// /,}" -t "$dtype" -w 0 -r 1 --csv
    [ "$(column verify | sort -u)" = pass ]
    expected=$(tr ' ' '\n' <<<"$shapes" | sort)
    [ "$(paste -d x <(column p_m) <(column p_n) <(column p_k) | sort -u)" = "$expected" ] || complain "a shape is missing"
    [ "$(column kernel | grep -c -x cpu)" -eq 7 ]
}

@test "every variant is right for f32 at every shape, including k = 0 and single rows and columns" {
    expect_right_for f32
    [ "$(column kernel | grep -c -x -e naive -e tiled-32 -e register-2d -e async -e fastest)" -eq 35 ]
}

@test "every variant is right for f64" {
    expect_right_for f64
    [ "$(column kernel | grep -c -x -e naive -e tiled-32 -e register-2d -e fastest)" -eq 28 ]
}

@test "every variant is right for the types of tensor cores" {
    local dtype
    for dtype in tf32 bf16 f16; do
        expect_right_for "$dtype"
        column kernel | grep -q -x wmma || complain "$dtype: no wmma"
    done
}

@test "every variant is right for 8-bit floats, with operands in any layout, in batches, and without a finding" {
    local dtype form of=1x1x1,7x13x5,33x1x17,1x50x64,64x64x0,127x129x65,144x260x96
    for dtype in e4m3 e5m2; do
        for form in "" "${forms[@]}"; do
            # shellcheck disable=SC2086  # one word per option
            expect_fine matmul $form -n $of -t $dtype -w 0 -r 1 --csv
            [ "$(column verify | sort -u)" = pass ] || complain "$dtype $form"
            [ "$(column kernel | grep -c -x -e cpu -e cpu-parallel -e naive -e tiled-32 -e vectorized -e fastest)" -eq 42 ] ||
                complain "$dtype $form: a variant is missing"
        done
        capture matmul --check=all -t $dtype -w 0 -r 1 --csv -n 33x17x9,65x70x33,16x16x48
        expect_status 0
        grep -q 'ERROR SUMMARY: 0 errors' <<<"$errors" || complain "$dtype"
    done
    expect_fine matmul -k naive -n 10x20x30 -t e4m3 --csv # A and B have a byte an element, C two
    [ "$(columns bytes flop p_transpose)" = "1300 12000 b" ]
}

@test "8-bit floats are right on tensor cores, with both kinds of sums" {
    need_variant hopper e4m3
    local dtype kernel
    for dtype in e4m3 e5m2; do
        for kernel in hopper hopper-fast-accum; do
            expect_fine matmul -k $kernel -t $dtype --tile all -w 0 -r 1 --csv \
                -n 64,1x16x16,129x272x144,300x4096x1040,1000x1008x4096,3000x2000x128
            [ "$(column verify | sort -u)" = pass ] || complain "$dtype $kernel"
            [ "$(column verify | wc -l)" -ge 12 ] || complain "$dtype $kernel" # six shapes, two tiles or more
        done
        expect_fine matmul -k hopper,hopper-fast-accum -t $dtype -n 2048x2048x8192 -w 0 -r 1 --csv
        [ "$(column p_error_ppm | cut -d . -f 1 | awk 'NR == 1 { promoted = $1 } END { print promoted < $1 && promoted < 4000 }')" = 1 ]
        expect_fine matmul -k hopper -t $dtype -n 128x256x512 --batch 3 --transpose a -w 0 -r 1 --csv
        [ "$(column verify)" = pass ]
    done
    refuses 77 "multiples of 16" matmul -t e4m3 -k hopper -n 64x64x65
}

@test "scales are those given, or fit the numbers into the type's range" {
    local scales
    for scales in "" "--scale-a 0.01" "--scale-a 3 --scale-b 1e-4" "--scale-a 1e15 --scale-b 1e-15"; do
        # shellcheck disable=SC2086  # one word per option
        expect_fine matmul -t e4m3 -n 40x50x60 $scales -k 'cpu,naive,tiled-32,fastest' -w 0 -r 1 --csv
        [ "$(column verify | sort | uniq -c | xargs)" = "4 pass" ] || complain "$scales"
    done
    refuses 2 "are for 8-bit floats" matmul --scale-a 2 -n 16
    refuses 2 "scale-b" matmul -t e4m3 --scale-b -1 -n 16
    refuses 2 "scale-b" matmul -t e4m3 --scale-b 1e20 -n 16
    refuses 2 "has no 8-bit floats" matmul --gang -t e4m3 -n 16
}

@test "raw 8-bit floats are multiplied with their scales, and the result is f32 with bf16's precision" {
    local on
    # 1 2 NaN 0.5, and -3 448: 0x7e is the largest e4m3.
    printf '\x38\x40\x7f\x30' >a
    printf '\xc4\x7e' >b
    numbers 'f<' -9 1344 -18 2688 nan nan -4.5 672 >c
    for on in "" "-d $device -k naive" "-d $device -k fastest"; do
        # shellcheck disable=SC2086  # one word per option
        expect_fine matmul $on --input-format raw:e4m3 --scale-a 6 --scale-b 0.5 --shape 4x2x1 a b -o result
        cmp <(od -An -tf4 -w4 c | tr -d ' -') <(od -An -tf4 -w4 result | tr -d ' -') || complain "$on"
    done
    # In e5m2: a row of 1 2 ... 8, and a B with rows 1 2 and 0 0 in turns, the seventh infinite.
    printf '\x3c\x40\x42\x44\x45\x46\x47\x48' >a
    printf '\x3c\x40\x00\x00\x3c\x40\x00\x00\x3c\x40\x00\x00\x7c\xfc\x00\x00' >b
    head -c 6 a >a6
    head -c 12 b >b6
    for on in "" "-d $device -k tiled-32"; do
        # shellcheck disable=SC2086  # one word per option
        expect_fine matmul $on --input-format raw:e5m2 --shape 1x2x8 a b -o result
        [ "$(od -An -tf4 result | xargs)" = "inf -inf" ] || complain "$on"
        # shellcheck disable=SC2086  # one word per option
        expect_fine matmul $on --input-format raw:e5m2 --shape 1x2x6 a6 b6 -o result
        [ "$(od -An -tf4 result | xargs)" = "9 18" ] || complain "$on"
        # shellcheck disable=SC2086  # one word per option
        expect_fine matmul $on --input-format raw:e5m2 --transpose b --shape 1x2x6 a6 b6 -o result
        [ "$(od -An -tf4 result | xargs)" = "22 11" ] || complain "$on --transpose b"
    done
    expect_fine matmul -t f32 --input-format raw:e5m2 --shape 1x2x6 a6 b6 -o result
    [ "$(od -An -tf4 result | xargs)" = "9 18" ]
    refuses 2 "give --input-format raw:e4m3" matmul -t e4m3 --shape 1x1x1 <(echo 1) <(echo 2)
    refuses 2 "give --input-format raw:e4m3 or raw:e5m2" matmul --scale-a 2 --shape 1x1x1 <(echo 1) <(echo 2)
    head -c 4 a | npy '|V1' '(2, 2)' >a.npy
    refuses 4 "for 8-bit floats write only the bytes, and give --input-format raw:e4m3" matmul a.npy a.npy
}

@test "a row shows the error of its result in millionths" {
    expect_fine matmul -k naive -n 64 -w 0 -r 1 --csv
    awk -v ppm="$(column p_error_ppm)" 'BEGIN { exit !(ppm > 0.01 && ppm < 1) }' || complain "of f32 $(column p_error_ppm)"
    expect_fine matmul -k naive -n 64 -t e4m3 -w 0 -r 1 --csv
    awk -v ppm="$(column p_error_ppm)" 'BEGIN { exit !(ppm > 1000 && ppm < 2500) }' || complain "of e4m3 $(column p_error_ppm)"
    expect_fine matmul -k naive -n 64 -w 0 -r 1 --csv --no-verify
    [ "$(column p_error_ppm)" = "" ]
}

@test "variants that take a block size are right with every size" {
    local block
    for block in 1 32 100 512 1024; do
        expect_fine matmul -k 'naive*' -n 70x45x33 -b $block -w 0 -r 1 --csv
        [ "$(column verify | paste -sd ' ')" = "pass pass" ]
    done
}

@test "tiles of every size are right if several follow each other at short k, and if blocks share one, or B" {
    local dtype
    if on_simulator; then skip "such tiles need a GPU"; fi
    for dtype in bf16 f16; do
        expect_fine matmul -k fastest -t "$dtype" -n 3000x3000x100,2436x2936x190,2300x2300x72,2561x2557x136,1537x1544x136 -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
        expect_fine matmul -k fastest -t "$dtype" -n 16x2048x2048,30x4096x1000,4096x24x1000,64x2048x2050 -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
        expect_fine matmul -k fastest -t "$dtype" -n 64x512x4096,900x1000x1032,2000x3000x136,1300x200x8008 \
            -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
    done
}

@test "every type is right with few rows, few columns or both, if many blocks share a tile" {
    local dtype few_rows=1x5000x3001,16x2048x2048,30x4095x1000,64x2050x2050,100x5000x3000
    local few_columns=5000x1x3001,4096x24x1000 few_tiles=64x64x65536,16x16x300001,300x200x9000
    local large_tiles=256x2176x4096,256x3072x8192 # shared along k, too
    if on_simulator; then skip "such tiles need a GPU"; fi
    for dtype in f32 tf32 bf16 f16; do
        expect_fine matmul -k fastest -t "$dtype" -n $few_rows,$few_columns,$few_tiles,$large_tiles -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
    done
}

thin_columns=1x1x1,33x1x17,101x7x1001,1000x3x37,64x4x2048,6x1x4458,7x3x1001,293x1x2214,3x2x33333 # the last is shared along k
thin_rows=1x500x64,2x1000x300,3x333x777,4x500x130,7x34x20000,8x129x1025,8x130x1000,5x13x20001
thin_steps=101x103x15,50x3001x7,77x9x1,100x100x16,700x33x3,4500x9x16 # the last in several chunks of rows

@test "thin products are right, with few columns, rows or steps along k, and rows of any alignment" {
    local dtype tile kind shape name dtypes="f32 f64"
    on_simulator || dtypes="f32 f64 tf32 bf16 f16"
    for dtype in $dtypes; do
        expect_fine matmul -k thin --tile all -t "$dtype" -n $thin_columns,$thin_rows,$thin_steps -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ] && [ "$(column verify | wc -l)" -ge 59 ] || complain "$dtype"
        if on_simulator; then continue; fi
        expect_fine matmul -k thin --tile steps -t "$dtype" -n 300000x9x16 -w 0 -r 1 --csv # several chunks there, too
        [ "$(column verify)" = pass ]
    done
    for tile in rows:5x13x20001:5x32x10240/2 columns:64x4x2048:16x4x2048 dots:7x7x100:1x1x128 dots:3x9x1:1x1x8 \
        dots:5x1x3968:1x1x4096 one-column:70x1x77:32x1x77 patches:70x130x9:32x128x4; do
        IFS=: read -r kind shape name <<<"$tile"
        SIMCC_THREADS=2 expect_fine matmul -k thin --tile "$kind" -n "$shape" -w 0 -r 1 --csv
        [ "$(column p_tile)" = "$name" ] || ! on_simulator || complain "$tile"
    done
    expect_fine matmul -k thin --tile rows,columns -n 3x2x77 -w 0 -r 1 --csv
    [ "$(column verify | xargs)" = "pass pass" ]
    refuses 2 "no such tile computes 50x90x7 in f32; there are steps, dots, patches" matmul -k thin --tile rows -n 50x90x7
    for dtype in $dtypes; do
        expect_fine matmul -k thin --tile one-column -t "$dtype" -w 0 -r 1 --csv \
            -n 1x1x1,33x1x40,3001x1x512,900x1x4097,20000x1x8,4097x1x63 # several rows of one warp
        [ "$(column verify | sort -u)" = pass ] || complain "$dtype"
        if on_simulator || [ "$dtype" = f32 ]; then continue; fi
        expect_fine matmul -k thin --tile fragments32x32,fragments64x64 -t "$dtype" -w 0 -r 1 --csv \
            -n 1x1x1,33x5x40,70x130x77,301x300x191,17x33x15,100x102x104,200x201x34,9x1000x16,1000x9x130 # even and odd rows
        [ "$(column verify | sort | uniq -c | xargs)" = "18 pass" ] || complain "$dtype"
    done
    refuses 77 "163x163x163 has more than 8 rows and columns, more than 16 steps along k, and too many products" \
        matmul -k thin -n 163
}

@test "streamed columns are right, wherever rows begin, for warps alone and in teams" {
    need_variant hopper
    local dtype small=1x2x1,3x8x5,65x7x31,101x3x129 # a matrix of fewer than 16 bytes, rows of less than a slice
    local long=1000x5x257,6001x4x77,333x6x1001,2x2x999,37x2x3333,5x7x1111,700x3x2601,4001x8x511
    local large_b=129x8x2311 # leaves less room for A
    for dtype in f32 f64 tf32 bf16 f16; do
        expect_fine matmul -k thin --tile streamed-columns -t $dtype -n $small,$long,$large_b -w 0 -r 1 --csv
        [ "$(column verify | sort | uniq -c | xargs)" = "13 pass" ] || complain "$dtype"
    done
    refuses 2 "no such tile computes 50x17x70 in f32" matmul -k thin --tile streamed-columns -n 50x17x70
}

@test "a thin product has the same bits in every run, also if blocks share k" {
    seq 1 40002 | awk '{ printf "%.3f\n", sin($1) }' >a
    seq 1 20001 | awk '{ printf "%.3f\n", cos($1 * $1) }' >b
    local run
    for run in 1 2 3; do
        expect_fine matmul -t f32 --shape 2x1x20001 a b
        echo "$output" >>results
    done
    [ "$(sort results | uniq -c | awk '{ print $1 }' | sort -u)" = 3 ]
}

@test "thin products read and write nothing beyond their matrices, and their blocks do not race" {
    local dtype
    for dtype in f32 f64; do
        capture matmul --check=all -t "$dtype" -k thin --tile all -w 0 -r 1 --csv \
            -n 33x1x17,101x7x101,3x2x33333,3x133x77,8x29x1025,5x13x20001,2x64x5000,6x34x700,21x23x15,77x9x1,4500x9x16
        expect_status 0
        grep -q 'ERROR SUMMARY: 0 errors' <<<"$errors" || complain "$dtype"
    done
}

@test "fastest takes the kernels for thin products when products are thin" {
    local shape
    for shape in 500x1x300 1x500x300 300x7x45 8x45x300 45x300x2; do
        try matmul --explain -k fastest -n $shape -w 0 -r 1 --csv
        # (A Hopper GPU has a kernel that may be faster unless there is a single row or column.)
        if on_simulator || [[ $shape == *500* ]]; then expect_errors_like "$shape f32 on .*: fastest is thin, tile [0-9x/]+"
        else expect_errors_like "$shape f32 on .*: fastest is (thin|direct), tile [0-9x/]+"; fi
    done
}

@test "products of any alignment are right in one launch, with every tile, also if one or several clusters share k" {
    need_variant direct
    local dtype shapes=97x75x301,128x192x256,200x72x1003,33x257x1,56x22x14066,8x8x8000,31x91x3001,70x333x64
    for dtype in f32 f64 tf32 bf16 f16; do
        expect_fine matmul -k direct --tile all -t "$dtype" -n $shapes -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
        [ "$(column p_tile | sort -u | wc -l)" -ge 24 ] || complain "$dtype"
        column p_tile | grep -q /128 || complain "$dtype: no tile is shared by several clusters"
    done
    refuses 2 "no such tile computes 64x64x64 in bf16; there are 128x128x64, " matmul -t bf16 -k direct --tile 1x1x1 -n 64
}

@test "hopper reads rows that begin anywhere in place, with every tile that can, also if blocks share one" {
    need_variant hopper
    local dtype shapes=4x5x4,5x6x8,7x255x130,65x131x35,130x62x97,257x129x5,70x271x75,33x514x1030,3x9x13,64x67x8001
    for dtype in f32 tf32 f64; do
        expect_fine matmul -k hopper --tile all -t "$dtype" -n $shapes,300x1x31,1000x997x203 -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
        [ "$(column p_tile | sort -u | wc -l)" -ge 8 ] || complain "$dtype"
    done
}

# ones WHERE ROWS COLUMNS: a matrix of ones as text, with NaN at place WHERE.
ones() { awk -v where="$1" -v n=$(($2 * $3)) 'BEGIN { for (i = 0; i < n; ++i) print i == where ? "nan" : 1 }'; }

@test "a NaN stays in its row or column, whatever the alignment of rows" {
    local kernel dtype shape file m n k kernels=thin dtypes="f32 f64"
    on_simulator || { kernels="thin direct hopper" dtypes="f64 tf32 f32 f16"; }
    for shape in 7x41x75 6x66x134 7x41x1035; do  # f32's best tile reads only the last one in place
        IFS=x read -r m n k <<<"$shape"
        ones $((3 * k)) "$m" "$k" >first && ones $((4 * k - 1)) "$m" "$k" >last && ones -1 "$m" "$k" >a
        ones $((2 * n)) "$k" "$n" >top && ones $((3 * n - 1)) "$k" "$n" >end && ones -1 "$k" "$n" >b
        for dtype in $dtypes; do
            for kernel in $kernels; do
                for file in first last; do
                    expect_fine matmul -k "$kernel" -t "$dtype" --shape "$shape" "$file" b
                    [ "$(grep -n nan <<<"$output" | cut -d: -f1)" = 4 ] || complain "$kernel $dtype $shape $file"
                    [ "$(tr -s ' \t' '\n' <<<"$output" | grep -c nan)" = "$n" ] || complain "$kernel $dtype $shape $file"
                    [ "$(grep -v nan <<<"$output" | tr -s ' \t' '\n' | sort -u)" = "$k" ]
                done
                for file in top end; do
                    expect_fine matmul -k "$kernel" -t "$dtype" --shape "$shape" a "$file"
                    [ "$(tr -s ' \t' '\n' <<<"$output" | grep -c nan)" = "$m" ] || complain "$kernel $dtype $shape $file"
                    [ "$(tr -s ' \t' '\n' <<<"$output" | grep -v nan | sort -u)" = "$k" ]
                done
            done
        done
    done
}

@test "f32 from three products of tf32 is as accurate as f32, also if k is short or factors are infinite" {
    need_variant tf32x3
    expect_fine matmul -k tf32x3 -n 500x700x1,500x700x2,129x255x31,1x3000x1000,3000x1x1000,1000x1000x1000 -w 0 -r 1 --csv
    [ "$(column verify | sort -u)" = pass ]
    printf '%s\n' '1 1 1 1 1 1 1 1' '-1 -1 -1 -1 -1 -1 -1 -1' >a
    printf '%s\n' 'inf 3.4028234e38 1' '0 0 2' '0 0 3' '0 0 4' '0 0 5' '0 0 6' '0 0 7' '0 0 8' >b
    expect_fine matmul -k tf32x3 -t f32 --shape 2x3x8 a b
    [ "$(paste -sd ' ' <<<"$output")" = "inf 3.4028235e+38 36 -inf -3.4028235e+38 -36" ]
}

@test "a row shows shape, traffic, tile and what the kernel needs" {
    expect_fine matmul -k tiled-16 -n 100x50x20 --csv
    expect_clean_table
    [ "$(column p_m) $(column p_n) $(column p_k) $(column p_tile)" = "100 50 20 16x16x16" ]
    [ "$(column bytes) $(column flop) $(column n)" = "32000 200000 50" ]
    [ "$(column grid) $(column block) $(column p_flop_per_byte)" = "4x7 16x16 6.25" ]
}

@test "products too large for a full check are checked in some rows and by a random vector" {
    local size=700
    on_simulator || size=4096
    expect_fine matmul -k fastest -n ${size}x${size}x${size} -w 0 -r 1 --csv
    [ "$(column verify)" = pass ]
}

@test "shapes that make no sense are refused" {
    refuses 2 "neither N nor MxNxK" matmul -n 3x4
    refuses 2 "names no shape" matmul -n ,
    refuses 2 "more than 2147483136" matmul -n 1x3000000000x1
    refuses 2 "not a whole number" matmul -n 3xfourx5
    refuses 3 "take .* on the device, of which .* are free" matmul -k naive -n 2000000x2000000x1
}

@test "a variant that does not run here for the type is refused when named" {
    refuses 77 "does not run here for f64; choose another" matmul -t f64 -k async
    refuses 77 "does not run here for bf16; choose another" matmul -t bf16 -k naive
    on_simulator || return 0
    refuses 77 "hopper needs a GPU" matmul -k hopper
    refuses 77 "tf32x3 needs a GPU" matmul -k tf32x3
    refuses 77 "cublas needs a GPU" matmul -k cublas
    refuses 77 "cublaslt needs a GPU" matmul -k cublaslt
    refuses 77 "direct needs a GPU" matmul -k direct
}

@test "a textbook kernel, copied into another program, is plain CUDA that multiplies" {
    local name kernels=()
    # multiplies FILE KERNEL LAUNCH
    multiplies() {
        copy_kernel "matmul/textbook/$1.cuh" "$2" "const T* a, const T* b, T* c" "    $2$3(a, b, c, m, n, k);"
        kernels+=("$2")
    }
    printf '#include <cstdio>\nconstexpr unsigned m = 45, n = 70, k = 33;\n' >program.cu
    multiplies naive matmul_uncoalesced '<<<dim3(2, 9), dim3(32, 8)>>>'
    multiplies naive matmul_naive '<<<dim3(3, 6), dim3(32, 8)>>>'
    multiplies tiled matmul_tiled '<16><<<dim3(5, 3), dim3(16, 16)>>>'
    multiplies tiled matmul_tiled_corner '<<<dim3(3, 6), dim3(32, 8)>>>'
    multiplies register_tile matmul_register_1d '<<<dim3(2, 1), 512>>>'
    multiplies register_tile matmul_register_2d '<8><<<dim3(2, 1), 64>>>'
    multiplies vectorized matmul_vectorized '<<<1, 256>>>'
    multiplies vectorized matmul_warp_tile '<<<1, 256>>>'
    cat >>program.cu <<'END'
template <typename T>
void check(const char* name, void (*run)(const T*, const T*, T*)) {
    unsigned right = 0;
    T *a, *b, *c;
    cudaMallocManaged(&a, m * k * sizeof(T));
    cudaMallocManaged(&b, k * n * sizeof(T));
    cudaMallocManaged(&c, m * n * sizeof(T));
    for (unsigned i = 0; i < m * k; ++i) a[i] = i % 11;
    for (unsigned i = 0; i < k * n; ++i) b[i] = i % 13;
    run(a, b, c);
    if (cudaDeviceSynchronize() != cudaSuccess) return;
    for (unsigned i = 0; i < m * n; ++i) {
        T sum = 0;
        for (unsigned j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
        right += c[i] == sum;
    }
    printf("%s %u\n", name, right);
}
END
    { echo 'int main() {' && for name in "${kernels[@]}"; do
        printf 'check<float>("%s", run_%s);\n' "$name" "$name"
        [[ $name == *_vectorized || $name == *_warp_tile ]] || printf 'check<double>("%s", run_%s);\n' "$name" "$name"
    done && echo '}'; } >>program.cu
    copies_print "$(for name in "${kernels[@]}"; do
        printf '%s 3150\n' "$name"
        [[ $name == *_vectorized || $name == *_warp_tile ]] || printf '%s 3150\n' "$name"
    done)"
}

@test "--by-line tells the loads of A and of B in the first kernels apart" {
    on_simulator || skip "a GPU has no counters by line"
    expect_fine matmul -k 'naive*' -n 64 --by-line --csv
    columns kernel gld_requests gld_sectors_per_request gst_sectors_per_request | grep -v -- ' 0 - -$' >lines
    cat >expected <<'END'
naive-uncoalesced 8192 32.0000 -
naive-uncoalesced 8192 1.0000 -
naive-uncoalesced 0 - 32.0000
naive 8192 1.0000 -
naive 8192 4.0000 -
naive 0 - 4.0000
END
    diff expected lines
}

@test "--explain says which kernel fastest is" {
    try matmul --explain -k fastest -n 64 -w 0 -r 1 --csv
    expect_status 0
    expect_errors_like "64x64x64 f32 on .*: fastest is .*, tile [0-9x]+"
}

@test "--tile lists the tiles of a type, and forces one, shared or not" {
    if on_simulator; then
        refuses 77 "--tile 64x64x64 needs a GPU" matmul --tile 64x64x64
        return
    fi
    try matmul --tile list -t bf16
    if [ "$(wc -l <<<"$output")" -lt 3 ]; then skip "such tiles need compute capability 9.0"; fi
    [ "$(grep -c '^hopper,.*,none$' <<<"$output")" -eq 80 ]
    [ "$(grep -c '^hopper,.*,b$' <<<"$output")" -eq 37 ]
    local tile
    for tile in 128x256x64 {112,96}x64x64 96x64x64/4 128x64x64/{2,4} 64x64x64/{2,8} 64x128x64/8 128x128x64/{2,4,8} 64x128x64:cluster-2x1 \
        64x128x64:stream-k@40 128x128x64:stream-k; do
        expect_fine matmul -t bf16 -k hopper --tile $tile -n 512x640x4096 -w 0 -r 1 --csv
        [ "$(column p_tile) $(column verify)" = "${tile%%:*} pass" ] || complain "--tile $tile"
    done
    # Rows of results that TMA cannot store, of even and odd length; and tiles that are mostly beyond the matrices.
    for tile in 128x256x64 88x128x64 192x128x64 {112,96}x64x64 {64,96}x64x64/4 128x64x64/{2,4} 64x128x64/8 128x128x64/{2,4,8}; do
        expect_fine matmul -t bf16 -k hopper --tile $tile -n 300x298x190,129x66x65,70x333x64,193x257x130 -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
    done
    refuses 2 "no such tile computes 64x64x64 in bf16; there are 128x256x64, " matmul -t bf16 -k hopper --tile 1x1x1 -n 64
}

@test "a multiprocessor's tiles of one product, several at once, are right for any rows and columns" {
    need_variant hopper f64
    local shapes=1x1x1,1x132x36,257x260x100,130x4x1000,385x645x2044,300x298x190,1000x1001x67,3x300x4
    shapes+=,2000x1999x33,520x516x0
    local tile
    for tile in {96x96,128x128,64x64,32x32}x32:groups; do
        expect_fine matmul -k hopper --tile $tile -w 0 -r 1 --csv -n $shapes
        [ "$(column p_tile | sort -u) $(column verify | sort -u)" = "${tile%%:*} pass" ] || complain "--tile $tile"
    done
    for tile in 32x{64,32}x16:groups; do
        expect_fine matmul -t f64 -k hopper --tile $tile -w 0 -r 1 --csv -n $shapes
        [ "$(column p_tile | sort -u) $(column verify | sort -u)" = "${tile%%:*} pass" ] || complain "--tile $tile"
    done
}

@test "large tiles, and clusters whose blocks share A, B or both, are right for any rows and columns" {
    need_variant hopper bf16
    local dtype tile tiles
    try matmul --tile list -t bf16
    tiles=$(grep -E '^hopper,([0-9x]+:cluster-[12]x[12]|(208x192|160x256|256x160|256x128)x64),.*,none$' <<<"$output" | cut -d , -f 2)
    [ "$(wc -l <<<"$tiles")" -eq 31 ] || complain "$tiles"
    for dtype in bf16 f16; do
        for tile in $tiles; do
            # Rows at odd multiples of 16 bytes and of 32, copied ones; most of a cluster beyond C; several rounds of
            # tiles, each of more steps than the ring has stages.
            expect_fine matmul -t $dtype -k hopper --tile "$tile" -w 0 -r 1 --csv \
                -n 1x8x1,1x136x72,257x264x104,130x512x1000,300x296x190,1000x504x67,2500x2600x584
            [ "$(column verify | sort -u)" = pass ] || complain "$dtype --tile $tile"
        done
    done
    try matmul --tile list -t bf16
    tiles=$(grep '^hopper,.*,b$' <<<"$output" | cut -d , -f 2)
    [ "$(wc -l <<<"$tiles")" -eq 37 ] || complain "$tiles"
    for dtype in bf16 f16; do
        for tile in $tiles; do
            expect_fine matmul -t $dtype -k hopper --tile "$tile" --transpose b -w 0 -r 1 --csv \
                -n 1x8x1,1x136x72,257x264x104,130x512x1000,300x296x190,1000x504x67,2500x2600x584
            [ "$(column verify | sort -u)" = pass ] || complain "$dtype --tile $tile --transpose b"
        done
    done
    tiles=$(grep -v -e / -e :stream-k <<<"$tiles")  # (Parts along k are of one product.)
    [ "$(wc -l <<<"$tiles")" -eq 27 ] || complain "$tiles"
    for tile in $tiles; do
        expect_fine matmul -t bf16 -k hopper --tile "$tile" --transpose b --batch 60 -w 0 -r 1 --csv -n 257x264x328
        [ "$(column verify | sort -u)" = pass ] || complain "--tile $tile --transpose b --batch 60"
    done
}

@test "blocks that share rows of A are right for any rows and columns, whole tiles and parts" {
    need_variant hopper tf32
    local tile
    for tile in 256x128x32:stream-k:cluster-1x2{,@14} 192x128x32:cluster-1x2 128x128x32:stream-k:cluster-1x2{,@14}; do
        # Of an odd number of columns of tiles, the last has no other beside it.
        expect_fine matmul -t tf32 -k hopper --tile $tile -w 0 -r 1 --csv \
            -n 1x1x1,1x132x36,257x260x100,130x4x1000,385x644x2044,300x298x190,1000x1001x67,3x300x4,520x516x0
        [ "$(column p_tile | sort -u) $(column verify | sort -u)" = "${tile%%:*} pass" ] || complain "--tile $tile"
    done
}

# shared TYPE KEY@SHARES SHAPE [OPTION]...: with this tile, cut into so many shares, a product is right, twice in one
# process. (If the shares are at least four times as many as the tiles, or pairs of tiles, blocks exchange sums. Tiles
# that are not shared have fewer blocks, but for whole waves.)
shared() {
    expect_fine matmul -t "$1" -k hopper --tile "$2" -n "$3,$3" -w 0 -r 2 --csv "${@:4}"
    [ "$(column p_tile | sort -u) $(column verify | sort -u)" = "${2%%:*} pass" ] || complain "$*"
    [ "$(column grid | sort -n | head -n 1)" -ge "${2##*@}" ] || complain "$*: the tiles are not shared"
}

@test "blocks that have many parts of a tile exchange their sums, whatever the type, the rows and the columns" {
    need_variant hopper bf16
    local dtype
    for dtype in bf16 f16; do
        shared $dtype 16x64x64:stream-k@108 130x176x840
        shared $dtype 64x128x64:stream-k@30 130x176x1000
        shared $dtype 64x128x64:stream-k@45 131x333x1001
        shared $dtype 16x64x64:stream-k@108 130x176x840 --transpose b
        shared $dtype 64x128x64:stream-k@45 131x333x1001 --transpose b
        shared $dtype 128x128x64:stream-k@100 130x176x3000 --transpose b
        shared $dtype 64x128x64:stream-k@130 1x1x10000
        shared $dtype 128x128x64:stream-k@100 130x176x3000
        shared $dtype 192x128x64:stream-k@80 200x176x3000
        shared $dtype 64x128x64:stream-k:cluster-2x1@20 130x176x1000
        shared $dtype 128x128x64:stream-k:cluster-2x1@40 130x111x3001
        shared $dtype 192x128x64:stream-k:cluster-2x1@60 385x111x3001
    done
    shared tf32 16x64x32:stream-k@108 130x180x500
    shared tf32 16x64x32:stream-k@108 130x181x501
    shared tf32 64x64x32:stream-k@45 130x180x500
    shared tf32 64x64x32:stream-k@45 130x181x501
    shared tf32 64x64x32:stream-k@45 130x180x500 --transpose b
    shared tf32 128x128x32:stream-k@132 130x180x3000
    shared tf32 128x128x32:stream-k@20 130x181x501
    shared tf32 128x128x32:stream-k:cluster-1x2@20 130x180x500
    shared tf32 128x128x32:stream-k:cluster-1x2@24 257x261x1001
    shared f64 32x32x16:stream-k@120 130x180x250
    shared f64 64x64x16:stream-k@45 131x181x251
    shared f64 64x64x16:stream-k@45 131x181x251 --transpose a
    shared f64 64x64x16:stream-k@45 131x181x251 --transpose a,b
    shared f64 96x128x16:stream-k@20 131x181x1501
    shared f64 128x128x16:stream-k@132 130x180x1500
    shared f32 64x64x32:stream-k@45 130x180x500
    shared f32 64x64x32:stream-k@45 131x181x501
    shared f32 64x128x32:stream-k@30 131x181x501
    shared f32 16x256x32:stream-k@36 130x181x501
    shared f32 128x16x32:stream-k@96 130x181x501
}

@test "blocks that have two or three equal parts of a tile add their sums, after whole tiles, too" {
    need_variant hopper bf16
    local dtype
    for dtype in bf16 f16; do
        shared $dtype 64x128x64:stream-k@80 512x640x4096
        shared $dtype 64x128x64:stream-k@120 500x632x4000
        shared $dtype 128x256x64:stream-k@24 512x640x4096
        shared $dtype 64x128x64:stream-k@88 704x2048x1024
    done
    shared tf32 128x128x32:stream-k@40 512x640x2048
    shared tf32 64x64x32:stream-k@120 512x320x2048
    shared tf32 256x128x32:stream-k@20 512x640x4096
}

@test "the costs of plans can be fitted again: the fit finds the costs that made the times" {
    need python3
    python3 -c 'import numpy, scipy' 2>/dev/null || skip "NumPy or SciPy is not installed"
    echo form,dtype,shape,plan,row,ns,once,stages,read >work.csv
    echo form,dtype,shape,plan,ns >times.csv
    local i
    for i in 1 2 3 5 8; do # 3000 ns, and 200 for a stage, 7 for what is read
        echo ",f32,${i}x1x1,thin:dots,f32 thin:dots,0,1,$i,$((i * i))" >>work.csv
        echo ",f32,${i}x1x1,thin:dots,$((3000 + 200 * i + 7 * i * i))" >>times.csv
    done
    capture python3 "$root/tests/measure/matmul_plans.py" fit .
    expect_status 0
    [[ $output = *'{"f32 thin:dots", {3000, 200, 7}},'* ]] || complain "$output"
    [ ! -e "$root/tests/measure/__pycache__" ]
}

@test "plans are estimated, timed in turns, and remembered" {
    unit_program units/matmul_plans
    holds ./matmul_plans
}

@test "every plan that fastest may use has an estimate" {
    local dtype form dtypes="f32 f64"
    on_simulator || dtypes="f32 tf32 f64 bf16 f16 e4m3"
    for dtype in $dtypes; do
        for form in "" "--batch 30" "--transpose a" "--transpose a,b --batch 30"; do
            try matmul -q -t "$dtype" -k fastest --tile work $form -n 512,300x3x500,3x500x500,500x500x7,16
            expect_status 0
            [ "$(wc -l <<<"$output")" -gt 10 ] || complain "$dtype $form: few plans"
            [ -z "$(mlr --icsv --ocsv filter '$ns <= 0 || is_empty($ns)' <<<"$output")" ] || complain "$dtype $form"
        done
    done
}

# A program that times two plans, of which one is 1.25 times as fast as the one that `fastest` chooses by itself.
write_timed_program() {
    cat >timed <<'END'
#!/usr/bin/env bash
echo p_m,p_n,p_k,p_method,median_ns
for shape in $(sed 's/.*-n //' <<<"$*" | cut -d ' ' -f 1 | tr , ' '); do
    IFS=x read -r m n k <<<"$shape"
    case "$*" in
        *--no-tune*) echo "$m,$n,$k,thin:rows,2000" ;;
        *"-k fastest"*) echo "$m,$n,$k,wmma:64x64x32,1250" ;;
        *"-k wmma"*) echo "$m,$n,$k,wmma:64x64x32,1250" ;;
        *"-k hopper "*) echo "$m,$n,$k,hopper:64x64x64,1000" ;;
        *) echo "$m,$n,$k,hopper:64x64x64,1000" && echo "$m,$n,$k,thin:rows,2000" ;;
    esac
done
END
    chmod +x timed
}

@test "the regret of the choice is that of the plan that was chosen, whatever its kernel" {
    need python3
    write_timed_program
    capture python3 "$root/tests/measure/matmul_plans.py" regret --program ./timed --types bf16 --shapes 12
    expect_status 0
    grep -q "^bf16 *tuned *12 *1.250 *1.250" <<<"$output" || complain "$output"
    grep -q "^bf16 *estimate *12 *2.000 *2.000" <<<"$output" || complain "$output"
}

@test "a GPU times the best estimates for fastest, and remembers the winner; --no-tune takes the best estimate" {
    if on_simulator; then
        expect_fine matmul -k fastest,naive -n 30 -w 0 -r 1 --csv --wisdom wisdom.csv
        [ "$(columns p_tried p_method | paste -sd ' ')" = "0 naive:1x1 0 thin:dots" ] || complain "$(columns p_tried p_method)"
        [ ! -e wisdom.csv ]
        return
    fi
    expect_fine matmul -k fastest -n 512,100x200x300 -w 0 -r 1 --csv --wisdom wisdom.csv
    [ "$(column p_tried | sort -n | head -1)" -ge 8 ]
    [ "$(cut -d, -f 1,6,8- wisdom.csv | head -1)" = wisdom,shape,ns ]
    [ "$(column p_method)" = "$(cut -d, -f 7 wisdom.csv | tail -n +2)" ]
    # Files are multiplied with the plan that the table names.
    sed -i '/512x512x512/s/,[^,]*,\([0-9]*\)$/,async:64x64x8,\1/' wisdom.csv
    python3 - <<<'import random
for name in "a", "b": open(name, "w").write("\n".join(str(random.random()) for _ in range(512 * 512)) + "\n")'
    capture matmul -d gpu -k fastest -t f32 --shape 512x512x512 --wisdom wisdom.csv -v a b
    expect_status 0
    [[ $errors = *"512x512x512 by async:64x64x8"* ]] || complain "$errors"
    capture matmul -d gpu -k fastest -t f32 --shape 512x512x512 --wisdom wisdom.csv --no-tune -v a b
    [[ $errors = *"512x512x512 by hopper:"* ]] || complain "$errors"
    expect_fine matmul -k fastest -n 512 --no-tune -w 0 -r 1 --csv --wisdom wisdom.csv
    [ "$(column p_tried)" = 0 ]
    echo "not a table" >broken.csv
    capture matmul -k fastest -n 64 -w 0 -r 1 --csv --wisdom broken.csv
    expect_status 0
    [[ $errors = *"broken.csv is not a wisdom file of this version"* ]] || complain "$errors"
    [ "$(cat broken.csv)" = "not a table" ]
}

@test "random shapes are the same for one seed, half of them are multiples of 64, and one process runs many" {
    need python3
    shapes_of() { grep -o '[0-9]*x[0-9]*x[0-9]*' <<<"$output"; }
    capture python3 "$root/tests/measure/matmul_shapes.py" --dry-run --shapes 90 --types bf16
    expect_status 0
    [ "$(wc -l <<<"$output")" -eq 1 ]
    local first=$output
    shapes_of | awk -F x '
        $1 < 1 || $2 < 1 || $3 < 1 || $1 > 16384 || $2 > 16384 || $3 > 16384 || $1 * $2 * $3 > 2 ^ 40 { exit 1 }
        $1 % 64 == 0 && $2 % 64 == 0 && $3 % 64 == 0 { even++ }
        $1 < 64 || $2 < 64 || $3 < 64 { thin++ }
        END { exit !(NR == 90 && even >= 45 && even <= 47 && thin >= 20) }' || complain "these are not such shapes"
    capture python3 "$root/tests/measure/matmul_shapes.py" --dry-run --shapes 90 --types bf16
    [ "$output" = "$first" ]
    capture python3 "$root/tests/measure/matmul_shapes.py" --dry-run --shapes 90 --types bf16 --seed 2
    [ "$output" != "$first" ]
    capture python3 "$root/tests/measure/matmul_shapes.py" --dry-run --layers --types bf16 --transpose b
    expect_status 0
    [[ $output = *" -t bf16 --transpose b -k fastest "* ]]
    shapes_of | awk -F x '$1 > 128 || $2 * $3 < 2 ^ 19 { exit 1 } END { exit !(NR == 56) }' ||
        complain "these are not such layers"
}

@test "every variant is right for transposed operands, batches, and both" {
    local form dtype count
    for dtype in f32 f64; do
        for form in "${forms[@]}"; do
            # shellcheck disable=SC2086  # one word per option
            expect_fine matmul $form -n 1x1x1,7x13x5,33x1x17,1x50x64,127x129x65 -t "$dtype" -w 0 -r 1 --csv
            [ "$(column verify | sort -u)" = pass ] || complain "$form"
            for count in cpu cpu-parallel naive-uncoalesced naive tiled-8 tiled-16 tiled-32 tiled-corner register-1d \
                register-2d fastest; do
                [ "$(column kernel | grep -c -x -e "$count")" -eq 5 ] || complain "$dtype $form: $count"
            done
        done
    done
}

@test "every variant is right for tensor cores' types with transposed operands and in batches" {
    local form dtype of=1x1x1,7x13x5,33x1x17,1x50x64,127x129x65
    on_simulator || of+=,300x257x520  # for fastest, which is a GPU's here
    for dtype in tf32 bf16 f16; do
        for form in "${forms[@]}"; do
            # shellcheck disable=SC2086  # one word per option
            expect_fine matmul $form -n $of -t "$dtype" -w 0 -r 1 --csv
            [ "$(column verify | sort -u)" = pass ] || complain "$dtype $form"
            on_simulator || [ "$(column kernel | grep -c -x fastest)" -eq 6 ] || complain "$dtype $form"
        done
    done
}

@test "a row shows which operands are transposed and how many products there are, and counts all of them" {
    expect_fine matmul -k tiled-16 -n 100x50x20 --batch 7 --transpose b,a --csv
    expect_clean_table
    [ "$(columns p_m p_n p_k p_transpose p_batch bytes flop grid)" = "100 50 20 ab 7 224000 1400000 4x7" ]
    expect_fine matmul -k tiled-16 -n 100x50x20 --transpose a --csv
    [ "$(columns p_transpose p_batch bytes)" = "a 1 32000" ]
    expect_fine matmul -k tiled-16 -n 100x50x20 --csv
    [ "$(columns p_transpose p_batch)" = "none 1" ]
}

@test "textbook kernels get transposed operands as copies, and a launch for each product of a batch, however many" {
    expect_fine matmul -k 'naive*,tiled*,register-1d' -n 40x50x60 --transpose a --batch 3 -w 0 -r 1 --csv
    [ "$(column p_method | sed 's/.*:copying-/copying /' | sort -u)" = "copying A" ] || complain "$(column p_method)"
    [ "$(column grid | grep -c x.*x)" = 0 ] || complain "$(column grid)" # z would count products
    expect_fine matmul -k 'register-2d,vectorized,warp-tile,async' -n 40x50x60 --batch 3 -w 0 -r 1 --csv
    [ "$(column grid | grep -c '^1x1x3$')" = 4 ] || complain "$(column grid)"
    expect_fine matmul -k 'naive*,tiled-16' -n 5x3x7 --batch 120 --transpose b -w 0 -r 1 --csv
    [ "$(columns verify p_batch | sort | uniq -c | xargs)" = "3 pass 120" ]
}

@test "matrices with more rows or columns of tiles than a grid's y can count are right" {
    expect_fine matmul -k 'naive*' -b 32 -n 70000x2x3,2x70000x3 --batch 2 -w 0 -r 1 --csv
    [ "$(column verify | sort | uniq -c | xargs)" = "4 pass" ]
    expect_fine matmul -k 'naive*,tiled-8' -n 530000x1x2 -w 0 -r 1 --csv
    [ "$(column verify | sort | uniq -c | xargs)" = "3 pass" ]
}

@test "batches of no product, one product, and more than a grid's z can count are right" {
    expect_fine matmul -k 'naive,tiled-32,fastest,cpu*' -n 20x3x5 --batch 0 -w 0 -r 1 --csv
    [ "$(columns verify p_batch flop | sort | uniq -c | xargs)" = "5 pass 0 0" ]
    expect_fine matmul -k 'naive,tiled-32,fastest,cpu*' -n 20x3x5 --batch 1 -w 0 -r 1 --csv
    [ "$(columns verify p_batch | sort | uniq -c | xargs)" = "5 pass 1" ]
    expect_fine matmul -k tiled-8,register-2d,batched,fastest -n 2x3x1 --batch 65600 -w 0 -r 1 --csv
    [ "$(columns verify p_batch | sort | uniq -c | xargs)" = "4 pass 65600" ]
    expect_fine matmul -k tiled-8,batched,fastest -n 0x5x5,5x0x5,5x5x0 --batch 3 --transpose a,b -w 0 -r 1 --csv
    [ "$(column verify | sort | uniq -c | xargs)" = "9 pass" ]
}

@test "small products of a batch are multiplied in the smallest tile that holds them" {
    local dtype form
    for dtype in f32 f64; do
        for form in "" "--transpose a" "--transpose b" "--transpose a,b"; do
            # shellcheck disable=SC2086  # one word per option
            expect_fine matmul -k batched $form -t "$dtype" --batch 5 -w 0 -r 1 --csv \
                -n 1x1x1,16x16x16,15x3x70,17x2x9,32x32x33,5x31x1,33x64x17,64x64x64,1x63x100,65x10x20
            [ "$(column verify | sort | uniq -c | xargs)" = "10 pass" ] || complain "$dtype $form"
            [ "$(column p_tile | cut -d x -f 1,2 | head -9 | paste -sd ' ')" = \
                "16x16 16x16 16x16 32x32 32x32 32x32 64x64 64x64 64x64" ] || complain "$dtype $form"
        done
    done
    refuses 77 "batched: it is for --batch 2 or more" matmul -k batched -n 16
    refuses 77 "batched: it is for --batch 2 or more" matmul -k batched -n 16 --batch 1
    try matmul --explain -k fastest -n 32 --batch 4 -w 0 -r 1 --csv
    # (A Hopper GPU also has kernels that take all of them.)
    if on_simulator; then expect_errors_like "4 products of 32x32x32 f32 on .*: fastest is batched, tile 32x32x16"
    else expect_errors_like "4 products of 32x32x32 f32 on .*: fastest is (batched|hopper|direct), tile [0-9x/]+"; fi
}

@test "hopper and direct take the products of a batch in one launch, with several tiles, and are right" {
    need_variant hopper
    local dtype
    for dtype in f32 f64 tf32 bf16 f16; do
        expect_fine matmul -k hopper --tile all -t "$dtype" --batch 7 -w 0 -r 1 --csv \
            -n 64,128x192x80,96x200x72,304x48x16,1x64x64,320x272x256
        [ "$(column verify | sort -u)" = pass ] || complain "$dtype"
        [ "$(column p_tile | sort -u | wc -l)" -ge 4 ] || complain "$dtype"
        expect_fine matmul -k direct --tile all -t "$dtype" --batch 7 -n 64,33x17x65,1x64x64,100x75x301 -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ] || complain "$dtype"
        expect_fine matmul -k hopper,direct,fastest -t "$dtype" --batch 1000 -n 32,64x96x32 -w 0 -r 1 --csv
        [ "$(column verify | sort | uniq -c | xargs)" = "6 pass" ] || complain "$dtype"
        refuses 77 "a launch for each of 101 products, and 100 at most" matmul -k hopper -n 33 --batch 101 -t "$dtype"
    done
    # Blocks that have several tiles of several products.
    for dtype in bf16 f16; do
        expect_fine matmul -k hopper --tile 64x64x64:groups,128x128x64 -t $dtype --batch 700 -w 0 -r 1 --csv \
            -n 64x96x80,136x200x328
        [ "$(column verify | sort | uniq -c | xargs)" = "4 pass" ] || complain "$dtype"
    done
}

@test "hopper reads transposed operands as they are stored, with every tile, alone and in batches" {
    need_variant hopper
    local dtype form
    for dtype in f32 f64 tf32 bf16 f16; do
        for form in a b a,b; do
            # Also rows that TMA cannot read in place, and few rows, which share B along k.
            expect_fine matmul -k hopper --tile all -t "$dtype" --transpose $form -w 0 -r 1 --csv \
                -n 512x640x4096,300x298x190,129x66x65,1x64x64,640x320x1032,17x1000x512
            [ "$(column verify | sort -u)" = pass ] || complain "$dtype $form"
            expect_fine matmul -k hopper --tile all -t "$dtype" --transpose $form --batch 7 -w 0 -r 1 --csv \
                -n 64,128x192x80,96x200x72,320x272x256,304x48x16
            [ "$(column verify | sort -u)" = pass ] || complain "$dtype $form in a batch"
            [ "$(column p_tile | sort -u | wc -l)" -ge 3 ] || complain "$dtype $form in a batch"
        done
    done
    for dtype in f64 tf32 bf16 f16; do
        for form in a b a,b; do
            try matmul --explain -k fastest -t "$dtype" --transpose $form -n 512 -w 0 -r 1 --csv
            expect_status 0
            [[ $errors == *"fastest is hopper"* ]] || complain "$dtype $form: $errors"
            [[ $errors != *"kernel transposes"* ]] || complain "$dtype $form: $errors"
        done
    done
}

@test "f64 is right on tensor cores, with every tile, rows of any alignment, and tiles shared by blocks" {
    need_variant hopper f64
    expect_fine matmul -k hopper -t f64 --tile all -w 0 -r 1 --csv \
        -n 1x1x1,301x203x77,129x257x33,1000,17x2000x500,500x1x31,1536x1200x700,64x64x8000
    [ "$(column verify | sort -u)" = pass ]
    # At this size stages arrive late: when one was released too early, some tiles were wrong in every run.
    expect_fine matmul -k hopper -t f64 --tile all -w 0 -r 1 --csv -n 2048
    [ "$(column verify | sort -u)" = pass ]
    [ "$(column p_tile | sort -u | wc -l)" -ge 8 ]
}

@test "where a kernel cannot read a transposed operand, the smallest matrices are transposed" {
    copies() {
        try matmul --explain "$@" -k fastest -w 0 -r 1 --csv
        expect_status 0
        sed -n 's/.*another kernel transposes //p' <<<"$errors"
    }
    if on_simulator; then
        [ "$(copies -n 256x256x1024 --transpose a)" = A ] || complain "$errors"
        [ "$(copies -n 256x256x1024 --transpose a,b)" = C ] || complain "$errors"
        return
    fi
    need_variant hopper
    # C' = B' A' needs only C's transpose, or A's and C's where B is large.
    [ "$(copies -t f32 -n 1024 --transpose a,b)" = C ] || complain "$errors"
    [ "$(copies -t f32 -n 16x4096x4096 --transpose b)" = A+C ] || complain "$errors"
}

@test "variants that multiply one product after the other are left out if there are many" {
    expect_fine matmul -k thin -n 3x333x77 --batch 100 -w 0 -r 1 --csv
    [ "$(column verify)" = pass ]
    refuses 77 "a launch for each of 101 products, and 100 at most" matmul -k thin -n 3x333x77 --batch 101
}

@test "vectors are used as they are stored, transposed or not" {
    local form
    for form in a b a,b; do
        expect_fine matmul -k thin --transpose $form -n 1x500x301,500x1x301,7x1x1,1x1x9,5x300x77,300x5x77,50x70x3 -w 0 -r 1 --csv
        [ "$(column verify | sort | uniq -c | xargs)" = "7 pass" ]
    done
    expect_fine matmul -k thin --batch 3 --transpose a -n 500x1x301 -w 0 -r 1 --csv # C' = B' A': one row, not one column
    [[ $(columns verify p_tile) == "pass 1x"* ]] || complain "$(column p_tile)"
}

@test "batches and transposed operands have no finding, in any variant" {
    local form
    for form in "${forms[@]}"; do
        # shellcheck disable=SC2086  # one word per option
        capture matmul --check=all $form -w 0 -r 1 --csv -n 33x17x9,65x70x33
        expect_status 0
        grep -q 'ERROR SUMMARY: 0 errors' <<<"$errors" || complain "$form"
    done
    capture matmul --check=all -k batched,fastest --batch 7 -t f64 -w 0 -r 1 --csv -n 9x16x70,30x20x33,64x1x9
    expect_status 0
}

@test "--transpose and --batch refuse what they cannot mean" {
    refuses 2 "'c' is neither a nor b" matmul --transpose c
    refuses 2 "'' is neither a nor b" matmul --transpose a,
    refuses 2 "batch" matmul --batch -1
    refuses 2 "batch" matmul --batch many
    refuses 2 "batch" matmul --batch 3000000000
    refuses 3 "100000 products of 40000x40000x40000: .* take .* on the device" \
        matmul -k naive -n 40000 --batch 100000
}

# make_operands LETTER TYPE: A (2, 3, 4), B (2, 4, 5), their first matrices a and b, and the products C and c. A t after
# the name stands for transposed matrices, an f for Fortran order; Cz is C with
# one b for both.
make_operands() {
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys
letter, descr = sys.argv[1:3]
N, m, n, k = 2, 3, 5, 4
A = [[[(7 * p + 5 * i + 3 * x) % 11 - 5 for x in range(k)] for i in range(m)] for p in range(N)]
B = [[[(3 * p + 2 * x + 9 * j) % 13 - 6 for j in range(n)] for x in range(k)] for p in range(N)]
product = lambda a, b: [[sum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]
turned = lambda matrix: [list(column) for column in zip(*matrix)]
flat = lambda matrix: [x for row in matrix for x in row]
def write(name, shape, numbers, fortran=False):
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    head = head.ljust(128 - 10 - 1).encode() + b"\n"
    body = struct.pack("<%d%s" % (len(numbers), letter), *numbers)
    open(name, "wb").write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head + body)
for name, matrices in ("a", A), ("b", B):
    one, rows, columns = matrices[0], len(matrices[0]), len(matrices[0][0])
    write(name + ".npy", (rows, columns), flat(one))
    write(name + "f.npy", (rows, columns), flat(turned(one)), True)
    write(name + "t.npy", (columns, rows), flat(turned(one)))
    write(name + "tf.npy", (columns, rows), flat(one), True)
    write(name.upper() + ".npy", (N, rows, columns), sum(map(flat, matrices), []))
    write(name.upper() + "t.npy", (N, columns, rows), sum((flat(turned(x)) for x in matrices), []))
    write(name.upper() + "f.npy", (N, rows, columns),
          [matrices[p][i][j] for j in range(columns) for i in range(rows) for p in range(N)], True)
write("c.npy", (m, n), flat(product(A[0], B[0])))
write("C.npy", (N, m, n), sum((flat(product(a, b)) for a, b in zip(A, B)), []))
write("Cz.npy", (N, m, n), sum((flat(product(a, B[0])) for a in A), []))
PYTHON
}

# gives FILE OPTION...: expects that matmul writes the contents of FILE.
gives() {
    local expected=$1
    shift
    expect_fine matmul "$@" -o result.npy || return
    cmp <(tail -c +129 "$expected") <(tail -c +129 result.npy) || complain "matmul $*" || return
    [ "$(head -c 128 result.npy | grep -a -o "False, 'shape': ([0-9, ]*)")" = \
        "$(head -c 128 "$expected" | grep -a -o "False, 'shape': ([0-9, ]*)")" ] || complain "matmul $*: another shape"
}

@test "matrices in Fortran order, transposed ones and batches are multiplied as in numpy" {
    need python3
    local letter on operands
    for letter in f d e; do
        make_operands $letter "<f$(python3 -c "import struct; print(struct.calcsize('$letter'))")"
        for on in "" "-k fastest"; do # with all cores, and by a kernel
            # shellcheck disable=SC2086  # one word per option
            for operands in "a.npy b.npy" "af.npy b.npy" "a.npy bf.npy" "af.npy bf.npy" "--transpose a at.npy b.npy" \
                "--transpose b a.npy bt.npy" "--transpose a,b at.npy bt.npy" "--transpose a,b atf.npy btf.npy" \
                "--transpose b af.npy btf.npy"; do
                gives c.npy $on $operands || return
            done
            # shellcheck disable=SC2086  # one word per option
            for operands in "A.npy B.npy" "Af.npy B.npy" "A.npy Bf.npy" "--transpose a At.npy B.npy" \
                "--transpose b A.npy Bt.npy" "--transpose a,b At.npy Bt.npy" "--batch 2 A.npy B.npy"; do
                gives C.npy $on $operands || return
            done
            # shellcheck disable=SC2086  # one word per option
            for operands in "A.npy b.npy" "A.npy bf.npy" "--transpose a At.npy b.npy" "--transpose a,b At.npy bt.npy"; do
                gives Cz.npy $on $operands || return
            done
        done
    done
}

@test "a transposed A that does not fit at once is multiplied in parts of its columns" {
    # (64 MiB hold 256 of its 300 columns of 40000 elements.) Its last row is 1 2 3 ... 300, the others are zero.
    { head -c $((300 * 39999 * 4)) /dev/zero && numbers 'f<' $(seq 300); } >a
    { head -c $((39999 * 4)) /dev/zero && numbers 'f<' 10; } >b
    numbers 'f<' $(seq 10 10 3000) >c
    expect_fine matmul --input-format raw:f32 --transpose a --shape 300x1x40000 a b -o result
    cmp c result
    pipeline 'cat a | matmul -q -d $device -k fastest --input-format raw:f32 --transpose a --shape 300x1x40000 - b | cmp - c'
    expect_status 0
}

@test "text and raw data are batches with --batch and --shape" {
    printf '1 2\n3 4\n\n5 6\n7 8\n' >a
    printf '1 0\n0 1\n\n0 1\n1 0\n' >b
    expect_fine matmul --batch 2 --shape 2x2x2 a b
    [ "$(paste -sd ' ' <<<"$output")" = "1 2 3 4 6 5 8 7" ]
    expect_fine matmul --batch 2 --transpose a --shape 2x2x2 a b
    [ "$(paste -sd ' ' <<<"$output")" = "1 3 2 4 7 5 8 6" ]
    refuses 4 "a has 8 elements, 6 x 2 are 12" matmul --batch 3 --shape 2x2x2 a b
}

@test "mismatched batches are refused, and the message says what was expected" {
    need python3
    make_operands f '<f4'
    numbers 'f<' 1 2 3 4 | npy '<f4' '(1, 2, 2)' >one.npy
    numbers 'f<' 1 2 3 4 | npy '<f4' '(1, 1, 2, 2)' >four.npy
    refuses 4 "a matrix has two dimensions, a batch of them three" matmul four.npy b.npy
    refuses 4 "A.npy is 2 times 3 x 4 and A.npy is 2 times 3 x 4: A's columns must be as many as B's rows" matmul A.npy A.npy
    refuses 4 "a.npy is one matrix, 3 x 4: expected a batch of 2" matmul a.npy B.npy
    refuses 4 "a.npy is one matrix, 3 x 4: expected a batch of 2" matmul --batch 2 a.npy b.npy
    refuses 4 "is a batch of 2, --batch says 3" matmul --batch 3 A.npy B.npy
    refuses 4 "1 times 2 x 2 .*: expected as many matrices in both, or one B for all" matmul one.npy <(
        numbers 'f<' 1 2 3 4 5 6 7 8 | npy '<f4' '(2, 2, 2)')
    refuses 4 "at.npy has shape \(4, 3\), --shape says \(5, 3\)" matmul --transpose a --shape 3x5x5 at.npy b.npy
    refuses 4 "A's columns must be as many" matmul --transpose a a.npy b.npy
    npy '<f4' '(0, 3, 4)' </dev/null >none.npy
    npy '<f4' '(0, 4, 5)' </dev/null >too.npy
    expect_fine matmul none.npy too.npy -o c.npy
    grep -a -q "'shape': (0, 3, 5)" c.npy
}

@test "text is multiplied with --shape" {
    printf '1 2 3\n4 5 6\n' >a
    printf '1 0\n0 1\n1 1\n' >b
    expect_fine matmul --shape 2x2x3 a b
    expect_output "4 5
10 11"
    pipeline 'cat a | matmul -d $device --shape 2x2x3 - b | paste -sd " "'
    expect_output "4 5 10 11"
}

@test "text has one type, whether its numbers have fractions or not" {
    expect_fine matmul --shape 1x1x2 <(echo 1 2) <(echo 0.5 0.25)
    expect_output 1
    refuses 2 "--size gives the shapes of a benchmark" matmul --shape 1x1x2
    refuses 2 "--tile" matmul --tile 64x64x64 --shape 1x1x2 <(echo 1 2) <(echo 0.5 0.25)
}

@test ".npy in gives .npy out, with the product's shape" {
    numbers 'f<' 1 2 3 4 5 6 | npy '<f4' '(2, 3)' >a.npy
    numbers 'f<' 1 0 0 1 1 1 | npy '<f4' '(3, 2)' >b.npy
    expect_fine matmul a.npy b.npy -o c.npy
    grep -a -q "'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)" c.npy
    expect_fine reduce c.npy
    expect_output 30
    numbers 'd<' 1 2 3 4 5 6 | npy '<f8' '(2, 3)' >a.npy
    numbers 'd<' 1 0 0 1 1 1 | npy '<f8' '(3, 2)' >b.npy
    expect_fine matmul a.npy b.npy -o c.npy
    grep -a -q "'descr': '<f8'" c.npy
}

@test "f16 in gives f16 out, rounded once at the end" {
    halves() { local half; for half; do printf '%b' "\\x${half:2}\\x${half:0:2}"; done; }
    halves 6800 3c00 0000 1000 | npy '<f2' '(2, 2)' >a.npy  # 2048 1; 0 2^-11
    halves 3c00 0000 3c00 3800 | npy '<f2' '(2, 2)' >b.npy  # 1 0; 1 0.5
    expect_fine matmul a.npy b.npy -o c.npy
    halves 6800 3800 1000 0c00 | npy '<f2' '(2, 2)' | cmp - c.npy  # 2049 is half way: to even
    expect_fine matmul -t f32 a.npy b.npy -o wide.npy
    numbers 'f<' 2049 0.5 0.00048828125 0.000244140625 | npy '<f4' '(2, 2)' | cmp - wide.npy
    expect_fine matmul --input-format raw:f16 --shape 2x2x2 <(halves 6800 3c00 0000 1000) <(halves 3c00 0000 3c00 3800) -o c
    tail -c 8 c.npy | cmp - c
    printf '65504 1\n65504 1\n' >large
    expect_fine matmul -t f16 --shape 2x2x2 large large
    [ "$(paste -sd ' ' <<<"$output")" = "inf 65504 inf 65504" ]
    refuses 4 "give -t f32 or -t f64" matmul a.npy wide.npy
}

@test "f32 becomes f16 by rounding to the nearest, ties to even, subnormals and infinity included" {
    local rounded=(1.00048828125 1 1.00146484375 1.0019531 65519.9 65504 inf inf -inf -inf nan nan
        5.9604645e-8 5.9604645e-8 2.9802322e-8 0 8.940697e-8 1.1920929e-7 6.1005353e-5 6.1035156e-5 -0.1 -0.099975586) i
    for ((i = 0; i < ${#rounded[@]}; i += 2)); do
        expect_fine matmul -t f16 --shape 1x1x1 <(echo "${rounded[i]}") <(echo 1)
        awk -v got="$output" -v wanted="${rounded[i + 1]}" 'BEGIN { exit !(got == wanted || got "" == wanted "") }' ||
            complain "${rounded[i]} became $output, not ${rounded[i + 1]}"
    done
    refuses 4 "65520 does not fit into f16" matmul -t f16 --shape 1x1x1 <(echo 65520) <(echo 1)
    refuses 4 "-1000000000 does not fit into f16" matmul -t f16 --shape 1x1x1 <(echo 1) <(echo -1e9)
}

@test "raw input keeps its type" {
    numbers 'f<' 1 2 3 4 >a
    numbers 'f<' 0 1 1 0 >b
    expect_fine matmul --input-format raw:f32 --shape 2x2x2 a b -o c
    numbers 'f<' 2 1 4 3 | cmp - c
}

@test "mismatched operands are refused, and nothing is written" {
    numbers 'f<' 1 2 3 4 5 6 | npy '<f4' '(2, 3)' >a.npy
    numbers 'd<' 1 2 3 4 5 6 | npy '<f8' '(3, 2)' >wide.npy
    numbers 'f<' 1 2 3 | npy '<f4' '(3,)' >vector.npy
    refuses 4 "A's columns must be as many as B's rows" matmul a.npy a.npy
    refuses 4 "give -t f32 or -t f64" matmul a.npy wide.npy
    refuses 4 "a matrix has two dimensions" matmul a.npy vector.npy
    refuses 4 "--shape says" matmul --shape 3x2x2 a.npy a.npy
    seq 5 >five
    refuses 2 "does not say its shape" matmul five five
    refuses 4 "five has 5 elements, 3 x 2 are 6" matmul --shape 2x2x3 five five
    refuses 2 "two operands" matmul a.npy
    refuses 2 "only one of A and B" matmul - -
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What conv1d promises: every variant is right for every n, width, border, type and alignment, and the filter does the
# same to data.

# Tests side by side on a GPU

# Several streams on a GPU

load helpers

# Every variant that can run here is right at the sizes and widths (both with commas). Further arguments are options.
expect_right_for() {
    local sizes=$1 widths=$2 kernels
    shift 2
    expect_fine conv1d -n "$sizes" --width "$widths" -w 0 -r 1 --csv "$@" || return
    expect_clean_table || return
    # (cuFFT is a library that may be missing.)
    kernels=$(variants conv1d | grep -v cufft)
    diff <(for n in ${sizes//,/ }; do
        for width in ${widths//,/ }; do
            for kernel in $kernels; do echo "$kernel $n $width pass"; done
        done
    done) <(columns kernel n p_width verify | grep -v cufft) >&2 ||
        complain "not every variant is there and verified (above: < expected, > seen)"
}

@test "every variant is right for odd and even widths, also where the filter is wider than the signal" {
    expect_right_for 0,1,2,31,33,1000 1,2,3,4,5,8,16,17,18,31,32,33,63
    expect_right_for 100,4000 1000,4095
    expect_right_for 30000 3,20
}

@test "prefetched tiles fit into the shared memory of every device" {
    on_simulator || skip "a device with any limit"
    capture simcc -std=c++20 -O1 -I "$root" -DBACKEND=sim "$root/tests/units/conv1d.cu" "$root/build/sim/cuda-unit.o" \
        "$root/build/libgridutils.a" -Wl,--gc-sections -lfmt -lz -o units
    expect_status 0
    capture ./units
    expect_output ""
    expect_status 0
}

@test "every variant is right with every border and type" {
    local border dtype
    for border in zero clamp wrap valid; do
        for dtype in f32 f64; do expect_right_for 1,40,3073 2,3,10,17,21,64 --border $border -t $dtype; done
    done
}

@test "every variant is right where signal and output start at an unaligned address" {
    local dtype offset
    for dtype in f32 f64; do
        for offset in 1 2 3; do expect_right_for 33,4000 2,3,4,9,16,35 --offset $offset -t $dtype; done
    done
}

@test "every variant is right with blocks of any size" {
    local block
    for block in 1 31 100 128 1024; do expect_right_for 1000 3,40 -b $block; done
}

@test "a row shows width, border, offset, traffic and launch" {
    expect_fine conv1d -k shared -n 1000 -t f64 -b 128 --width 5 --border valid --offset 1 --csv
    [ "$(column bytes) $(column flop)" = "15968 9960" ]
    [ "$(column grid) $(column block) $(column smem_bytes)" = "8 128 1056" ]
    [ "$(column p_width) $(column p_border) $(column p_offset)" = "5 valid 1" ]
}

@test "the bound does not compete: it computes nothing, and the ladder begins after it" {
    expect_fine conv1d -k copy,global,shared -n 1000 --ladder --csv
    [ "$(column flop | paste -sd ' ')" = "0 6000 6000" ]
    [ "$(column cumulative_speedup | sed -n 2p)" = 1.000 ]
    expect_fine conv1d -k copy,global,shared -n 100000 -f human
    expect_output_like "(global|shared) is the fastest"
}

@test "a result outside the allowed error is reported, gets no row, and gives exit code 1" {
    try conv1d -k global,fastest -n 1000 --tol 1e-12 --csv
    expect_status 1
    expect_output ""
    expect_errors_like "conv1d: global: wrong result for n = 1000, f32: element [0-9]+: got .*, expected .*, allowed error "
    expect_errors_like "conv1d: fastest: wrong result for n = 1000"
}

@test "weights whose sums overflow the type are refused, and run in a wider one" {
    refuses 4 "sums of products with these weights may not fit into f32; use smaller ones, or -t f64" \
        conv1d --weights 3e38,3e38 -n 100
    expect_fine conv1d --weights 3e38,3e38 -n 100 -t f64 --csv
    [ "$(column verify | sort -u)" = pass ]
    expect_fine conv1d --weights 1e-44,1e-42 -n 100 --csv  # below the smallest normal float
    [ "$(column verify | sort -u)" = pass ]
}

@test "an unknown border, width, option or variant, and two filters at once, are refused" {
    refuses 2 "'mirror' is not one of" conv1d --border mirror
    refuses 2 "--width '0' is not from 1 to 4095" conv1d --width 0
    refuses 2 "--width '4096' is not from 1 to 4095" conv1d --width 3,4096
    refuses 2 "unknown option '--weight'; did you mean '--weights'" conv1d --weight 1
    refuses 2 "unknown kernel 'share'; did you mean 'shared'" conv1d -k share
    # A number is what it is in text, and blanks may follow a comma.
    expect_fine conv1d --weights '0, 1, 0' <(seq 3)
    [ "$(xargs <<<"$output")" = "1 2 3" ]
    refuses 2 "'0x1,1' is neither a list of numbers, such as 1,2,1, nor a file" conv1d --weights 0x1,1
    refuses 2 "'1,nan\(1\)' is neither a list" conv1d --weights '1,nan(1)'
    refuses 2 "--width and --weights both choose the filter" conv1d --width 3 --weights 1,2
}

@test "a textbook kernel, copied into another program, is plain CUDA that convolves" {
    local name kernels=(global shared constant shuffle) common='(input, n, output, n, 1, '
    printf '#include <cstdio>\nconstexpr unsigned n = 1000;\n' >program.cu
    for name in global shared; do
        copy_kernel conv1d/textbook.cuh conv1d_$name "const T* input, T* output, const T* h_taps" \
            "    const of_conv1d_$name::Taps<T> taps{{h_taps[0], h_taps[1], h_taps[2]}, nullptr, 3};
    conv1d_$name<<<8, 128, 130 * sizeof(T)>>>${common}taps);"
    done
    for name in constant shuffle; do
        copy_kernel conv1d/textbook.cuh conv1d_$name "const T* input, T* output, const T* h_taps" \
            "    cudaMemcpyToSymbol(of_conv1d_$name::constant_tap_memory, h_taps, 3 * sizeof(T));
    conv1d_$name<<<8, 128, 130 * sizeof(T)>>>${common}3);"
    done
    cat >>program.cu <<'END'
template <typename T>
void print(void (*run)(const T*, T*, const T*)) {
    const T taps[] = {1, 2, 4};
    T *input, *output, sum = 0;
    cudaMallocManaged(&input, n * sizeof(T));
    cudaMallocManaged(&output, n * sizeof(T));
    for (unsigned i = 0; i < n; ++i) input[i] = i % 10;
    run(input, output, taps);
    if (cudaDeviceSynchronize() != cudaSuccess) return;
    for (unsigned i = 0; i < n; ++i) sum += output[i];
    printf("%g %g %g\n", double(output[0]), double(output[n - 1]), double(sum));
}
END
    { echo 'int main() {' && printf 'print<float>(run_conv1d_%s);\nprint<double>(run_conv1d_%s);\n' \
        global global shared shared constant constant shuffle shuffle && echo '}'; } >>program.cu
    copies_print "$(printf "4 26 31491\n%.0s" "${kernels[@]}" "${kernels[@]}")"
}

# ---- in the simulator

@test "the counters are the lecture's: 384 global loads per block of 128, and 130 with a shared tile" {
    on_simulator || skip "its own device"
    expect_fine conv1d --counters -k global,shared -n $((128 * 1024 + 2)) -b 128 --border valid --csv
    [ "$(column grid | sort -u)" = 1024 ]
    [ "$(column gld_lanes | paste -sd ' ')" = "$((384 * 1024)) $((130 * 1024))" ]
    [ "$(column sld_lanes | paste -sd ' ')" = "0 $((3 * 128 * 1024))" ]
    # Zeros beyond the ends are not loaded.
    expect_fine conv1d --counters -k global,shared -n 32Ki -b 128 --csv
    [ "$(column gld_lanes | paste -sd ' ')" = "$((384 * 256 - 2)) $((130 * 256 - 2))" ]
}

@test "the register tile has no bank conflicts, and its shared loads are a fraction of the products" {
    on_simulator || skip "its own device"
    local dtype outputs length blocks threads
    for dtype in f32 f64; do
        # Outputs per thread, and elements in 16 bytes.
        if [ $dtype = f32 ]; then outputs=12 length=4; else outputs=6 length=2; fi
        # A long signal, and one so short that its blocks are small.
        for blocks in 8x256 2x64; do
            threads=$((${blocks/x/*}))
            # (Signals are short by the number of processors.)
            SIMCC_THREADS=2 expect_fine conv1d --counters -k register-tile -n $((threads * outputs)) --width 64 -t $dtype --csv
            [ "$(column grid)x$(column block) $(column sld_conflicts) $(column sst_conflicts)" = "$blocks 0 0" ]
            # Per thread: three vectors, one more for each vector of taps, and three for outputs.
            [ "$(column sld_lanes)" = $((threads * (3 + 64 / length + 3))) ]
        done
    done
}

@test "transforms have no bank conflicts, three barriers, and four exchanges through shared memory" {
    on_simulator || skip "its own device"
    local dtype
    for dtype in f32 f64; do
        # A block: two segments of 4096 - 1025 + 1 outputs each.
        expect_fine conv1d --counters -k overlap-save -n $((2 * 3072 + 1024)) --width 1025 --border valid -t $dtype --csv
        [ "$(column grid) $(column sld_conflicts) $(column sst_conflicts)" = "1 0 0" ]
        [ "$(column block_barriers)" = $((3 * 8)) ]  # arrivals of warps
        [ "$(column sld_lanes) $(column sst_lanes)" = "$((4 * 4096)) $((4 * 4096))" ]
    done
}

@test "the checked simulator finds nothing, however many threads it has" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 3 16; do
        SIMCC_THREADS=$threads capture conv1d --check=all --width 3,20,65 -n 0,33,5000 --border wrap --offset 1 --csv
        expect_status 0
        [ "$(column verify | sort -u)" = pass ]
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

# ---- as a filter

@test "the result is NumPy's convolution in its modes same and valid" {
    # numpy.convolve([1, 2, 3], [0, 1, 0.5]) in its documentation.
    expect_fine conv1d --weights 0,1,0.5 <(seq 3)
    expect_output "1
2.5
4"
    expect_fine conv1d --weights 0,1,0.5 --border valid <(seq 3)
    expect_output 2.5
    # The second of four weights applies to the element itself.
    expect_fine conv1d --weights 1,2,3,4 <(echo 0 0 1 0 0 0)
    expect_output "$(printf '%s\n' 0 1 2 3 4 0)"
}

@test "borders are zeros, the last element, the other end, or missing" {
    local border
    echo 2 1 2 3 4 >signal
    for border in zero clamp wrap valid; do
        # The first weight applies to the next element.
        expect_fine conv1d --weights 1,0,0 --border $border signal
        case $border in
            zero) expect_output "$(printf '%s\n' 1 2 3 4 0)" ;;
            clamp) expect_output "$(printf '%s\n' 1 2 3 4 4)" ;;
            wrap) expect_output "$(printf '%s\n' 1 2 3 4 2)" ;;
            valid) expect_output "$(printf '%s\n' 2 3 4)" ;;
        esac
    done
    # Wrapping around several times: eleven ones over three elements.
    expect_fine conv1d --weights 1,1,1,1,1,1,1,1,1,1,1 --border wrap <(echo 1 10 100)
    expect_output "$(printf '%s\n' 443 434 344)"
}

@test "signals shorter than the filter, and empty ones, have a result" {
    expect_fine conv1d --weights 1,2,3,4,5 <(echo 1 1)
    expect_output "$(printf '%s\n' 5 7)"
    expect_fine conv1d --weights 1,2,3,4,5 --border valid <(echo 1 1)
    expect_output ""
    local border
    printf '' | npy '<i4' '(0,)' >empty.npy
    for border in zero clamp wrap valid; do
        expect_fine conv1d --border $border empty.npy
        grep -a -q "'descr': '<f8', 'fortran_order': False, 'shape': (0,)" stdout
    done
}

@test "every device variant works as the filter's method, except copy" {
    local kernel
    for kernel in $(conv1d --list --csv --no-header | awk -F , '$2 == "any" && $1 != "copy" { print $1 }'); do
        expect_fine conv1d -k "$kernel" --weights 1,2,1 <(seq 1000)
        [ "$(awk '{ sum += $1 } END { printf "%d %.6f", NR, sum }' <<<"$output")" = "1000 2000999.000000" ] ||
            complain "$kernel"
    done
    refuses 2 "copy convolves nothing" conv1d -k copy <(seq 3)
    refuses 2 "runs on the host" conv1d -k cpu <(seq 3)
    refuses 2 "--width is for benchmarks" conv1d --width 3 <(seq 3)
}

@test ".npy in gives .npy out, f32 for f32 and f16, f64 for all other types" {
    local type template
    for type in f4:f f8:d i4:l i8:q; do
        template=${type#*:}
        numbers "$template<" 1 2 3 4 | npy "<${type%:*}" '(4,)' >signal.npy
        expect_fine conv1d --weights 1,2,1 --border valid signal.npy -o result.npy
        case $type in f4*) type=f4 template=f ;; *) type=f8 template=d ;; esac
        numbers "$template<" 8 12 | npy "<$type" '(2,)' >expected.npy
        tail -n 1 result.npy | cmp - <(tail -n 1 expected.npy)
        grep -a -q "'descr': '<$type', 'fortran_order': False, 'shape': (2,)" result.npy
    done
    numbers 'S<' 15360 16384 | npy '<f2' '(2,)' >half.npy  # 1 and 2
    expect_fine conv1d --weights 3 half.npy -o result.npy
    grep -a -q "'descr': '<f4'" result.npy
    expect_fine reduce result.npy
    expect_output 9
    numbers 'l<' 1 2 | npy '<i4' '(2,)' >signal.npy
    expect_fine conv1d -t f32 signal.npy -o result.npy
    grep -a -q "'descr': '<f4'" result.npy
    refuses 4 "has shape \(2, 2\): a signal has one dimension" conv1d <(numbers 'f<' 1 2 3 4 | npy '<f4' '(2, 2)')
}

@test "weights come from a list, a file of text, an .npy file or standard input" {
    local weights
    seq 3 >signal
    printf '1 2\n4\n' >text
    numbers 'l<' 1 2 4 | npy '<i4' '(3,)' >weights.npy
    for weights in 1,2,4 1e0,+2.0,4 text weights.npy -; do
        expect_fine conv1d --weights $weights signal <text
        expect_output "$(printf '%s\n' 4 11 14)"
    done
    expect_fine conv1d -k cpu,fastest --weights text -n 100 --csv
    [ "$(column p_width | sort -u)" = 3 ]
    refuses 2 "'1,x' is neither a list of numbers, such as 1,2,1, nor a file" conv1d --weights 1,x signal
    refuses 2 "weight 2 is inf; weights are finite" conv1d --weights 1,inf signal
    refuses 2 "only one of FILE and --weights can be standard input" conv1d --weights - - <text
    refuses 4 "no numbers in the input" conv1d --weights /dev/null signal
    seq 4096 >many
    refuses 4 "has more than 4095 numbers" conv1d --weights many signal
    echo 1 x >wrong
    refuses 4 "wrong: line 1" conv1d --weights wrong signal
    refuses 4 "weight 1, 1e\+39, does not fit into f32; use -t f64" conv1d --weights 1e39 -t f32 signal
}

@test "results that overflow the type are refused with their element, and infinite elements pass" {
    refuses 4 "element 2 of the result does not fit into f32; use -t f64" conv1d -t f32 --weights 1e38,1e38,1e38 <(echo 1 1 5 1)
    refuses 4 "element 1 of the result does not fit into f64; scale the weights down" conv1d --weights 1e308 <(echo 10)
    expect_fine conv1d --weights 1,2,1 <(echo 1 1 inf 1 1 1 nan 1)
    expect_output "$(printf '%s\n' 3 inf inf inf 4 nan nan nan)"
}

@test "malformed input and an output that cannot be written have their exit codes" {
    refuses 4 "line 2: 'x'" conv1d <(printf '1\nx\n')
    refuses 4 "nowhere: cannot read" conv1d nowhere
    try conv1d <(seq 3) -o /dev/full
    expect_status 5
    pipeline 'seq 1000000 | conv1d -d $device - | head -1'
    expect_output 1
}

@test "a stream of several chunks is convolved across their seams" {
    # A chunk is 2^22 elements. Element i of the result is x[i + 2] - x[i - 3]: if the signal has a period of 1024, so
    # has the result, across seams and around the ends.
    perl -e 'print pack("f<*", 0 .. 1023) x 4098' >ramps
    perl -e 'print pack("f<*", map { (($_ + 2) & 1023) - (($_ - 3) & 1023) } 0 .. 1023) x 4098' >expected
    try conv1d --input-format raw:f32 --weights 1,0,0,0,0,-1 --border wrap ramps -o steps
    expect_status 0
    expect_no_errors
    cmp expected steps
    # With zeros at the ends only the first three and the last two elements differ.
    capture bash -o pipefail -c "conv1d -d $device --input-format raw:f32 --weights 1,0,0,0,0,-1 - <ramps >steps"
    expect_status 0
    [ "$(wc -c <steps)" = "$(wc -c <ramps)" ]
    cmp <(tail -c +13 expected | head -c -8) <(tail -c +13 steps | head -c -8)
    [ "$(head -c 12 steps | od -An -tf4 | xargs)" = "2 3 4" ]
    [ "$(tail -c 8 steps | od -An -tf4 | xargs)" = "-1019 -1020" ]
}

@test "a pipeline of programs and other tools goes through" {
    need mlr
    pipeline 'seq 100 | conv1d -d $device --border valid - | mlr --inidx --ojson stats1 -a mean,count -f 1 | jq -c .[]'
    expect_status 0
    expect_output '{"1_mean":50.5,"1_count":98}'
    pipeline 'conv1d -d $device --json <(seq 3) | jq -c .result'
    expect_output '[1,2,1.6666666666666665]'
}

@test "cuFFT needs a GPU" {
    on_simulator || skip "there is a GPU"
    refuses 77 "cufft needs a GPU" conv1d -k cufft
}

@test "--steps shows the inputs of each thread, the halo of its block, and the lanes that it shuffles from" {
    capture conv1d --steps -k shared -f human
    expect_status 0
    expect_no_errors
    expect_output_like $'\nthread 0,0  input\\[3\\] -> shared\\[0\\], input\\[7\\] -> shared\\[4\\] \\| shared\\[0..2\\] -> output\\[4\\]\n'
    capture conv1d --steps -k global --csv
    expect_clean_table ,
    [ "$(awk -F , '$2 == 1 && $3 == 3 { print $7, $9 }' <<<"$output" | paste -s -d ';')" = "read 6;read 7;write 7" ] || complain "the last thread"
    capture conv1d --steps -k shuffle --csv
    [ "$(awk -F , '$3 == 2 && $8 == "lane" { print $9 }' <<<"$output" | paste -s -d ' ')" = "2 3 4" ] || complain "lanes"
    capture conv1d --steps -n 65
    expect_status 2
    expect_refusal conv1d '65 elements are more than 64'
}

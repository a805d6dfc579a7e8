#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What texture promises: every pattern is right on every path for every matrix and block, with the textbook's sectors.
# shellcheck disable=SC2154  # helpers.bash sets $root, $scratch and $device

load helpers

# The rows of the variants in $output whose column $1 differs from column $2; "" if none does.
differences() {
    columns kernel "$1" "$2" | awk '$2 != $3'
}

# Every matrix pattern has a verified row on every path, $1 in all for each of $2 matrices. The chains run once in all.
expect_all_paths() {
    local rows=$(($1 * $2))
    expect_status 0
    expect_no_errors
    [ "$(column verify | sort -u)" = pass ] || complain "not all are verified"
    [ "$(column p_path | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ,)" = \
        "3 constant,$((rows + 2)) global,$rows pitched,$((rows + 2)) restrict,$rows texture-array,$rows texture-pitch" ] ||
        complain "the paths are not $1 times $2"
}

# One sample of each variant.
sample_each() { try texture --csv -w 0 -r 1 -k '*' "$@"; }

@test "texture: every pattern is right on every path, for matrices of any shape" {
    sample_each -n 0,1,1x33,33x1,31x32,17x129,100x3,0x5,5x0,65x70 --neighbors 1,3,64 --width 1,4,9 --vicinity 0,40 --zoom 1,7
    expect_all_paths $((2 + 2 * 3 + 2 + 3 * 3 + 2 + 2 + 1)) 10
}

@test "texture: every pattern is right for f16, which textures convert" {
    sample_each -t f16 -n 1,33x17,64,5x130 --neighbors 2,5 --width 3,8
    expect_all_paths $((2 + 2 * 2 + 2 + 3 * 2 + 1 + 1 + 1)) 4
    [ "$(column dtype | sort -u | paste -sd ' ')" = "f16 none" ]
}

@test "texture: every pattern is right for float4, for uchar4 modulo 256, and for bytes read as fractions" {
    sample_each --texel float4,unorm4,uchar4 -n 33x17,5x130 --neighbors 5 --width 8 -q
    expect_status 0
    [ "$(column verify | sort -u)" = pass ]
    [ "$(columns p_texel dtype | sort | uniq -c | awk '{ print $1, $2, $3 }' | paste -sd ,)" = \
        "120 float4 f32,7 none none,110 uchar4 none,120 unorm4 none" ]
    # Sums of 33 bytes exceed 255.
    try texture --csv -w 0 -r 1 -k 'slide-row-global' --texel uchar4,unorm4 -n 33x1 -b 32x1 --tol 0
    [ "$(column verify | head -1)" = pass ]
    sample_each --texel uchar4 -n 9 -k zoom-global
    expect_errors_like "texture: zoom-global, 9x9: there is nothing between integers; unorm4 reads such bytes as fractions; left out"
}

@test "texture: every address mode is right on every path, by an if and by the texture" {
    sample_each -k 'filter-*,window-*,random-*,zoom-*' -n 1,7x5,13x19 --address clamp,border,wrap,mirror --vicinity 40 --width 5,20
    expect_status 0
    expect_no_errors
    [ "$(column verify | sort -u)" = pass ]
    [ "$(column p_address | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ,)" = "120 border,120 clamp,120 mirror,120 wrap" ]
    sample_each -k filter-x-global,row-global -n 9 --address wrap -t f16
    expect_errors_like "texture: filter-x-global, 9x9: --address wrap is for f32; left out"
    [ "$(column p_address)" = none ]
    on_simulator || return 0
    # Four lanes read 33 elements around their own in a row of 32. For those beyond the row, clamp reads one element for
    # all four, border loads none, and wrap and mirror read four of the row.
    capture texture -d sim --csv -k filter-x-global -n 8x32 -b 4 --width 33 --address clamp,border,wrap,mirror
    [ "$(columns p_address p_sectors_per_request gld_sectors_per_request gld_lanes)" = "clamp 1.2273 1.2273 8448
border 1.2885 1.2885 6272
wrap 1.3636 1.3636 8448
mirror 1.2727 1.2727 8448" ]
}

@test "texture: every pattern is right with blocks of any shape" {
    local blocks=1,32,1x32,7x5,33x3,1024,1x1024,32x32,16x16,2x200
    sample_each -n 50x41 -b $blocks
    expect_all_paths $((2 + 2 * 3 + 2 + 3 + 1 + 1 + 1)) 10
    [ "$(column block | grep -v '^32$' | sort -u | wc -l)" = 9 ]
}

@test "texture: by default the paths of the tutorial's tables run" {
    expect_fine texture --csv -w 0 -r 1 -n 40
    [ "$(columns p_pattern p_path | awk '{ paths[$1] = paths[$1] " " $2 } END { for (p in paths) print p paths[p] }' | sort)" = \
        "block constant global restrict
column global restrict texture-array
filter-x global pitched texture-array texture-pitch
filter-y global pitched texture-array texture-pitch
neighbors global restrict texture-array global restrict texture-array global restrict texture-array
neighbors-column global restrict texture-array global restrict texture-array global restrict texture-array
random global pitched texture-array texture-pitch
row global restrict texture-array
slide-column global pitched texture-array texture-pitch
slide-row global pitched texture-array texture-pitch
thread constant global restrict
uniform constant" ]
}

@test "texture: a matrix may have more rows than a grid, and than a texture" {
    sample_each -n 70000x2 -b 1 -k 'row-*,filter-y-*' -q
    expect_status 0
    [ "$(column kernel | paste -sd ' ')" = \
        "row-global row-restrict row-pitched filter-y-global filter-y-restrict filter-y-pitched" ]
    [ "$(column verify | sort -u)" = pass ]
    sample_each -n 70000x2 -b 1 -k 'row-*'
    expect_errors_like "texture: row-texture-array, 70000x2: 70000 rows are more than such a texture has on this device, 65536; left out"
    expect_errors_like "texture: row-texture-pitch, 70000x2: 70000 rows are more than .*, 65000; left out"
    sample_each -n 2x131073 -k column-texture-array,column-restrict
    expect_errors_like "131073 columns are more than such a texture has on this device, 131072"
}

@test "texture: sectors per request are those of the textbook" {
    on_simulator || skip "a formula"
    # expect_sectors TYPE KERNEL VALUE OPTION...
    expect_sectors() {
        local dtype=$1 kernel=$2 value=$3
        shift 3
        capture texture -d sim --csv -t "$dtype" -k "$kernel" "$@"
        [ "$(column p_sectors_per_request | paste -sd ' ')" = "$value" ] || complain "$dtype $kernel $*: not $value"
    }
    expect_sectors f32 row-global 4.0000
    expect_sectors f16 row-global 2.0000
    expect_sectors f32 column-global 32.0000
    expect_sectors f16 column-global 32.0000
    expect_sectors f32 neighbors-global "8.0000 16.0000 32.0000"
    expect_sectors f32 neighbors-column-global "32.0000 32.0000 32.0000"
    expect_sectors f32 slide-row-global,slide-column-global "4.0000 32.0000"
    expect_sectors f32 row-global,column-global "4.0000 32.0000" --texel uchar4
    expect_sectors f32 row-global,column-global,slide-row-pitched,slide-column-pitched "16.0000 32.0000 16.0000 32.0000" \
        --texel float4
    # Rows of 100 floats: every second one begins in the middle of a sector, unless rows are aligned.
    expect_sectors f32 row-global,row-pitched "3.6250 3.2500" -n 8x100 -b 32x1
    expect_sectors f16 neighbors-global "4.0000 8.0000 16.0000"
    # Of the five reads of a warp, one is aligned to a sector and takes 4, the others take 5; at the edges two fewer take 5.
    expect_sectors f32 filter-x-global 4.7000 --width 5
    expect_sectors f32 filter-y-global 4.0000 --width 5
    expect_sectors f32 row-global 4.0000 -b 8x4
    expect_sectors f32 row-global 8.0000 -b 4x8
}

@test "texture: counted sectors equal the formula on every linear path, for any matrix and block" {
    local options
    on_simulator || skip "counters of the simulator"
    for options in "-n 64" "-n 37x61 -b 32x8,7x5,16x16,3x40 --neighbors 1,3,11 --width 4,7" \
        "-n 9x100,100x9 -t f16 -b 5x30,64x2 --width 2,3" "-n 1x70,70x1 -b 33" \
        "-n 23x31 --address wrap,mirror -b 7x5" "-n 19x31 --texel float4,unorm4 -b 7x5 --zoom 1,2,5"; do
        # shellcheck disable=SC2086  # several words
        capture texture -d sim --csv -k '*-global,*-restrict,*-pitched' $options
        expect_status 0
        [ "$(column gld_requests | sort -n | head -1)" -gt 0 ]
        ! differences p_sectors_per_request gld_sectors_per_request | grep -q -v -E "^(random|written)" ||
            complain "$options: $(differences p_sectors_per_request gld_sectors_per_request)"
        # shellcheck disable=SC2086
        capture texture -d sim --csv -k '*-texture-pitch' $options
        expect_status 0
        [ "$(column tex_requests | sort -n | head -1)" -gt 0 ]
        [ "$(columns p_pattern gld_requests | grep -v ^written | cut -d ' ' -f 2 | sort -u)" = 0 ]
        ! differences p_sectors_per_request tex_sectors_per_request | grep -q -v -E "^(random|written|zoom)" ||
            complain "$options: $(differences p_sectors_per_request tex_sectors_per_request)"
    done
}

@test "texture: an array has no linear sectors" {
    on_simulator || skip "counters of the simulator"
    capture texture -d sim --csv -k '*-texture-array'
    expect_status 0
    [ "$(column tex_requests | sort -n | head -1)" -gt 0 ]
    [ "$(columns p_sectors_per_request tex_sectors gld_requests | sort -u)" = "- 0 0
- 0 2048" ]
}

@test "texture: chains of loads move the sectors and make the passes of the textbook" {
    on_simulator || skip "counters of the simulator"
    capture texture -d sim --csv -k 'constant-*,global-*,restrict-*' -n 7
    expect_status 0
    [ "$(columns kernel p_passes_per_request const_passes_per_request p_sectors_per_request gld_sectors_per_request)" = \
        "constant-uniform 1 1.0000 - -
constant-block 1 1.0000 - -
constant-thread 32 32.0000 - -
global-block - - 1.0000 1.0000
global-thread - - 4.0000 4.0000
restrict-block - - 1.0000 1.0000
restrict-thread - - 4.0000 4.0000" ]
    [ "$(column verify | sort -u)" = pass ]
}

@test "texture: a launch reads through a texture what the one before wrote through a surface" {
    expect_fine texture --csv -k 'written-*' -n 33x70 --texel f32,f16,float4,uchar4,unorm4 -b 32x8,5x3
    [ "$(column verify | sort | uniq -c | tr -s ' ')" = " 50 pass" ]
    on_simulator || return 0
    # Each element is written once and read once, through the surface and the texture; elsewhere by stores and loads.
    capture texture -d sim --csv -k 'written-*' -n 33x70
    [ "$(columns p_path tex_lanes gst_lanes gld_lanes)" = "global 0 4620 4620
restrict 0 4620 4620
pitched 0 4620 4620
texture-array 4620 2310 2310
texture-pitch 2310 4620 2310" ]
}

@test "texture: bytes are those that threads request and write" {
    local kernels=row-global,neighbors-global,slide-row-global,window-global,random-global,zoom-global,written-global
    expect_fine texture -k $kernels,constant-thread -n 10x20 --neighbors 8 --width 3 --csv
    expect_clean_table
    # 200 elements; a row of 20 makes 3 sums of 8 neighbors; a block is 8 rows high.
    [ "$(column bytes | head -7 | paste -sd ' ')" = "1600 920 1440 8000 7200 4000 3200" ]
    [ "$(column flop | head -7 | paste -sd ' ')" = "0 170 40 1600 1400 1400 0" ]
    [ "$(column p_width | head -7 | paste -sd ' ')" = " 8  3 8 3 " ]
    [ "$(column p_samples | head -7 | paste -sd ' ')" = "1 8 2 9 8 4 1" ]
    [ "$(paste -d x <(column p_rows) <(column p_columns) | uniq | paste -sd ' ')" = "10x20 x" ]
    [ "$(columns grid block | head -2 | paste -sd ,)" = "1x2 32x8,1x2 32x8" ]
    [ "$(column dtype | tail -1)" = none ]
}

@test "texture: the checked simulator finds nothing, on any number of threads" {
    local threads
    on_simulator || skip "its own device"
    for threads in 1 2 3 16; do
        SIMCC_THREADS=$threads capture texture -d sim --check=all -n 45x70 -t f16 --csv -k '*'
        expect_status 0
        [ "$(column verify | sort | uniq -c | tr -s ' ')" = " 87 pass" ]
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "texture: results are compared with the host's unless --no-verify says otherwise" {
    expect_fine texture -k 'window-*' -n 20 --no-verify --csv
    [ "$(column verify | sort -u)" = skipped ]
    expect_fine texture -k 'window-*' -n 20 --csv
    [ "$(column verify | sort -u)" = pass ]
}

@test "texture: what cannot be run is refused" {
    refuses 2 "unexpected operand 'a'" texture a
    refuses 2 "unknown option '--widths'; did you mean '--width'" texture --widths 5
    refuses 2 "unknown kernel 'row-globa'; did you mean 'row-global'" texture -k row-globa
    refuses 2 "size '3x4x5' is neither N nor ROWSxCOLUMNS" texture -n 3x4x5
    refuses 2 "size '2147483648x1' is too large: a matrix has at most 2147483647 rows" texture -n 2147483648x1 -k row-global
    refuses 2 "--block '64x32' has 2048 threads; a block has at most 1024" texture -b 64x32
    refuses 2 "--block '0': 0 is not from 1 to 1024" texture -b 0
    refuses 2 "--block '1x2x3' is neither THREADS nor XxY" texture -b 1x2x3
    refuses 2 "--width '65' is not from 1 to 64" texture --width 3,65
    refuses 2 "--neighbors '0' is not from 1 to 64" texture --neighbors 0
    refuses 2 "--vicinity '32768' is not from 0 to 32767" texture --vicinity 32768
    refuses 2 "--zoom '0' is not from 1 to 64" texture --zoom 0
    refuses 2 "--address 'repeat' is not one of clamp, border, wrap, mirror" texture --address clamp,repeat
    refuses 2 "--texel 'half4' is not one of f32, f16, float4, uchar4, unorm4" texture --texel half4
    refuses 2 "f32 or f16" texture -t f64
    refuses 5 "/dev/full" texture -k row-global -n 8 --csv -o /dev/full
}

@test "texture: without a GPU, asking for one gives exit status 77" {
    on_simulator || skip "there is one"
    CUDA_VISIBLE_DEVICES='' capture texture -d gpu
    expect_status 77
    expect_refusal texture ""
}

@test "texture: a reader that closes the pipe early ends the program without a message" {
    capture bash -c 'texture -q -d "$device" --csv | head -1; echo "${PIPESTATUS[0]}" >code'
    expect_no_errors
    [[ "$(cat code)" =~ ^(0|141)$ ]] || complain "exit status $(cat code)"
}

@test "texture: a pipe shows the paths of a pattern side by side" {
    need mlr
    pipeline 'texture -q -d $device -n 64 -k "row-*,column-*" --csv |
        mlr --icsv --ocsv cut -f p_pattern,p_path,p_sectors_per_request then reshape -s p_path,p_sectors_per_request'
    expect_status 0
    expect_output "p_pattern,global,restrict,pitched,texture-array,texture-pitch
row,4.0000,4.0000,4.0000,,4.0000
column,32.0000,32.0000,32.0000,,32.0000"
}

@test "texture: the measurement script reads what the program and ncu print" {
    on_simulator || skip "a measurement of its own"
    need mlr
    mkdir fake
    # As ncu prints it: a row per launch, the NVTX range in a column of its own.
    cat >fake/ncu <<'NCU'
#!/usr/bin/env bash
echo '==PROF== Connected'
echo '"ID","Kernel Name","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","l1tex__t_sector_hit_rate.pct"'
echo '"","","","%"'
echo '"0","k(int)","""<default domain>:row-global:none:none:none:none:none:none""","12.5"'
echo '"1","k(int)","""<default domain>:row-texture-array:none:none:none:none:none:none""","50"'
NCU
    chmod +x fake/ncu
    PATH=$PWD/fake:$PATH DEVICE=sim capture bash "$root/tests/measure/texture.bash" -n 64 -k 'row-*,global-thread'
    expect_status 0
    expect_output_like "row +f32 +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +0\.870"
    expect_output_like "global-thread +0\.0 +26"
    expect_output_like "row-global +12\.5"
    expect_output_like "row-texture-array +50"
    printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM - no"\nexit 1\n' >fake/ncu
    PATH=$PWD/fake:$PATH DEVICE=sim capture bash "$root/tests/measure/texture.bash" -n 64 -k 'row-*'
    expect_status 0
    expect_errors_like "may not read the GPU's counters"
}

@test "texture: the examples of its page run" { need mlr && run_examples texture.1; }

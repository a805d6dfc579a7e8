#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files in and out: malformed input is refused, and output that cannot be written is noticed.

# Tests side by side on a GPU

# Several streams on a GPU

load helpers

# ---- exit status 4: bad input

@test "input that cannot be read is refused" {
    mkdir folder
    refuses 4 "^reduce: missing: cannot read: No such file" reduce missing
    refuses 4 "^reduce: folder: is a directory" reduce folder
    refuses 4 "standard input: cannot read: " reduce - <&-
    refuses 4 "^vecadd: missing: cannot read" vecadd missing folder
    [ "$(id -u)" -eq 0 ] && return  # root reads everything
    seq 3 >secret
    chmod 000 secret
    refuses 4 "secret: cannot read: Permission denied" reduce secret
}

@test "text that is not a number is refused with its line" {
    printf '1\n2\n3 four 5\n' >word
    refuses 4 "^reduce: word: line 3: 'four' is not a number" reduce word
    printf '1\n\n\n0x10\n' >hexadecimal
    refuses 4 "hexadecimal: line 4: '0x10' is not a number" reduce hexadecimal
    printf '1\n1.5.2\n' >dots
    refuses 4 "dots: line 2: '1.5.2' is not a number" reduce dots
    printf '1e999\n' >huge
    refuses 4 "huge: line 1: '1e999' is outside the range of f64" reduce huge
    printf '1;2\n' >semicolon
    refuses 4 "semicolon: line 1: '1;2' is not a number" reduce semicolon
    { seq 100000; echo end; } >late
    refuses 4 "late: line 100001: 'end' is not a number" reduce late
    head -c 3000000 /dev/zero >zeros
    refuses 4 "zeros: line 1: .*not a number" reduce zeros
    printf '+ 1\n' >sign
    refuses 4 "sign: line 1: '\+' is not a number" reduce sign
    printf '+-1\n' >signs
    refuses 4 "signs: line 1: '\+-1' is not a number" reduce signs
    refuses 4 "standard input: line 1: 'x' is not a number" reduce - < <(echo x)
}

@test "a pipe is refused as two inputs under two names" {
    capture bash -c "seq 6 | vecadd -d $device - /dev/stdin"
    expect_status 2
    expect_errors_like "- and /dev/stdin are the same pipe, which is read once"
    mkfifo pipe
    refuses 2 "^vecadd: pipe and ./pipe are the same pipe" vecadd pipe ./pipe
    refuses 2 "^matmul: pipe and pipe are the same pipe" matmul --shape 1x1x3 pipe pipe
    refuses 2 "^conv1d: .* are the same pipe" conv1d --weights pipe pipe
    pipeline 'vecadd -d $device <(seq 2) <(seq 2) | paste -sd " " -'
    expect_output "2 4"
}

@test "empty input is refused" {
    printf ' \n\n' >blank
    refuses 4 "no numbers in the input" reduce /dev/null
    refuses 4 "no numbers in the input \(3 bytes\)" reduce blank
    refuses 4 "no numbers in the input" reduce --input-format raw:f32 /dev/null
    refuses 4 "no numbers in the input" vecadd /dev/null /dev/null
}

@test "raw input that ends inside an element is refused" {
    printf 1234567 >seven
    refuses 4 "ends at byte 7 inside an element of 4 bytes" reduce --input-format raw:f32 seven
    refuses 2 "'raw:i16' is not one of|unknown element type 'i16'" reduce --input-format raw:i16 seven
    refuses 2 "'yaml' is not one of" reduce --input-format yaml seven
}

@test "a .npy file that lies about its size is refused, from a file and from a pipe" {
    numbers 'f<' 1 2 3 | npy '<f4' '(4,)' >short.npy
    numbers 'f<' 1 2 3 4 5 | npy '<f4' '(4,)' >long.npy
    numbers 'f<' 1 2 3 4 | npy '<f4' '(4,)' | head -c -1 >torn.npy
    refuses 4 "promises 4 elements \(16 bytes\), but there are 12 bytes" reduce short.npy
    refuses 4 "promises 4 elements \(16 bytes\), but there are 20 bytes" reduce long.npy
    refuses 4 "promises 4 elements \(16 bytes\), but there are 15 bytes" reduce torn.npy
    refuses 4 "promises 4 elements \(16 bytes\), but there are 12 bytes" reduce - < <(cat short.npy)
    refuses 4 "more data than the 4 elements" reduce - < <(cat long.npy)
    refuses 4 "inside an element of 4 bytes" reduce - < <(cat torn.npy)
    numbers 'f<' 1 | npy '<f4' '(1000000000000000,)' >terabytes.npy
    refuses 4 "promises 1000000000000000 elements" reduce terabytes.npy
    refuses 4 "promises 1000000000000000 elements" reduce - < <(cat terabytes.npy)
    npy '<f4' '(0,)' </dev/null >none.npy
    expect_fine reduce - < <(cat none.npy)
    numbers 'f<' 1 | npy '<f4' '(0,)' >none-but-one.npy
    refuses 4 "promises 0 elements" reduce none-but-one.npy
    refuses 4 "more data than the 0 elements" reduce - < <(cat none-but-one.npy)
}

@test "a .npy file with a damaged header is refused" {
    local bytes
    numbers 'f<' 1 2 | npy '<f4' '(2,)' >good.npy
    for bytes in 7 9 10 40 127; do
        head -c $bytes good.npy >torn.npy
        refuses 4 "torn.npy: " reduce torn.npy
        refuses 4 "torn.npy: " reduce --input-format npy torn.npy
    done
    seq 5 >text
    refuses 4 "text: is not a .npy file" reduce --input-format npy text
    numbers 'f<' 1 2 | npy '<f4' '(2,)' 9 >version.npy
    refuses 4 ".npy version 9 is unknown" reduce version.npy
    numbers 'f<' 1 2 | npy '?f4' '(2,)' >order.npy
    refuses 4 "element type '\?f4' cannot be read" reduce order.npy
    numbers 'f<' 1 2 | npy '<c8' '(1,)' >complex.npy
    refuses 4 "element type '<c8' cannot be read" reduce complex.npy
    numbers 'f<' 1 2 | npy '' '(2,)' >untyped.npy
    refuses 4 "untyped.npy: " reduce untyped.npy
    for bytes in '(-2,)' '(x,)' '(2' '2' '(99999999999999999999,)' '(4294967296, 4294967296)'; do
        numbers 'f<' 1 2 | npy '<f4' "$bytes" >shape.npy
        refuses 4 "shape.npy: " reduce shape.npy
    done
    sed "s/'shape'/'shapo'/" good.npy >key.npy
    refuses 4 "has no 'shape'" reduce key.npy
}

# npy_with HEADER NUMBER...: a .npy file with that header.
npy_with() { printf '\x93NUMPY\1\0%b\0%s' "\\x$(printf %x ${#1})" "$1" && numbers 'f<' "${@:2}"; }

@test "the keys of a .npy header may come in any order, with any blanks; an invalid array order is refused" {
    npy_with "{'descr': '<f4', 'shape': (2,), 'fortran_order': False}" 1 2 >file.npy
    expect_fine reduce file.npy
    expect_output 3
    npy_with "{ 'fortran_order' : True , 'descr' : '<f4' , 'shape' : (2, 3) }" 1 2 3 4 5 6 >file.npy
    capture bash -o pipefail -c "transpose -q file.npy | tail -c 24 | od -An -w24 -tfF | tr -s ' '"
    expect_output ' 1 2 3 4 5 6'
    # Any way in which Python writes it down: that of Python 2, with other quotes, blanks, comments and last commas.
    local header
    for header in '{"descr":"<f4","fortran_order":False,"shape":(2,)}' "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }" \
        "{u'shape': (1, 2L), 'fortran_order': False, u'descr': u'<f4'}" $'{\t\'descr\'\t:\t"<f4",\n\'fortran_order\':False,\t\'shape\':(\t2\t,\t)\t,}' \
        $'{ # } (\n\'shape\': (2, # the size\n1,), \'fortran_order\': False, \'descr\': \'<f4\',} # \'shape\'\n' \
        "{'shape':(2,1,1),'descr':'f4','fortran_order':False}" "{'shape':(0_2,),'descr':'=f4','fortran_order':False}"; do
        npy_with "$header" 1 2 >file.npy
        expect_fine reduce file.npy
        expect_output 3
    done
    npy_with "{'descr': '<f4', 'fortran_order': False, 'shape': ()}" 5 >file.npy
    expect_fine reduce file.npy
    expect_output 5
    npy_with "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}" 1 2 3 4 5 6 >file.npy
    capture transpose -q file.npy
    cmp stdout <(npy_with "$(head -c 128 stdout | tail -c 118 | tr -d '\n')"$'\n' 1 4 2 5 3 6) >&2
    head -c 128 stdout | grep -q -a "'shape': (3, 2)"
    for header in "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}" "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}" \
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 1,)}" "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)" \
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}" "['descr', '<f4']" "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}" \
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}" "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}" \
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x" "{'descr': '<f4', 'fortran_order': False}" ""; do
        npy_with "$header" 1 2 >file.npy
        refuses 4 "\.npy header" reduce file.npy
    done
    npy_with "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}" 1 2 >file.npy
    refuses 4 "fortran_order Maybe is neither True nor False" reduce file.npy
}

# npz WAY FILE...: a ZIP archive of the files, as numpy.savez (a WAY with "stored" in it) or savez_compressed would write
# it, to a file or to a pipe ("piped"), where sizes may have 32 bits ("narrow") and no signature ("bare") before them.
# (gzip computes the checksums and compresses.)
npz() {
    perl -e 'my $way = shift @ARGV;
             for my $name (@ARGV) {
                 open my $file, "<:raw", $name; local $/; my $bytes = <$file>;
                 my $size = length $bytes;
                 my $gzip = `gzip -nc <$name`;
                 my ($sum) = unpack "V", substr $gzip, -8, 4;
                 $bytes = substr $gzip, 10, -8 if $way !~ /stored/;
                 my ($packed, $method, $descriptor, $extra) = (length $bytes, $way =~ /stored/ ? 0 : 8, "", pack "vvQ<Q<", 1, 16, $size, length $bytes);
                 my $known = pack "VVV", $sum, 0xffffffff, 0xffffffff;
                 if ($way =~ /piped/) {
                     $descriptor = ($way =~ /bare/ ? "" : "PK\7\10") . pack $way =~ /narrow/ ? "VVV" : "VQ<Q<", $sum, $packed, $size;
                     $known = pack "VVV", 0, 0xffffffff, 0xffffffff;
                     $extra = pack "vvQ<Q<", 1, 16, 0, 0;
                     ($known, $extra) = ("\0" x 12, "") if $way =~ /narrow/;
                 }
                 my $begin = pack "vvvvv", 45, $way =~ /piped/ ? 8 : 0, $method, 0, 0;
                 my $offset = length $body;
                 ++$count;
                 $body .= "PK\3\4$begin$known" . pack("vv", length $name, length $extra) . "$name$extra$bytes$descriptor";
                 $directory .= "PK\1\2" . pack("v", 45) . $begin . pack("VVVvvvvvVV", $sum, $packed, $size, length $name, 0, 0, 0, 0, 0, $offset) . $name;
             }
             print $body, $directory, "PK\5\6", pack("vvvvVVv", 0, 0, $count, $count, length $directory, length $body, 0)' "$@"
}

@test "an .npz archive of one array is read, compressed or not, from a file or a pipe, and one of several is refused" {
    local way
    numbers 'd<' 1 2 0.5 $(seq 1000) | npy '<f8' '(1003,)' >arr_0.npy
    cp arr_0.npy arr_1.npy
    for way in stored deflated {,stored-}piped{,-bare}{,-narrow}; do
        npz $way arr_0.npy >one.npz
        expect_fine reduce one.npz
        expect_output 500503.5
        expect_fine reduce - < <(cat one.npz)
        expect_output 500503.5
        expect_fine vecadd one.npz arr_0.npy -o sum.npy
        expect_fine reduce sum.npy
        expect_output 1001007
        npz $way arr_0.npy arr_1.npy >two.npz
        refuses 4 "two.npz: has more than one array; numpy.save one of them" reduce two.npz
    done
}

@test "an .npz archive that is truncated or changed anywhere, or would fill the memory, is refused" {
    local way size at
    numbers 'l<' $(seq 3000) | npy '<i4' '(3000,)' >arr_0.npy
    for way in stored deflated piped stored-piped-bare piped-bare-narrow; do
        npz $way arr_0.npy >one.npz
        size=$(wc -c <one.npz)
        for at in 20 40 60 100 210 $((size / 2)) $((size - 150)) $((size - 90)) $((size - 22)); do
            head -c $at one.npz >torn.npz
            refuses 4 "^reduce: torn.npz: .*[a-z]" reduce torn.npz
        done
        for at in 300 $((size / 2)) $((size - 250)); do
            perl -0777 -pe "substr(\$_, $at, 1) ^= chr 0x5a" one.npz >changed.npz
            refuses 4 "^reduce: changed.npz: .*(damaged|do not match|promises|inside)" reduce changed.npz
        done
    done
    npz deflated arr_0.npy | perl -0777 -pe 's/^(PK\x03\x04....)../$1\x0c\x00/s' >bzip2.npz
    refuses 4 "is compressed by method 12; save it with numpy.savez or" reduce bzip2.npz
    npz deflated arr_0.npy | perl -0777 -pe 's/^(PK\x03\x04..)./$1\x01/s' >locked.npz
    refuses 4 "is encrypted" reduce locked.npz
    # The header promises so many elements that their bytes would not fit into 64 bits.
    numbers 'd<' 1 | npy '<f8' '(2305843009213693953,)' >arr_0.npy
    npz stored arr_0.npy >wraps.npz
    refuses 4 "not a tuple of sizes that fit in memory" reduce wraps.npz
    # The header promises terabytes, which zeros can compress to, and they are needed at once.
    npy '<f4' '(1000000, 1000000)' </dev/null >arr_0.npy
    npz piped arr_0.npy >bomb.npz
    if [[ " $(programs) " == *matmul* ]]; then
        refuses 4 'bomb.npz: promises 1000000000000 elements at once, .* of memory are available; give' matmul bomb.npz bomb.npz
    fi
    refuses 4 'bomb.npz: ' reduce bomb.npz
}

@test "-t of integers cuts fractions off and then refuses what is out of range, at both ends, in text and arrays" {
    local type low high number
    while read -r type low high; do
        for number in "$high.9" "$low.9" "$high.0" "-0.9" "$high" "$low"; do
            expect_fine reduce -t "$type" --op max <(echo "$number")
            expect_output "$(sed 's/\..*//; s/^-0$/0/' <<<"$number")"
            numbers 'd<' "$number" | npy '<f8' '(1,)' >data.npy
            expect_fine reduce -t "$type" --op max data.npy
            expect_output "$(sed 's/\..*//; s/^-0$/0/' <<<"$number")"
        done
        for number in "$((high + 1))" "$((low - 1))" "$((high + 1)).5" "$((low - 1)).5"; do
            refuses 4 "does not fit into $type" reduce -t "$type" <(echo "$number")
            numbers 'd<' "$number" | npy '<f8' '(1,)' >data.npy
            refuses 4 "does not fit into $type" reduce -t "$type" data.npy
        done
    done <<<"i32 -2147483648 2147483647"
    # The last f64 below 2^63, and 2^63, to which its neighbors in text are rounded.
    expect_fine reduce -t i64 --op max <(echo 9223372036854774784.5)
    expect_output 9223372036854774784
    expect_fine reduce -t i64 --op min <(echo -9223372036854775808.0)
    expect_output -9223372036854775808
    refuses 4 "does not fit into i64" reduce -t i64 <(echo 9223372036854775807.9)
}

@test "big-endian .npy files and unsigned integers of 8 bytes are read" {
    numbers 'f>' 1 2.5 | npy '>f4' '(2,)' >data.npy
    expect_fine reduce data.npy
    expect_output 3.5
    numbers 'q>' -9223372036854775807 1 | npy '>i8' '(2,)' >data.npy
    expect_fine reduce data.npy
    expect_output -9223372036854775806
    numbers 's>' -300 7 | npy '>i2' '(2,)' >data.npy
    expect_fine reduce --op min data.npy
    expect_output -300
    numbers 'Q<' 9223372036854775807 0 | npy '<u8' '(2,)' >data.npy
    expect_fine reduce data.npy
    expect_output 9223372036854775807
    numbers 'Q>' 18446744073709551615 1 | npy '>u8' '(2,)' >data.npy
    expect_fine reduce --op max data.npy
    expect_output 1.8446744073709552e+19
    expect_fine reduce --op min data.npy
    expect_output 1
    numbers C 1 0 1 | npy '|b1' '(3,)' >data.npy
    expect_fine reduce data.npy
    expect_output 2
}

@test "arrays in Fortran order are read in their logical order" {
    # fortran: the header of standard input says Fortran order.
    fortran() { perl -0777 -pe "s/False, /True,  /"; }
    numbers 'd<' 1 4 2 5 3 6 | npy '<f8' '(2, 3)' | fortran >a.npy  # 1 2 3; 4 5 6
    numbers 'd<' 10 20 30 40 50 60 | npy '<f8' '(2, 3)' >b.npy
    expect_fine vecadd --json a.npy b.npy
    expect_output '{"tool":"vecadd","dtype":"f64","n":6,"result":[11,22,33,44,55,66]}'
    expect_fine vecadd a.npy a.npy -o twice.npy
    grep -a -q "'fortran_order': True" twice.npy
    expect_fine vecadd --json twice.npy b.npy
    expect_output '{"tool":"vecadd","dtype":"f64","n":6,"result":[12,24,36,48,60,72]}'
    expect_fine vecadd a.npy <(seq 6)
    expect_fine vecadd --json <(seq 6) a.npy
    expect_output '{"tool":"vecadd","dtype":"f64","n":6,"result":[2,4,6,8,10,12]}'
    numbers 'd<' 1 2 3 | npy '<f8' '(3, 1)' >column.npy
    expect_fine matmul --json a.npy column.npy
    expect_output '{"tool":"matmul","dtype":"f64","n":2,"result":[[14],[32]]}'
    numbers 'd<' 1 9 2 0 3 6 | npy '<f8' '(2, 3)' | fortran >extremes.npy  # 1 2 3; 9 0 6
    expect_fine reduce --op argmax,argmin,sum extremes.npy
    expect_output "3	4	21"
    # Three dimensions: element (i, j, k) is 100 i + 10 j + k.
    numbers 's<' 0 100 10 110 20 120 1 101 11 111 21 121 | npy '<i2' '(2, 3, 2)' | fortran >cube.npy
    expect_fine vecadd cube.npy <(yes 0 | head -n 12)
    numbers 'l<' 0 1 10 11 20 21 100 101 110 111 120 121 >rows
    expect_fine vecadd --json cube.npy <(yes 0 | head -n 12)
    expect_output '{"tool":"vecadd","dtype":"i64","n":12,"result":[0,1,10,11,20,21,100,101,110,111,120,121]}'
}

# ---- filters and options

@test "--json of a filter is one object, and a matrix has a line per row" {
    need jq
    pipeline 'seq 4 | reduce -d $device --json --op mean - | jq -c "[.tool, .op, .dtype, .n, .result]"'
    expect_output '["reduce","mean","i64",4,2.5]'
    pipeline 'echo 1 inf | reduce -d $device -f jsonl - | jq -c .result'
    expect_output '"inf"'
    pipeline 'echo 9223372036854775807 | reduce -d $device --json - | grep -c 9223372036854775807'
    expect_output 1
    pipeline 'vecadd -d $device --json <(echo 1 nan) <(echo 0.5 1) | jq -c .result'
    expect_output '[1.5,"nan"]'
    expect_fine matmul --shape 2x3x1 <(echo 1 2) <(echo 1 2 3)
    expect_output "1 2 3
2 4 6"
    pipeline 'matmul -d $device --json --shape 2x3x1 <(echo 1 2) <(echo 1 2 3) | jq -c .result'
    expect_output '[[1,2,3],[2,4,6]]'
}

@test "a filter that computes on the host says that --block has no effect" {
    on_simulator || skip "the GPU computes"
    local program
    seq 4 >file
    for program in 'reduce file' 'vecadd file file' 'conv1d file' 'matmul --shape 2x2x2 file file'; do
        # shellcheck disable=SC2086  # a program and its operands
        try $program -b 64
        expect_status 0
        expect_errors_like "^${program%% *}: the host computes, without blocks of threads: --block has no effect"
    done
    expect_fine reduce -k single-pass -b 64 file
    expect_output 10
}

@test "an option that a filter would ignore is refused, and so is --input-format without a file" {
    local option program
    seq 3 >file
    for option in --raw --ladder --no-header --no-verify --profile --counters --by-line --annotate --list "--versus cpu"         "--warmup 1" "--samples 1" "--max-ci 1" "--timeout 1" "--cache warm" "--seed 1" "--tol 0.1"; do
        # shellcheck disable=SC2086  # an option and its argument
        refuses 2 "^reduce: ${option%% *} is for benchmarks, and with 'file' reduce is a filter" reduce $option file
    done
    refuses 2 "--offset is for benchmarks" reduce file --offset 1
    refuses 2 "--offset is for benchmarks" vecadd file file --offset 1
    refuses 2 "--memory is for benchmarks" vecadd file file --memory all
    refuses 2 "--explain is for benchmarks" matmul --shape 1x1x3 file file --explain
    for option in csv tsv md human; do
        refuses 2 "reduce is a filter, which prints only its result, or --json: leave --format out" reduce -f $option file
    done
    refuses 2 "leave --csv out" reduce --csv file
    for program in reduce vecadd matmul; do
        refuses 2 "--input-format is for files: name one, or - for standard input" "$program" --input-format text -n 10
    done
    # Also on a GPU, which has no counters.
    capture reduce -d gpu --counters file
    expect_refusal reduce "--counters is for benchmarks"
    capture reduce -d gpu -n 10 --counters
    expect_refusal reduce "only the simulator checks and counts: leave --device gpu out"
    capture reduce -k cpu -n 10 --counters --profile
    expect_status 2
    expect_refusal reduce "--profile is for tools that watch a GPU"
}

@test "a benchmark without options says that it does not read the pipe or file it was given" {
    on_simulator || skip "a benchmark of the default size"
    export CUDA_VISIBLE_DEVICES=
    capture bash -c 'seq 10 | timeout 60 vecadd'
    expect_status 0
    expect_errors_like "this is a benchmark and does not read standard input; to read it, name it -, as in: vecadd - B"
    expect_output_like "^schema,"
    capture vecadd </dev/null
    [[ $errors != *"standard input"* ]] || complain "no word about /dev/null"
    capture bash -c 'seq 10 | vecadd -d sim -n 10 -k cpu'
    expect_no_errors
}

@test "the size of generated input is refused beside files" {
    seq 3 >file
    refuses 2 "--size is for generated input: 'file'" reduce -n 5 file
    refuses 2 "--size is for generated input: 'file'" vecadd file -n 5 file
}

@test "a byte changed anywhere in a .npy header gives a result or exit status 4, never a crash" {
    local place
    numbers 'f<' 1 2 | npy '<f4' '(2,)' >good.npy
    for place in $(seq 0 70); do
        perl -e 'local $/; my $bytes = <STDIN>; substr($bytes, $ARGV[0], 1) = chr(255 - ord substr($bytes, $ARGV[0], 1)); print $bytes' "$place" <good.npy >bad.npy
        try reduce bad.npy
        [ "$status" -eq 0 ] || [ "$status" -eq 4 ] || complain "byte $place"
    done
}

# ---- exit status 5: output

@test "a full device is noticed, by every program and every kind of output" {
    local program variant
    for program in $(programs); do
        capture bash -c "$program --help >/dev/full"
        expect_status 5
        capture bash -c "$program --version >/dev/full"
        expect_status 5
        capture bash -c "$program -d $device --list >/dev/full"
        expect_status 5
        expect_errors_like "^$program: cannot write to standard output: No space left on device"
        refuses 5 "cannot write to '/dev/full': No space left on device" "$program" --list -o /dev/full
    done
    for program in $(benchmarks); do
        variant=$(variants "$program" | head -1)
        capture bash -c "$program -d $device -k $variant -n 10 --csv >/dev/full"
        expect_status 5
        capture bash -c "$program -d $device -k $variant -n 10 -f human >/dev/full"
        expect_status 5
    done
    capture bash -c "seq 5 | reduce -d $device - >/dev/full"
    expect_status 5
    capture bash -c "vecadd -d $device <(seq 5) <(seq 5) >/dev/full"
    expect_status 5
}

@test "a closed standard output is noticed" {
    capture bash -c "reduce -d $device -k cpu -n 10 --csv >&-"
    expect_status 5
    capture bash -c "seq 5 | reduce -d $device - >&-"
    expect_status 5
}

@test "an output file that cannot be created is refused before any work is done" {
    refuses 5 "cannot write 'no/such/folder/out': No such file or directory" reduce -n 10 -o no/such/folder/out
    refuses 5 "cannot write '.': it is a directory" reduce -n 10 -o .
    seq 3 >three
    refuses 5 "cannot write 'no/out'" reduce three -o no/out
    [ "$(id -u)" -eq 0 ] && return  # root writes everywhere
    mkdir locked
    chmod 555 locked
    refuses 5 "cannot write 'locked/out': Permission denied" reduce -n 10 -o locked/out
}

@test "-o writes the same bytes as standard output, in a file with the user's permissions" {
    umask 027
    expect_fine reduce --list --csv -o list.csv
    expect_output ""
    reduce --list --csv | cmp - list.csv
    [ "$(stat -c %a list.csv)" = 640 ]
    [ "$(ls)" = "$(printf 'list.csv\nstderr\nstdout')" ]
    expect_fine reduce --list --csv -o "$PWD/list.csv"  # again, over the first
    expect_fine reduce -n 10 -k cpu -o /dev/null
}

@test "a failing run leaves an existing file as it was, and nothing beside it" {
    echo precious >out
    printf '1\nx\n' >bad
    refuses 4 "line 2" reduce bad -o out
    refuses 2 "unknown kernel" reduce -k nonsense -o out
    refuses 3 "--size" reduce -n 100T -o out
    refuses 4 "line 2" vecadd bad bad -o out
    [ "$(cat out)" = precious ]
    [ "$(echo out*)" = out ]
}

@test "an interrupted run leaves an existing file as it was, and nothing beside it" {
    local signal
    for signal in INT TERM; do
        echo precious >out
        # Without the interrupt, the sampling would take minutes.
        capture timeout --preserve-status -s $signal 0.5 env --default-signal=INT "$root/bin/reduce" -d "$device" -k cpu -n 1M -r 1000000 --max-ci 0 --timeout 60 -o out
        [ "$status" -gt 128 ] || complain "expected an end by signal"
        [ "$(cat out)" = precious ]
        [ "$(echo out*)" = out ]
    done
}

@test "a reader that exits ends the program silently, by SIGPIPE" {
    local program
    for program in $(programs); do
        exec {gone}> >(true)
        wait $! || true  # (the shell may have seen its end already)
        status=0
        env --default-signal=PIPE "$program" -d "$device" --list >&"$gone" 2>stderr || status=$?
        [ "$status" -eq 141 ]
        [ ! -s stderr ]
        # If the caller ignores SIGPIPE, the write fails instead.
        status=0
        env --ignore-signal=PIPE "$program" -d "$device" --list >&"$gone" 2>stderr || status=$?
        exec {gone}>&-
        [ "$status" -eq 5 ]
        grep -q "Broken pipe" stderr
    done
    pipeline 'reduce -d $device -n 10 --csv | head -1'
    [ "$status" -eq 0 ] || [ "$status" -eq 141 ] || complain "expected 0 or 141"
    expect_no_errors
    expect_output_like "^schema,"
}

@test "a result that is JSON and too large for memory is kept in TMPDIR, which must have room" {
    # 9 million f64, a result of 18 MB, are more than is kept in memory.
    head -c 72000000 /dev/zero >a
    mkdir room
    capture env TMPDIR=room vecadd -d "$device" --json --input-format raw:f64 a a
    expect_status 0
    expect_no_errors
    [ "$(tail -c 10 stdout)" = "0,0,0,0]}" ]
    [ "$(head -c 60 stdout)" = '{"tool":"vecadd","dtype":"f64","n":9000000,"result":[0,0,0,0' ]
    [ "$(wc -c <stdout)" -eq 18000055 ] || complain "another length"
    [ -z "$(ls room)" ]
    capture env TMPDIR=missing vecadd -d "$device" --json --input-format raw:f64 a a
    expect_status 3
    expect_refusal vecadd "temporary file: No such file or directory; set TMPDIR"
    # Any other result is written as it is produced.
    TMPDIR=missing capture vecadd -d "$device" --input-format raw:f64 a a
    expect_status 0
    cmp a stdout
}

# ---- streams: input of any size, in a few pieces of 1 MiB of memory

@test "parts of an input finish in order, numbers in text are rounded correctly, and files that change are refused" {
    unit_program units/streams
    holds ./streams
}

# The numbers from 0 on as i32, twice these, and as f32.
counted() {
    perl -e 'print pack "l<*", 0 .. 799999' >i32
    perl -e 'print pack "l<*", map { 2 * $_ } 0 .. 799999' >twice
    perl -e 'print pack "f<*", 0 .. 799999' >f32
}

@test "inputs of any number of pieces are read as a whole, from a file, from a pipe, from one core and from a slow writer" {
    local n
    counted
    # A piece is 262144 of these.
    for n in 1 262143 262144 262145 524288 800000; do
        head -c $((4 * n)) i32 >some
        for command in "reduce -d $device --input-format raw:i32 some" "reduce -d $device --input-format raw:i32 - <some" \
            "cat some | reduce -d $device --input-format raw:i32 -" "taskset -c 0 reduce -d $device --input-format raw:i32 some"; do
            capture bash -c "$command"
            expect_output $((n * (n - 1) / 2))
        done
        head -c $((4 * n)) twice >expected
        expect_fine vecadd --input-format raw:i32 some some -o sum
        cmp expected sum
        vecadd -q -d "$device" --input-format raw:i32 - some <some | cmp expected -
        head -c $((4 * n)) f32 >expected
        expect_fine conv1d --input-format raw:f32 --weights 0,1,0 expected -o same
        cmp expected same
        capture bash -o pipefail -c "cat expected | conv1d -d $device --input-format raw:f32 --border wrap --weights 0,0,1,0,0 - | cmp expected -"
        expect_status 0
    done
    capture bash -c "{ head -c 1000001 i32; sleep 0.1; tail -c +1000002 i32; } | reduce -d $device --input-format raw:i32 -"
    expect_output 319999600000
    # Byte by byte.
    head -c 4000 i32 >some
    capture bash -c "perl -e 'local \$/; for (split //, <STDIN>) { syswrite STDOUT, \$_ }' <some | reduce -d $device --input-format raw:i32 -"
    expect_output 499500
    capture bash -c "seq 500 | perl -e 'local \$/; for (split //, <STDIN>) { syswrite STDOUT, \$_ }' | reduce -d $device -"
    expect_output 125250
}

@test "inputs of several pieces go through a device as a whole, by a kernel given by name" {
    # A piece is 2^20 elements there, or 2^19; slots are reused.
    perl -e 'print pack("l<*", 0 .. 99) x 90000' >i32
    expect_fine reduce -k tagged --input-format raw:i32 i32
    expect_output 445500000
    capture bash -c "cat i32 | reduce -d $device -k single-pass --op max --input-format raw:i32 -"
    expect_output 99
    # The partial sums fit neither 32 bits nor 64.
    perl -e 'print pack("l<*", 2000000000, 147483647, -2147483648, 1) x 300000' >i32
    expect_fine reduce -k tagged --input-format raw:i32 i32
    expect_output 0
    perl -e 'print pack("q<*", 9223372036854775807, -9223372036854775807, 9007199254740993) x 400000, pack("q<*", -9007199254740993) x 400000' >i64
    expect_fine reduce -k tagged --input-format raw:i64 i64
    expect_output 0
    # Converted twice: 32 bits hold these numbers, but not their sum.
    perl -e 'print pack("q<*", 2000000, 147483) x 1100000' >i64
    expect_fine reduce -k tagged -t i32 --input-format raw:i64 i64
    expect_output 2362231300000
    { yes 1 | head -n 200000; yes 0.5 | head -n 200000; } >text
    expect_fine reduce -k tagged text
    expect_output 300000
    for kernel in tagged neighbored; do
        perl -e 'print pack("f<*", 1e38) x 4' >f32
        refuses 4 "outside the range of f32; use -t f64" reduce -k $kernel --input-format raw:f32 f32
        perl -e 'print pack("f<*", 9**9**9, 1) x 4' >f32
        expect_fine reduce -k $kernel --input-format raw:f32 f32
        expect_output inf
    done
    perl -e 'print pack("l<*", 0 .. 99) x 30000' >i32
    perl -e 'print pack("l<*", map { 2 * $_ } 0 .. 99) x 30000' >twice
    expect_fine vecadd -k vector4 --input-format raw:i32 i32 i32 -o sum
    cmp sum twice
    perl -e 'print pack("l<*", (0) x 2000000, 2147483647)' >large
    refuses 4 "element 2000001: 2147483647 \\+ 2147483647 does not fit into i32" vecadd -k vector4 --input-format raw:i32 large large -o sum
    perl -e 'print pack("f<*", 0 .. 99) x 30000' >f32
    expect_fine conv1d -k fastest --weights 0,0,1,0,0 --border wrap --input-format raw:f32 f32 -o same
    cmp f32 same
}

@test "text of many blocks is read as a whole: its numbers, its lines and its errors" {
    local lines
    # A block is 256 KiB, or 512 on a device: these are several, and lines continue from one to the next.
    seq 100000 | awk '{ print $1, -$1, $1 / 4 }' >three
    lines=$(transpose -q -d "$device" three | awk '{ print NF, $1, $NF }')
    [ "$lines" = "100000 1 100000
100000 -1 -100000
100000 0.25 25000" ] || complain "$lines"
    expect_fine reduce three
    expect_output 1250012500
    vecadd -q -d "$device" three three | tail -3 | paste -sd ' ' >last
    [ "$(cat last)" = "200000 -200000 50000" ]
    { cat three; echo '1 2'; } >four
    refuses 4 "its lines have different counts of numbers" transpose four
    { cat three; echo '1 2 ,, 3'; } >commas
    refuses 4 "line 100001: there is no number before a comma" reduce commas
    { cat three; printf '\n\n1 2 3x\n'; cat three; } >word
    refuses 4 "line 100003: '3x' is not a number" reduce word
    # A comma may be the last separator of a block, or the first.
    perl -e 'print "1", "," x 1 for 1 .. 400000; print " 5\n"' >ones
    expect_fine reduce ones
    expect_output 400005
    perl -e 'print "1 , " for 1 .. 300000; print "5"' >spaced
    expect_fine reduce spaced
    expect_output 300005
    perl -e 'print "1" x 300000, " 2\n"' >long
    refuses 4 "line 1: '1*...' is outside the range of f64" reduce long
}

@test "a file of text gives the result, the lines and the errors of a pipe, wherever its blocks of 256 or 512 KiB end" {
    local block=262144 size
    # (Fractions, whose sum shows how the text is cut.)
    perl -e 'srand 7; printf "%.9f%s", rand() - 0.5, ("\n", " ", ",", "\r\n")[rand 4] for 1 .. 130000' >whole
    for size in $((block - 1)) $block $((block + 1)) $((2 * block)) $((2 * block + 1)) $((4 * block)) $((4 * block + 7)); do
        head -c "$size" whole >cut
        expect_fine reduce cut
        local of_file=$output
        expect_fine reduce - < <(cat cut)
        [ "$output" = "$of_file" ] || complain "$size bytes: $output from a pipe, $of_file from a file"
        expect_fine reduce - <cut
        [ "$output" = "$of_file" ] || complain "$size bytes: $output from a redirected file, $of_file from a file"
    done
    # Words longer than blocks: one that may be, and those that may not, in the middle and at the end.
    { cat cut && printf '%0700000d' 5 && printf ' 1\n'; } >long
    expect_fine reduce long
    of_file=$output
    expect_fine reduce - < <(cat long)
    [ "$output" = "$of_file" ]
    { seq 5000 && printf '%01600000d 7\n' 5; } >longer
    refuses 4 "longer: line 5001: a word of more than 1048576 bytes" reduce longer
    { seq 5000 && printf '%01600000d' 5; } >last
    refuses 4 "last: line 5001: a word of more than 1048576 bytes" reduce last
    { seq 200000 && printf '%0900000d\nfoo' 5; } >word
    refuses 4 "word: line 200002: 'foo' is not a number" reduce word
}

@test "a file that claims to be larger than it is, as in /sys, is read to its end" {
    local file=/sys/kernel/mm/transparent_hugepage/hpage_pmd_size
    [ -r $file ] || skip "this system has no $file"
    expect_fine reduce $file
    [ "$output" = "$(cat $file)" ]
}

@test ".npy arrays of several pieces are read in every type and byte order" {
    local type template order modifier
    for type in i1:c u1:C i2:s u2:S i4:l u4:L i8:q u8:Q f4:f f8:d; do
        template=${type#*:}
        for order in '<' '>'; do
            case $template in c | C) modifier='' ;; *) modifier=$order ;; esac
            # A little more than two pieces; the numbers cycle from 0 to 99.
            perl -e 'my $hundred = pack "($ARGV[0])*", 0 .. 99; print $hundred x 11000' "$template$modifier" |
                npy "$order${type%:*}" '(1100000,)' >data.npy
            expect_fine reduce data.npy
            expect_output 54450000
        done
    done
    perl -e 'print pack("v*", map { $_ % 2 ? 0x3c00 : 0x4000 } 1 .. 600000)' | npy '<f2' '(600000,)' >data.npy
    expect_fine reduce data.npy
    expect_output 900000
    # These are f64 from the first piece with a number that i64 cannot hold.
    perl -e 'print pack("Q<*", (1) x 400000, 18446744073709551615)' | npy '<u8' '(400001,)' >data.npy
    expect_fine reduce data.npy
    expect_output 1.844674407370995e+19
}

@test "an input that ends inside an element is refused with the byte, however many pieces come before" {
    head -c 3000003 /dev/zero >torn
    refuses 4 "torn: ends at byte 3000003 inside an element of 4 bytes" reduce --input-format raw:f32 torn
    refuses 4 "standard input: ends at byte 3000003 inside an element of 4 bytes" reduce --input-format raw:f32 - < <(cat torn)
    refuses 4 "torn: ends at byte 3000003 inside" vecadd --input-format raw:f32 torn torn
    refuses 4 "ends at byte 3000003 inside" vecadd --input-format raw:f32 - torn -o sum < <(cat torn)
    [ ! -e sum ]
    refuses 4 "torn: ends at byte 3000003 inside" conv1d --input-format raw:f32 torn
    refuses 4 "torn: ends at byte 3000003 inside" transpose --input-format raw:f32 --shape 1x750000 torn
}

@test "endless input gives endless results, until their reader closes the pipe" {
    pipeline 'timeout 50 vecadd -d $device <(yes 1) <(yes 2) 2>/dev/null | head -n 300000 | tail -n 1'
    expect_output 3
    pipeline 'yes 1 | timeout 50 conv1d -d $device --weights 1,1,1 - | head -n 300000 | tail -n 1'
    expect_output 3
    expect_no_errors
    pipeline 'timeout 50 conv1d -d $device --input-format raw:f32 - </dev/zero | head -c 3000000 | wc -c'
    expect_output 3000000
    expect_no_errors
    head -c 4000000 /dev/zero >zeros
    refuses 5 "cannot write to '/dev/full': No space left" vecadd --input-format raw:f32 zeros zeros -o /dev/full
    capture bash -c "matmul -d $device --input-format raw:f32 --shape 1000x1000x1000 zeros zeros >/dev/full"
    expect_status 5
    capture bash -c "transpose -d $device --input-format raw:f32 --shape 1000x1000 zeros >/dev/full"
    expect_status 5
}

@test "a filter that is interrupted while it writes leaves nothing behind" {
    local filter
    echo precious >out
    vecadd -q -d "$device" <(yes 1) <(yes 1) -o out &
    filter=$!
    # It is running once its unfinished file has contents.
    timeout 50 bash -c 'until [ -s "$(echo .gridutils-*)" ]; do sleep 0.05; done'
    kill -TERM $filter
    wait $filter || status=$?
    [ "$status" -eq 143 ] || complain "expected an end by signal"
    [ "$(cat out)" = precious ]
    [ -z "$(find . -name '.gridutils-*')" ]
}

@test "inputs larger than the memory that a filter may use are streamed" {
    on_simulator || skip "CUDA itself takes more address space"
    [ -z "${SANITIZE-}" ] || skip "a sanitizer takes more address space"
    on_two_processors
    # (A hole in a file reads as zeros.)
    truncate -s 256M hole
    limited() { capture bash -o pipefail -c "ulimit -v 200000; $1" && expect_no_errors; }
    limited "reduce -d sim --input-format raw:f32 hole"
    expect_output 0
    limited "head -c 256M hole | reduce -d sim --input-format raw:f64 -"
    expect_output 0
    limited "vecadd -d sim --input-format raw:f32 hole hole | wc -c"
    expect_output 268435456
    limited "conv1d -d sim --input-format raw:f32 hole | wc -c"
    expect_output 268435456
    limited "conv1d -d sim --input-format raw:f32 --border wrap hole | wc -c"
    expect_output 268435456
    # B is four numbers; A and the product have many rows.
    numbers 'f<' 1 2 3 4 >small
    limited "matmul -d sim --input-format raw:f32 --shape 33554432x2x2 hole small | wc -c"
    expect_output 268435456
}

@test "a matrix in a file is transposed in panels, which become rows of the result" {
    # 16 equal rows of 129 MiB in all: a panel of 128 MiB, and another.
    perl -e '$row = pack("C*", 0 .. 249) x 33800; print $row for 1 .. 16' >rows
    expect_fine transpose --input-format raw:f64 --shape 16x1056250 rows -o columns
    cmp <(head -c 16000 columns) <(perl -e 'for $i (0 .. 124) { print pack("C*", map { (8 * $i + $_) % 250 } 0 .. 7) x 16 }')
    cmp <(tail -c 128 columns) <(perl -e 'print pack("C*", 242 .. 249) x 16')
    transpose -q -d "$device" --input-format raw:f64 --shape 1056250x16 columns | cmp - rows
    # From a pipe, and by the part of each row that is worth a read call.
    transpose -q -d "$device" --input-format raw:f64 --shape 16x1056250 - <rows | cmp - columns
}

@test "without a GPU, --verbose says what computes a filter, and a kernel given by name is simulated" {
    on_simulator || skip "there is a GPU"
    local program
    export CUDA_VISIBLE_DEVICES=
    seq 4 >four
    numbers 'd<' 1 2 3 4 | npy '<f8' '(2, 2)' >square.npy
    for program in "reduce four" "vecadd four four" "conv1d four" "transpose four" "matmul square.npy square.npy"; do
        # shellcheck disable=SC2086  # a program and its operands
        capture $program
        expect_status 0
        expect_no_errors
        # shellcheck disable=SC2086
        capture $program -v
        expect_errors_like "cores? with .* computes?, and no lane is simulated; -d sim -k NAME simulates a kernel"
        # shellcheck disable=SC2086
        capture $program -v --check
        [[ $errors != *"no lane is simulated"* && $errors == *"ERROR SUMMARY: 0 errors"* ]] || complain "$program --check"
    done
    capture reduce -v -d sim -k shared-tree four
    expect_output 10
    [[ $errors != *"no lane is simulated"* ]] || complain "a kernel is named"
}

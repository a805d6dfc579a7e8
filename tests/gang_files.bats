#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --gang over files, pipes and text: several devices give what one of them gives, byte for byte.
# shellcheck disable=SC2154  # helpers.bash sets $device, $output, $errors and $scratch

# Tests side by side on a GPU

# Several streams on a GPU

load helpers

# The sizes of gangs to try; on GPUs, those that the machine has.
gangs() {
    local size devices=5
    on_simulator || devices=$(devquery -d all --prop ordinal --value | wc -l)
    for size in 1 2 3 5; do
        if [ "$size" -le "$devices" ]; then echo $size; fi
    done
}

# on_gang SIZE COMMAND...: runs the command on that many devices.
on_gang() {
    local size=$1
    shift
    if on_simulator; then SIMCC_DEVICES=$size "$@"; else device=$(seq -s, 0 $((size - 1))) "$@"; fi
}

# joins PROGRAM [ARGUMENT]...: expects that a gang of two or five prints what one device prints. (Those of any size have
# tests of their own.)
joins() {
    local size
    expect_fine "$@" || return
    cp "$scratch/stdout" alone
    for size in $(gangs | grep -x -e 2 -e 5); do
        on_gang "$size" expect_fine "$@" --gang || return
        cmp alone "$scratch/stdout" || complain "a gang of $size differs from one device: $*" || return
    done
}

# Like `fractions`, but as text, and whole numbers: more pieces of 256 KiB than there are devices.
words() { perl -e 'srand 2; printf "%.6g\n", 1000 * rand() - 300 for 1 .. 250000' >words; }
integers() { perl -e 'srand 3; print int(rand(2000001)) - 900000, "\n" for 1 .. 250000' >integers; }

@test "reduce --gang finds what one device finds in a file of many pieces, for every operation and accuracy" {
    once fractions fractions
    joins reduce --input-format raw:f32 -k tagged fractions
    joins reduce --input-format raw:f32 -k single-pass --op mean fractions
    joins reduce --input-format raw:f32 -k statistics --op sum,min,max,mean,var,std,pvar,pstd,l2,absmax,argmin,argmax,nans fractions
    joins reduce --input-format raw:f32 -k accurate --accurate fractions
    joins reduce --input-format raw:f32 -k exact --exact --json fractions
    # Without a kernel the simulator's host computes, whatever the gang.
    joins reduce --input-format raw:f32 fractions
}

@test "reduce --gang finds what one device finds in text, for every type" {
    local dtype
    once words words
    once integers integers
    for dtype in f32 f64; do
        joins reduce -t $dtype -k tagged words
        joins reduce -t $dtype -k statistics --op var,argmin,max,sum words
        joins reduce -t $dtype -k exact --exact words
    done
    for dtype in i32 i64; do
        joins reduce -t $dtype -k tagged integers
        joins reduce -t $dtype -k grid-stride --op min integers
        joins reduce -t $dtype -k statistics --op mean,argmax,std integers
    done
    # Whole numbers first, fractions later; then numbers of 64 bits whose sum is 0.
    cat integers words >both
    joins reduce -k tagged both
    joins reduce --exact -k exact both
    yes -- 9223372036854775807 -9223372036854775807 | head -n 60000 >halves
    joins reduce -k tagged halves
    [ "$(cat alone)" = 0 ]
}

@test "for large squares and sums that overflow on their way, a device repeats the work on its own piece" {
    perl -e 'print pack "d<*", (1e153, -2e153, 3) x 1000000, 5' >squares
    perl -e 'print pack("d<*", 1e308) x 1100000, pack("d<*", -1e308) x 1100000, pack("d<*", 7)' >sums
    joins reduce --input-format raw:f64 -k statistics --op var,l2,argmin squares
    joins reduce --input-format raw:f64 -k accurate --accurate sums
    [ "$(cat alone)" = 7 ]
    on_gang "$(gangs | tail -n 1)" refuses 4 "outside the range of f64" reduce --gang --input-format raw:f64 -k tagged sums
}

@test "reduce --gang --axis finds what one device finds, for rows and for columns" {
    local axis size
    once fractions fractions
    # Pieces of 2^18 numbers.
    head -c 4800000 fractions | npy '<f4' '(400, 3000)' >wide.npy
    head -c 4800000 fractions | npy '<f4' '(600000, 2)' >long.npy
    for axis in 0 1; do
        joins reduce --axis $axis --op std wide.npy
        joins reduce --axis $axis --op argmax long.npy
    done
    # (No kernel can be named; the simulator runs one when it checks.)
    on_simulator || return 0
    head -c 1080000 fractions | npy '<f4' '(90, 3000)' >two.npy
    for axis in 0 1; do
        for size in 1 2; do
            on_gang $size try reduce --axis $axis --op std two.npy --gang --check
            expect_errors_like "ERROR SUMMARY: 0 errors"
            mv "$scratch/stdout" "checked.$size"
        done
        cmp checked.1 checked.2
    done
}

@test "vecadd --gang writes the sums in order, to a file and to a pipe, of files, pipes and text" {
    local size
    once fractions fractions
    once integers integers
    head -c 12000004 fractions >some && mv some fractions
    joins vecadd --input-format raw:f32 -k vector4 fractions fractions
    joins vecadd --input-format raw:f32 -t f64 -k streaming fractions fractions
    joins vecadd -k grid-stride integers integers
    joins vecadd -k vector4 --json integers integers
    joins vecadd --input-format raw:f32 fractions fractions
    vecadd -q -d "$device" --input-format raw:f32 -k vector4 fractions fractions >alone
    for size in $(gangs); do
        on_gang "$size" expect_fine vecadd --gang --input-format raw:f32 -k vector4 fractions fractions -o sum
        cmp alone sum || complain "a gang of $size differs in a file"
        # shellcheck disable=SC2016  # the inner shell expands it
        on_gang "$size" pipeline 'cat fractions | vecadd -q -d $device --gang --input-format raw:f32 -k vector4 - fractions | cmp alone -'
        expect_status 0
    done
}

@test "conv1d --gang writes what one device writes, with every border, of files, pipes and text" {
    local border size
    once fractions fractions
    once words words
    head -c 12000004 fractions >some && mv some fractions
    for border in zero clamp wrap valid; do
        joins conv1d --input-format raw:f32 -k fastest --border $border --weights 1,-2,3,0.5 fractions
        joins conv1d -k shared --border $border --weights 1,2,3,4,5,6,7 words
    done
    joins conv1d --input-format raw:f32 -t f64 -k register-tile --weights 1,2,1 fractions
    joins conv1d -t f32 -k global --json --weights 1,2,1 words
    head -c 6000000 fractions | npy '<f4' '(1500000,)' >signal.npy
    joins conv1d -k constant --border valid --weights 1,2 signal.npy
    # Without a kernel the simulator's host computes, whatever the gang.
    joins conv1d signal.npy
    expect_fine conv1d --input-format raw:f32 -k fastest --border wrap --weights 1,-2,3,0.5 fractions
    cp "$scratch/stdout" alone
    for size in $(gangs); do
        on_gang "$size" expect_fine conv1d --gang --input-format raw:f32 -k fastest --border wrap --weights 1,-2,3,0.5 fractions -o result
        cmp alone result || complain "a gang of $size differs in a file"
        # shellcheck disable=SC2016  # the inner shell expands it
        on_gang "$size" pipeline 'cat fractions | conv1d -q -d $device --gang --input-format raw:f32 -k fastest --border wrap --weights 1,-2,3,0.5 - | cmp alone -'
        expect_status 0
    done
}

@test "every variant of conv1d works on the pieces of several devices" {
    local kernel
    once words words
    seq 400 | awk '{ print $1 % 7 - 3 }' >weights
    for kernel in $(conv1d --list --csv --no-header | awk -F , '$2 == "any" && $1 != "copy" { print $1 }'); do
        joins conv1d -k "$kernel" -t f32 --weights 1,2,1 words
        joins conv1d -k "$kernel" --weights weights words
    done
}

@test "conv1d --gang takes elements from several earlier pieces if the filter is wider than a piece" {
    local border
    # 256 KiB of text hold 2500 of these.
    awk 'BEGIN { for (i = 1; i <= 30000; ++i) printf "%.100f\n", i % 17 - i / 30000 }' >long
    seq 4095 | awk '{ print $1 % 5 - 2 }' >weights
    for border in zero clamp wrap valid; do joins conv1d -k fastest --weights weights --border $border long; done
    # The same as for this signal in other pieces.
    for border in zero clamp wrap valid; do
        conv1d -q -d sim -t f64 long --weights weights --border $border >pieces
        awk '{ printf "%.17g\n", $1 }' long | conv1d -q -d sim --input-format text --weights weights --border $border - >whole
        cmp pieces whole || complain "$border"
        # Kernels add in the host's order.
        expect_fine conv1d -k global long --weights weights --border $border
        on_simulator || continue
        cmp pieces "$scratch/stdout" || complain "$border: a kernel differs from the host"
    done
    seq 3 >few
    joins conv1d -k shared --weights weights few
    joins conv1d -k shared --weights weights --border valid few
}

@test "transpose --gang writes what one device writes, of elements of any size, files, pipes and text" {
    local size kernel
    once fractions fractions
    # Each of several devices reads 2 KiB or more of each row.
    head -c 4800000 fractions | npy '<f4' '(400, 3000)' >wide.npy
    for kernel in naive-read padded fastest; do joins transpose -k $kernel wide.npy; done
    joins transpose wide.npy
    head -c 4800000 fractions >raw
    joins transpose -k fastest --input-format raw:f64 --shape 600x1000 raw
    head -c 4800000 fractions | npy '<c16' '(100, 3000)' >complex.npy
    joins transpose -k fastest complex.npy
    sed "s/False, 'shape': (100, 3000)/True, 'shape': (3000, 100) /" complex.npy >fortran.npy
    joins transpose -k fastest --order fortran fortran.npy
    head -c 2400000 fractions | npy '|u1' '(300, 8000)' >bytes.npy
    joins transpose -k vectorized bytes.npy
    # Elements that the host moves, and a file whose bytes need not move.
    head -c 4800000 fractions | npy '|S3' '(400, 4000)' >strings.npy
    joins transpose strings.npy
    joins transpose --order fortran wide.npy
    perl -e 'srand 4; for (1 .. 40) { print join(" ", map { int rand 1000 } 1 .. 57), "\n" }' >matrix
    joins transpose -k tile matrix
    joins transpose -k tile --json matrix
    expect_fine transpose -k fastest wide.npy
    cp "$scratch/stdout" alone
    for size in $(gangs); do
        on_gang "$size" expect_fine transpose --gang -k fastest wide.npy -o result
        cmp alone result || complain "a gang of $size differs in a file"
        # shellcheck disable=SC2016  # the inner shell expands it
        on_gang "$size" pipeline 'cat wide.npy | transpose -q -d $device --gang -k fastest - | cmp alone -'
        expect_status 0
    done
}

@test "transpose --gang distributes more panels than there are devices, of a matrix larger than all of them" {
    local size
    once fractions fractions
    # Panels of 64 MiB in the simulator.
    for _ in {1..8}; do cat fractions; done | head -c 158760000 | npy '<c16' '(3150, 3150)' >large.npy
    transpose -q -d "$device" -k fastest large.npy -o alone
    for size in $(gangs); do
        on_gang "$size" expect_fine transpose --gang -k fastest large.npy -o result || return
        cmp alone result || complain "a gang of $size"
    done
    transpose -q -d "$device" result -o back
    cmp large.npy back
}

# matrix NAME TYPE SHAPE BYTES SKIP: NAME.npy, with numbers of `fractions` after its first SKIP bytes.
matrix() { tail -c +$(($5 + 1)) fractions | head -c "$4" | npy "$2" "$3" >"$1.npy"; }

@test "matmul --gang writes what one device writes, by rows of A, for every variant" {
    local kernel rows
    once fractions fractions
    matrix a '<f4' '(300, 40)' 48000 0
    matrix b '<f4' '(40, 37)' 5920 48000
    for kernel in $(matmul --list --csv --no-header | awk -F , '$2 == "any" { print $1 }'); do
        case $kernel in
            # These add in another order for other numbers of rows, or are for batches or other types only.
            thin | fastest | batched | wmma) ;;
            *) joins matmul -k "$kernel" a.npy b.npy ;;
        esac
    done
    joins matmul a.npy b.npy
    # From fewer rows than devices to slightly more than 32 for each, with long sums.
    matrix b '<f4' '(400, 20)' 32000 0
    for rows in 1 2 31 33 97 161; do
        matrix a '<f4' "($rows, 400)" $((rows * 1600)) 32000
        joins matmul -k tiled-16 a.npy b.npy
        joins matmul -k async a.npy b.npy
    done
}

@test "matmul --gang takes the same operands as one device: by columns, transposed, batches, raw data, text and pipes" {
    local size form operands
    once fractions fractions
    matrix a '<f4' '(150, 40)' 24000 0
    matrix b '<f4' '(40, 40)' 6400 24000
    sed "1s/False, 'shape': (150, 40), }/True, 'shape': (40, 150), } /" a.npy >at.npy
    sed "1s/False, /True,  /" b.npy >bf.npy
    joins matmul -k tiled-16 a.npy bf.npy
    joins matmul -k tiled-16 --transpose a at.npy b.npy
    joins matmul -k register-2d --transpose a,b at.npy bf.npy
    sed "1s/True, 'shape': (40, 150)/True, 'shape': (150, 40)/" at.npy >af.npy
    joins matmul -k async af.npy b.npy
    joins matmul --json -k naive a.npy b.npy
    joins matmul -t f64 -k naive a.npy b.npy
    matrix half '<f2' '(150, 40)' 12000 0
    matrix half.b '<f2' '(40, 30)' 2400 1200
    joins matmul -t f32 -k tiled-32 half.npy half.b.npy
    matrix batch '<f4' '(12, 25, 40)' 48000 0
    matrix batch.b '<f4' '(12, 40, 40)' 76800 48000
    matrix batch.t '<f4' '(12, 25, 40)' 48000 9000
    matrix b25 '<f4' '(25, 30)' 3000 9000
    for form in "batch.npy batch.b.npy" "batch.npy b.npy" "--transpose b batch.npy batch.b.npy" "--transpose a batch.t.npy b25.npy"; do
        # shellcheck disable=SC2086  # words of a command
        joins matmul -k tiled-16 $form
    done
    joins matmul -k batched batch.npy batch.b.npy
    tail -c 48000 batch.npy >raw
    head -c 30000 raw >raw.b
    joins matmul -k tiled-16 --input-format raw:f32 --transpose a --batch 12 --shape 40x25x25 raw raw.b
    head -c 6000 raw >raw.a
    head -c 1200 raw >raw.b
    joins matmul -k tiled-32 --input-format raw:e4m3 --scale-a 2 --shape 150x30x40 raw.a raw.b
    seq 8000 | awk '{ print ($1 * 7919) % 1000 / 8 }' >text
    head -n 1600 text >text.b
    joins matmul -k tiled-32 --shape 200x40x40 text text.b
    expect_fine matmul -k tiled-16 a.npy b.npy
    cp "$scratch/stdout" alone
    for size in $(gangs); do
        on_gang "$size" expect_fine matmul --gang -k tiled-16 a.npy b.npy -o result
        cmp alone result || complain "a gang of $size differs in a file"
        # shellcheck disable=SC2016  # the inner shell expands it
        for operands in '- b.npy <a.npy' '- b.npy < <(cat a.npy)' 'a.npy - < <(cat b.npy)'; do
            on_gang "$size" pipeline "matmul -q -d $device --gang -k tiled-16 $operands | cmp alone -"
            expect_status 0
        done
    done
}

@test "while a device of matmul --gang writes rows, it reads and multiplies the next ones" {
    on_simulator || skip "the sizes are those of the simulator's devices"
    # With 1 x 42 and 42 x 1, 64 MiB are 381300 rows of A, and a third of them, in multiples of 256, 126976.
    local rows=127000 parts=8 part=$((127000 * 42 * 4)) got
    perl -e 'print pack "f<*", map { $_ % 7 } 1 .. 42' >b
    perl -e 'print pack "f<*", map { $_ % 11 - 5 } 1 .. 42000' >some
    for ((got = 0; got < rows / 1000; ++got)); do cat some; done >rows
    mkfifo input result
    SIMCC_DEVICES=2 matmul -q -d sim --gang -k naive --input-format raw:f32 --shape $((rows * parts))x1x42 - b <input >result 3>&- &
    local matmul=$!
    exec 6>input 7<result
    # The results of one part come out before three parts have come in, ...
    cat rows rows >&6
    timeout 100 head -c 400000 <&7 >first
    [ "$(stat -c %s first)" -eq 400000 ]
    # ... and while nobody reads the rest, three more parts go in than there are devices.
    timeout 100 cat rows rows rows >&6
    { cat rows rows rows >&6; exec 6>&-; } &
    exec 6>&-
    cat <&7 >rest
    wait "$matmul"
    for ((got = 0; got < parts; ++got)); do cat rows; done >all
    matmul -q -d sim --input-format raw:f32 -k naive --shape $((rows * parts))x1x42 all b >alone
    cat first rest | cmp - alone
}

@test "pipes and standard input are distributed over the devices like files" {
    local size
    once fractions fractions
    once words words
    reduce -q -d "$device" --input-format raw:f32 -k tagged fractions >alone
    reduce -q -d "$device" -k tagged words >alone.words
    for size in $(gangs); do
        # shellcheck disable=SC2016  # the inner shell expands them
        for command in 'cat fractions | reduce -q -d $device --gang --input-format raw:f32 -k tagged -' \
            'reduce -q -d $device --gang --input-format raw:f32 -k tagged /dev/stdin <fractions' \
            'reduce -q -d $device --gang --input-format raw:f32 -k tagged - <fractions'; do
            on_gang "$size" pipeline "$command"
            [ "$output" = "$(cat alone)" ] || complain "a gang of $size: $command"
        done
        # shellcheck disable=SC2016  # the inner shell expands it
        on_gang "$size" pipeline '{ head -c 1000001 words; sleep 0.05; tail -c +1000002 words; } | reduce -q -d $device --gang -k tagged -'
        [ "$output" = "$(cat alone.words)" ] || complain "a gang of $size reads text in two parts"
    done
}

@test "arrays of any type, byte order and element order, with a header of any length, are distributed unchanged" {
    local header='{"descr": "<f4", "fortran_order": False, "shape": (1500000,)  }'
    once fractions fractions
    header=${header//\"/\'}
    { printf '\x93NUMPY\1\0%b\0%s' "\\x$(printf %x ${#header})" "$header"; head -c 6000000 fractions; } >odd.npy
    [ $(((10 + ${#header}) % 4)) -ne 0 ] || complain "the elements are aligned by chance"
    joins reduce -k tagged odd.npy
    joins vecadd -k vector4 odd.npy odd.npy
    perl -e 'print pack "d>*", map { $_ / 7 } 1 .. 1500000' | npy '>f8' '(1500000,)' >big.npy
    joins reduce -k accurate --accurate big.npy
    perl -e 'print pack "s<*", map { $_ % 1000 } 1 .. 2200000' | npy '<i2' '(2200000,)' >short.npy
    joins reduce -k tagged short.npy
    perl -e 'print pack "Q<*", (1) x 1100000, 18446744073709551615' | npy '<u8' '(1100001,)' >late.npy
    joins reduce -k tagged late.npy
    sed "s/False, 'shape': (1500000,) /True, 'shape': (500, 3000) /" odd.npy >fortran.npy
    joins reduce -k tagged fortran.npy
    joins reduce -k statistics --op argmin,argmax fortran.npy
    joins vecadd -k vector4 fortran.npy fortran.npy
}

@test "inputs with fewer elements than devices, or none, give what one device gives" {
    local size border shape
    for size in 1 2 4; do
        seq $size >few
        joins reduce -k tagged few
        joins reduce -k statistics --op mean,argmax,pvar few
        joins vecadd -k vector4 few few
        joins conv1d -k shared --border wrap --weights 1,2,3,4,5 few
    done
    npy '<f4' '(0,)' </dev/null >none.npy
    joins reduce -k tagged none.npy
    joins vecadd -k vector4 none.npy none.npy
    for border in zero clamp wrap valid; do joins conv1d -k shared --border $border none.npy; done
    for shape in '(0, 3)' '(3, 0)'; do
        npy '<f4' "$shape" </dev/null >none.npy
        joins transpose -k tile none.npy
    done
    seq 2 | paste - - >wide
    seq 3 >long
    joins transpose -k tile wide
    joins transpose -k tile long
    npy '<f4' '(3, 0)' </dev/null >a.npy
    npy '<f4' '(0, 2)' </dev/null >b.npy
    joins matmul -k naive a.npy b.npy
    numbers 'f<' 1 2 | npy '<f4' '(2, 1)' >two.npy
    joins matmul -k naive b.npy two.npy
    : >empty
    on_gang "$(gangs | tail -n 1)" refuses 4 "empty: no numbers in the input" reduce --gang empty
}

@test "faulty inputs give the messages of one device, and nothing is written" {
    local size
    once fractions fractions
    once words words
    { cat fractions && printf 123; } >torn
    { cat words && echo five && cat words; } >word
    { cat words && echo 1e10; } >over
    head -c 4800 fractions >b
    head -c 360000 fractions >square
    cp fractions copy
    for size in $(gangs); do
        on_gang "$size" refuses 4 "torn: ends at byte 22024103 inside an element of 4 bytes" reduce --gang --input-format raw:f32 -k tagged torn
        on_gang "$size" refuses 4 "standard input: ends at byte 22024103 inside" reduce --gang --input-format raw:f32 -k tagged - < <(cat torn)
        on_gang "$size" refuses 4 "ends at byte 22024103 inside" vecadd --gang --input-format raw:f32 -k vector4 - torn -o sum < <(cat torn)
        on_gang "$size" refuses 4 "word: line 250001: 'five' is not a number" reduce --gang -k tagged word
        on_gang "$size" refuses 4 "- ends after 3000001 elements, fractions goes on" vecadd --gang --input-format raw:f32 -k vector4 - fractions -o sum < <(head -c 12000004 fractions)
        [ ! -e sum ]
        on_gang "$size" refuses 4 "standard input: ends at byte 22024103 inside" conv1d --gang --input-format raw:f32 -k shared - -o sum < <(cat torn)
        on_gang "$size" refuses 4 "- has 11999 elements, 300 x 40 are 12000" matmul --gang --input-format raw:f32 --shape 300x30x40 -k naive - b -o sum < <(head -c 47996 fractions)
        on_gang "$size" refuses 4 "- has more than 12000 elements, 300 x 40 are 12000" matmul --gang --input-format raw:f32 --shape 300x30x40 -k naive - b -o sum < <(head -c 48004 fractions)
        on_gang "$size" refuses 77 "thin: [0-9]+x300x300 has more than" matmul --gang -k thin --input-format raw:f32 --shape 300x300x300 square square -o sum
        on_gang "$size" refuses 4 "word: line 250001: 'five' is not a number" conv1d --gang -k shared word -o sum
        on_gang "$size" refuses 4 "element 250000 of the result does not fit into f64" conv1d --gang -k shared --weights 1e300,1,0 over -o sum
        [ ! -e sum ]
        on_gang "$size" refuses 2 "'copy' and 'copy' are the same file" vecadd --gang --input-format raw:f32 fractions copy -o copy
    done
    cmp fractions copy
    perl -e 'print pack "l<*", (1) x 3000000, 2147483647' >large
    on_gang "$size" refuses 4 "element 3000001: 2147483647 \\+ 2147483647 does not fit into i32" vecadd --gang --input-format raw:i32 -k vector4 large large -o sum
}

@test "files that grow or shrink while several devices read them are refused" {
    local size
    once fractions fractions
    size=$(gangs | tail -n 1)
    mkfifo pipe
    for change in 'printf 1234 >>changing' 'truncate -s 1000000 changing'; do
        cp --remove-destination fractions changing
        # (The pipe can be opened once vecadd has seen the size of the first file and opens the second.)
        bash -c "exec 3>pipe; $change; cat fractions >&3" 2>/dev/null &
        on_gang "$size" refuses 4 "changing: .*(was changed while it was read: it had 22024100 bytes and has|ends at byte)" vecadd --gang --input-format raw:f32 -k vector4 changing pipe -o sum
        wait $! || true
        [ ! -e sum ]
    done
}

@test "the checkers find nothing when several devices share an input" {
    on_simulator || skip "the checkers are the simulator's"
    once integers integers
    once fractions fractions
    head -c 400000 fractions >some
    head -c 24000 fractions >a
    head -c 16000 fractions >b
    export SIMCC_DEVICES=3
    for command in "reduce -k tagged integers" "reduce -k statistics --op sum,var integers" "reduce -k exact --exact integers" \
        "vecadd --input-format raw:f32 -k vector4 fractions fractions -o sum" "conv1d -k fastest --weights 1,2,1 integers -o sum" \
        "transpose -k fastest --shape 250x1000 integers -o sum" "transpose -k tile --input-format raw:f64 --shape 25x2000 some -o sum" \
        "matmul -k async --input-format raw:f32 --shape 150x100x40 a b -o sum" "matmul -k fastest --batch 10 --input-format raw:f32 --shape 15x10x40 a b -o sum"; do
        # shellcheck disable=SC2086  # words of a command
        try $command --gang --check
        expect_status 0
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "--gang says over how many devices an input is distributed, and -d with several devices names it" {
    seq 10 >ten
    local size
    size=$(gangs | tail -n 1)
    on_gang "$size" try reduce -v --gang -k tagged ten
    expect_output 55
    if [ "$size" -gt 1 ]; then expect_errors_like "the pieces of the input are dealt to $size devices"; fi
    refuses 2 "--weak is for benchmarks, and with 'ten' reduce is a filter" reduce --gang --weak ten
    on_simulator && return
    if [ "$size" -gt 1 ]; then refuses 2 "--gang deals its input to all of them" reduce -d 0,1 ten; fi
}

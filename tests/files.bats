#!/usr/bin/env bats
# Files in and out: how malformed input is refused, and what happens to output that cannot be written.

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
    numbers 'f>' 1 2 | npy '>f4' '(2,)' >order.npy
    refuses 4 "element type '>f4' cannot be read" reduce order.npy
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

@test "the keys of a .npy header may come in any order" {
    local header="{'descr': '<f4', 'shape': (2,), 'fortran_order': False}"
    { printf '\x93NUMPY\1\0%b\0%s' "\\x$(printf %x ${#header})" "$header"; numbers 'f<' 1 2; } >file.npy
    expect_fine reduce file.npy
    expect_output 3
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
        # The sampling would take minutes.
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
        wait $!
        status=0
        env --default-signal=PIPE "$program" -d "$device" --list >&"$gone" 2>stderr || status=$?
        [ "$status" -eq 141 ]
        [ ! -s stderr ]
        # Where the caller ignores SIGPIPE the write fails instead.
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

@test "a result too large for memory is kept in TMPDIR, which must have room" {
    # 9 million f64, a result of 72 MB: more than is kept in memory.
    head -c 72000000 /dev/zero >a
    mkdir room
    capture env TMPDIR=room vecadd -d "$device" --input-format raw:f64 a a
    expect_status 0 && expect_no_errors
    cmp a stdout
    [ -z "$(ls room)" ]
    capture env TMPDIR=missing vecadd -d "$device" --input-format raw:f64 a a
    expect_status 3
    expect_refusal vecadd "temporary file: No such file or directory; set TMPDIR"
}

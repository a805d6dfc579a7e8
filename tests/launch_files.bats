#!/usr/bin/env bats
# A file that several processes reduce together: each its pieces, and all find what one process finds.
# shellcheck disable=SC2154,SC2034  # helpers.bash sets $device and $output; launch.bash reads $change

load helpers
load launch

# shares FILE-OPTIONS...: reduce prints what one process prints, whatever their number.
shares() {
    local ranks
    expect_fine reduce "$@" || return
    cp "$scratch/stdout" alone
    for ranks in 2 3 5; do
        launch openmpi "$ranks" reduce --gang "$@"
        expect_all 0 || return
        [ -z "$errors" ] || complain "expected nothing on standard error: $*" || return
        cmp alone out.0 || complain "$ranks processes differ from one: $*" || return
    done
}

# Numbers whose sums are rounded: 21 pieces of the host's and some numbers.
fractions() {
    perl -e 'srand 1; print pack "f<*", map { rand() - 0.3 } 1 .. 1 << 18' >quarter
    for _ in {1..21}; do cat quarter; done >all
    head -c 4004 quarter >>all
    mv all fractions
}

@test "several processes find in a file what one finds, byte for byte" {
    need_devices
    local op
    once fractions fractions
    for op in sum min max mean; do shares --input-format raw:f32 --op $op fractions; done
    shares --input-format raw:f32 -t f64 --json fractions
    # Whole numbers, of which some sums do not fit 64 bits.
    perl -e 'print pack "q<*", (9223372036854775807) x 300000, (-9223372036854775807) x 300000, 77' >large
    shares --input-format raw:i64 large
    shares --input-format raw:i64 --op mean large
    npy '<i8' '(600001,)' <large >large.npy
    shares large.npy
    # From the second piece on some do not fit i64.
    perl -e 'print pack "Q<*", (1) x 200000, (18446744073709551615, 3) x 200000' | npy '<u8' '(600000,)' >unsigned.npy
    shares unsigned.npy
    shares --op max unsigned.npy
    # More processes than pieces, an element, and none.
    numbers 'f<' 1.5 2.5 -7 | npy '<f4' '(3,)' >few.npy
    shares few.npy
    numbers 'd<' 7 | npy '<f8' '(1,)' >one.npy
    shares --op min one.npy
    npy '<f4' '(0,)' </dev/null >none.npy
    shares none.npy
    shares --op sum --json none.npy
}

@test "on devices, too, several processes find what one finds" {
    need_devices
    once fractions fractions
    export SIMCC_DEVICES=2
    launch openmpi 2 reduce --gang -k tagged --input-format raw:f32 fractions
    expect_all 0
    try reduce -k tagged --input-format raw:f32 fractions
    cmp stdout out.0 || complain "they differ"
    head -c 4004 fractions >few
    launch openmpi 2 reduce --gang --check -k tagged --input-format raw:f32 few
    [ "$statuses" = 0 ]
    [ "$(grep -c "ERROR SUMMARY: 0 errors" <<<"$errors")" -eq 2 ]
}

@test "what one process refuses of a file several refuse, with one message" {
    need_devices
    numbers 'd<' 1e308 1e308 1 | npy '<f8' '(3,)' >far.npy
    numbers 'd<' 1 2 3 | npy '<f8' '(4,)' >torn.npy
    npy '<f8' '(0,)' </dev/null >none.npy
    ends 4 "a sum of these finite numbers is outside the range of f64" openmpi 3 reduce --gang far.npy
    ends 4 "torn.npy: the header promises 4 elements" openmpi 3 reduce --gang torn.npy
    ends 4 "none.npy" openmpi 3 reduce --gang --op max none.npy
    ends 4 "no-such-file" openmpi 3 reduce --gang no-such-file
}

@test "what processes cannot share is refused, with what to do" {
    need_devices
    seq 9 >words
    numbers 'f<' 1 2 3 | npy '<f4' '(3,)' >three.npy
    ends 2 "words is read from its beginning on, .*; convert it, or start one process" openmpi 2 reduce --gang words
    ends 2 "standard input is read from its beginning on" openmpi 2 reduce --gang -
    mkfifo pipe
    ends 2 "pipe is read from its beginning on" openmpi 2 reduce --gang pipe
    ends 2 "several processes join results of one element each: sum, min, max or mean" \
        openmpi 2 reduce --gang --op var three.npy
    ends 2 "several processes join .*neither --accurate nor --exact" openmpi 2 reduce --gang --exact three.npy
    ends 2 "several processes find one result: give one --op" openmpi 2 reduce --gang --op sum,max three.npy
    ends 2 "several processes find one result: .*no --axis" openmpi 2 reduce --gang --axis 0 three.npy
    ends 2 "statistics finds more: choose another -k" openmpi 2 reduce --gang -k statistics three.npy
    ends 2 "one process writes the sums of files, .*: leave the launcher out" openmpi 2 vecadd --gang three.npy three.npy
    # Another file of the same name.
    mkdir other
    numbers 'f<' 1 2 3 4 | npy '<f4' '(4,)' >other/three.npy
    change=([1]="env -C $scratch/other")
    ends 4 "three.npy is not the same file everywhere: rank 1 sees 4 numbers, f32 \(4,\), rank 0 3 numbers" \
        openmpi 2 reduce --gang three.npy
    change=()
    NCCL_COMM_ID=127.0.0.1:$$ launch machines 2 reduce --gang three.npy
    [ "$statuses" = 2 ]
    expect_errors_like "processes that share a file need a folder, too, .*GRIDUTILS_RENDEZVOUS"
    mkdir shared
    GRIDUTILS_RENDEZVOUS=$scratch/shared launch machines 2 reduce --gang three.npy
    expect_all 0
    [ "$(cat out.0)" = 6 ]
}

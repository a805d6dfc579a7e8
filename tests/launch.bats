#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One gang in several processes, as mpirun, srun and torchrun start them: the launchers' variables, what the processes
# do together, and how the end of one ends all.
# shellcheck disable=SC2154,SC2034  # helpers.bash sets $device and $output; launch.bash reads $change

load helpers
load launch

@test "a gang of two, three and five processes works with every launcher, and only the first process prints" {
    need_devices
    local launcher ranks
    for launcher in openmpi torchrun mpich srun; do
        right "$launcher" 2 reduce --gang --csv -n 5000 -k tagged -w 0 -r 2
        [ "$(column gang | paste -sd ' ')" = "1 2" ] || complain "$launcher"
    done
    for ranks in 3 5; do
        right openmpi "$ranks" vecadd --gang --csv -n 0,1,2,7,10007 -k vector4,streaming -w 0 -r 2
        [ "$(column gang | sort -un | paste -sd ' ')" = "1 $ranks" ] || complain "$ranks processes"
        [ "$(column n | sort -u | wc -l)" -eq 5 ]
    done
}

@test "programs whose devices exchange their shares also work in several processes, and predict from there" {
    need_devices
    export SIMCC_DEVICES=4
    right openmpi 2 transpose --gang --csv -n 65x33 -k padded,fastest --pieces 2 -w 0 -r 1
    SIMCC_DEVICES=3 right torchrun 3 conv1d --gang --csv -n 2,1000 --width 9 --border wrap -k fastest -w 0 -r 1
    right openmpi 4 matmul --gang --csv -n 65x33x17 -k tiled-16 -w 0 -r 1
    right openmpi 2 matmul --gang --csv --split tiles --panel 16 -n 65x130x17 -k tiled-16 -w 0 -r 1
    [ "$(column gang | paste -sd ' ')" = "1 4" ]
    launch openmpi 2 matmul --gang --csv -n 64 -k tiled-16 --predict 8 -w 0 -r 1
    expect_all 0
    [ "$(columns gang verify | paste -sd ' ')" = "1 pass 2 pass 4 pass 4 predicted 8 predicted" ]
    ends 2 "show the devices of one process" openmpi 2 matmul --gang --split tiles --timeline -n 64
}

@test "each process drives its part of the machine's devices, and all of them are ranks" {
    need_devices
    export SIMCC_DEVICES
    SIMCC_DEVICES=4 right openmpi 2 reduce --gang --csv -n 3,5000 -k tagged --op sum,min -w 0 -r 2 --ladder
    [ "$(column gang | paste -sd ' ')" = "1 2 4 1 2 4 1 2 4 1 2 4" ]
    # More processes than devices: each takes one, as if every process saw a GPU of its own.
    SIMCC_DEVICES=2 right openmpi 3 vecadd --gang --csv -n 100 -k vector4 -w 0 -r 2 --ladder --weak
    [ "$(column gang | paste -sd ' ')" = "1 2 3" ]
    [ "$(column n | paste -sd ' ')" = "100 200 300" ]
    SIMCC_DEVICES=4 ends 2 "3 processes share 4 devices: start 1, 2 or 4 on each machine, or choose 3 of them with -d" \
        openmpi 3 vecadd --gang -n 100
}

@test "no process allocates more for a product than its ranks need" {
    need_devices
    [ -z "${QEMU_LD_PREFIX-}" ] || skip "an emulator's own memory would be counted, too"
    on_two_processors
    local whole=$((1000000 * 32 * 4 / 1024)) most=0 now
    begin openmpi 4 matmul --gang -n 1000000x1x32 -k naive --profile --no-verify
    while now=$(awk '/VmHWM/ { print $2 }' "/proc/${processes[3]}/status" 2>/dev/null) && [ -n "$now" ]; do
        most=$now
        sleep 0.02
    done
    finish
    expect_all 0
    # Its quarter of A on host and device, C, and the program itself; all of A would add another three quarters.
    [ "$most" -gt $((whole / 2)) ] || complain "too few samples: $most KiB"
    [ "$most" -lt $((whole + whole / 8)) ] || complain "rank 3 took $most KiB, all of A has $whole"
}

@test "collectives of NCCL are right between processes, in place too, and our own kernels are left out" {
    need_devices
    SIMCC_DEVICES=2 right openmpi 2 collective --csv -n 5,1000 -w 0 -r 2 --max-ci 0 --timeout 0.001 -k 'all*,re*,b*,ring'
    [ "$(column ranks | sort -u)" = 2 ]
    [ "$(column kernel | sort -u | wc -l)" -eq 7 ]
    SIMCC_DEVICES=2 right openmpi 3 collective --csv -n 5 -w 0 -r 2 --in-place --root 2
    ends 77 "fastest: kernels reach the memory of devices of their own process alone; start one process" \
        openmpi 2 collective -n 5 -k fastest
}

@test "one process under a launcher is a gang of one process, and without --gang launchers are ignored" {
    need_devices
    right openmpi 1 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
    launch openmpi 2 reduce --csv -n 100 -k tagged -w 0 -r 2
    [ "$statuses" = 0 ]
    [ "$(wc -l <out.1)" -eq 2 ]
}

# The program tests/units/faulty.cu, built once.
builds_faulty() {
    capture simcc -std=c++17 -O1 -I "$root" -DBACKEND=sim "$root/tests/units/faulty.cu" "$root"/build/sim/{gang,cuda}-unit.o \
        "$root/build/libgridutils.a" -lfmt -lz -o faulty
    expect_status 0
}

@test "a wrong result of any rank gives one line, exit status 1 of all processes, and no row" {
    need_devices
    once faulty builds_faulty
    launch openmpi 3 ./faulty --gang --csv -w 0 -r 2 -k right,wrong
    expect_all 1
    [ "$(columns kernel gang | paste -sd ' ')" = "right 1 wrong 1 right 3" ] || complain "rows"
    [ "$errors" = "faulty: wrong: wrong result for n = 3, i32: rank 2: got -1, expected 3, allowed error 0" ]
}

@test "a rank that fails while others wait for it in a collective ends them" {
    need_devices
    local begun=$SECONDS devices
    once faulty builds_faulty
    for devices in 1 4; do
        SIMCC_DEVICES=$devices ends 4 "^faulty: rank 1 \(.*\): the number of rank [13] cannot be read" \
            openmpi 2 ./faulty --gang -k fails -w 0 -r 2 -o table
        [ ! -e table ] || complain "there is a table"
    done
    [ $((SECONDS - begun)) -lt 20 ] || complain "it took $((SECONDS - begun)) s"
}

@test "a killed process ends all within seconds, and one line names it" {
    need_devices
    local victim begun
    for victim in 0 1 2; do
        begin_long openmpi 3
        begun=$SECONDS
        kill -KILL "${processes[$victim]}"
        finish
        [ $((SECONDS - begun)) -lt 10 ] || complain "it took $((SECONDS - begun)) s"
        [ "$(grep -c -E "^reduce: rank $victim \(.*\) has ended without a word" <<<"$errors")" -eq 1 ] || complain "$victim"
        [ "$statuses" = "137 3" ] || [ "$statuses" = "3 137" ] || complain "$statuses"
    done
    # Its leftovers do not disturb the next run.
    right openmpi 3 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
}

@test "the leftovers of a run whose processes were all killed do not disturb the next" {
    need_devices
    begin_long torchrun 3
    kill -STOP "${processes[@]}"
    kill -KILL "${processes[@]}"
    finish
    [ -n "$(find "$scratch" -maxdepth 1 -name 'gridutils-*')" ] || complain "expected their folder"
    right torchrun 2 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
    right torchrun 3 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
}

@test "the next run of any job removes the folder of a run whose processes have been gone for an hour" {
    need_devices
    local folder victims
    begin_long torchrun 2
    victims=("${processes[@]}")
    folder=$(find "$scratch" -maxdepth 1 -name 'gridutils-*')
    [ -n "$folder" ] || complain "expected their folder"
    kill -STOP "${victims[@]}"
    touch -d '2 hours ago' "$folder"/* "$folder"
    launch openmpi 2 reduce --gang -n 100 -k tagged -w 0 -r 2
    [ "$statuses" = 0 ] && [ -d "$folder" ] || complain "the folder of a stopped run is gone"
    processes=("${victims[@]}")
    kill -KILL "${victims[@]}"
    finish
    launch openmpi 2 reduce --gang -n 100 -k tagged -w 0 -r 2
    [ "$statuses" = 0 ] && [ ! -e "$folder" ] || complain "left behind: $folder"
}

@test "a closed standard output is noticed, and does not become a file that the processes share" {
    need_devices
    echo 'exec "$@" >&-' >closed
    local command="bash closed reduce -d $device --gang -n 100 -k tagged -w 0 -r 2"
    change=([0]="$command" [1]="$command")
    launch openmpi 2 reduce
    expect_all 5
    expect_errors_like "cannot write to standard output: Bad file descriptor"
}

@test "a process that fails ends all with its message and its exit status" {
    need_devices
    change=([2]="SIMCC_DEVICES=0")
    ends 3 "^reduce: rank 2 \(.*\): the simulator has no device" openmpi 3 reduce --gang -n 100
    change=()
    ends 5 "^vecadd: rank 0 \(.*\): cannot write to '/dev/full'" openmpi 3 vecadd --gang -n 100 -k vector4 -o /dev/full
    ends 77 "^reduce: rank 0 \(.*\): none of the chosen variants can run" openmpi 3 reduce --gang -k cpu
    ends 2 "^reduce: --gang joins results of one element each" openmpi 3 reduce --gang --op var
    ends 2 "^reduce: unknown option '--bad'" openmpi 3 reduce --gang --bad
    ends 2 "^collective: .*--op" openmpi 2 collective --op mean
    ends 2 "^reduce: --counters would count only the part of each process" openmpi 2 reduce --gang --counters -n 5
}

@test "processes that do not run the same thing are refused" {
    need_devices
    change=([1]="reduce -d sim --gang -n 5")
    ends 2 "^reduce: rank 1 \(.*\) was started with 'reduce -d sim --gang -n 5', rank 0 with 'reduce -d sim --gang -n 6'" \
        openmpi 3 reduce --gang -n 6
    change=([2]="vecadd -d sim --gang -n 6")
    ends 2 "rank 2 \(.*\) (was started with 'vecadd|runs gridutils)" openmpi 3 reduce --gang -n 6
    # Another build.
    change=([1]="./other -d sim --gang -n 6")
    perl -0777 -pe 's/\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0\K(.)/~$1/se' "$root/bin/reduce" >other
    export LD_LIBRARY_PATH=$root/build/lib/gridutils
    chmod +x other
    change=([1]="./other -d sim --gang -n 6")
    launch openmpi 2 reduce --gang -n 6
    expect_all 2
    expect_errors_like "rank 1 \(.*\) runs gridutils .* \(build .*\), rank 0 gridutils .* \(build .*\); install the same everywhere"
}

@test "processes that do not come are named, and how long to wait for them is a setting" {
    need_devices
    export TMPDIR=$scratch GRIDUTILS_JOIN_TIMEOUT=1 JOB=lonely
    local begun=$SECONDS
    # shellcheck disable=SC2046  # words
    capture env $(variables openmpi 0 3) reduce -d sim --gang -n 5
    expect_status 3
    expect_refusal reduce "ranks 1 and 2 of 3 did not come to .*lonely within 1 seconds"
    # shellcheck disable=SC2046
    capture env $(variables openmpi 2 3) reduce -d sim --gang -n 5
    expect_status 3
    expect_refusal reduce "ranks 0 and 1 of 3 did not come"
    [ $((SECONDS - begun)) -lt 10 ]
    # Only one of those that wait prints a message.
    change=([1]="true -d sim")
    launch openmpi 3 reduce --gang -n 5
    [ "$statuses" = "0 3" ] || complain "$statuses"
    expect_errors_like "^reduce: rank 1 of 3 did not come"
    [ "$(wc -l <<<"$errors")" -eq 1 ] || complain "expected one line on standard error"
    # shellcheck disable=SC2046
    GRIDUTILS_JOIN_TIMEOUT=soon capture env $(variables openmpi 2 3) reduce -d sim --gang -n 5
    expect_status 2
    expect_refusal reduce "GRIDUTILS_JOIN_TIMEOUT='soon' is not a number of seconds above 0"
}

@test "a rank that two processes have is refused" {
    need_devices
    GRIDUTILS_JOIN_TIMEOUT=1 begin_long openmpi 2
    # shellcheck disable=SC2046
    GRIDUTILS_JOIN_TIMEOUT=1 capture env $(variables openmpi 1 2) reduce -d sim --gang -n 5
    expect_status 2
    expect_refusal reduce "there is another rank 1, on .*; give each process a number of its own"
    kill "${processes[@]}" || true
    finish
}

@test "processes of several machines need a folder that all see, or NCCL's address" {
    need_devices
    launch machines 2 reduce --gang -n 5
    [ "$statuses" = 2 ]
    expect_errors_like "Open MPI has started 2 processes on several machines: set GRIDUTILS_RENDEZVOUS .* or NCCL_COMM_ID"
    mkdir shared
    GRIDUTILS_RENDEZVOUS=$scratch/shared right machines 3 reduce --gang --csv -n 5,1000 -k tagged -w 0 -r 2
    [ -z "$(ls shared)" ] || complain "left behind: $(ls shared)"
    comes_by_address
    right machines 3 reduce --gang --csv -n 5,1000 -k tagged -w 0 -r 2 --ladder
    [ "$(column gang | sort -u | paste -sd ' ')" = "1 2 3" ]
    unset NCCL_COMM_ID
    for command in "reduce --gang --predict 8" "collective --fit"; do
        # shellcheck disable=SC2086  # words
        GRIDUTILS_RENDEZVOUS=$scratch/shared launch machines 2 $command -n 5
        expect_all 2
        expect_errors_like "--(predict|fit) assumes that the links .* are within one machine: start the processes on one machine"
    done
    change=([1]="reduce -d sim --gang -n 5")
    comes_by_address
    launch machines 2 reduce --gang -n 6
    unset NCCL_COMM_ID
    expect_errors_like "rank 1 .*was started with 'reduce -d sim --gang -n 5'"
    change=()
    GRIDUTILS_RENDEZVOUS=$scratch/none launch openmpi 2 reduce --gang -n 5
    [ "$statuses" = 3 ]
    expect_errors_like "cannot make the folder $scratch/none/.*: No such file"
}

@test "processes find each other by NCCL_COMM_ID, and an address that others use is refused" {
    need_devices
    comes_by_address
    right openmpi 2 reduce --gang --csv -n 5000 -k tagged -w 0 -r 2 --ladder
    # The first rank of another run, which has heard of a second one and waits for it there.
    change=([1]="true -d sim")
    begin machines 2 collective -n 5
    local first=${processes[0]} file
    listens() { exec 5<>"/dev/tcp/${place/://}"; }
    await listens 2>/dev/null
    echo "1 0 gridutils 2 elsewhere" >&5
    file=/dev/shm/gridutils-nccl-$(id -u)-at-$NCCL_COMM_ID
    await [ -s "$file" ]
    change=()
    launch openmpi 3 reduce --gang -n 5
    [[ $statuses != *0* ]] || complain "they ended well"
    expect_errors_like "reduce: rank [0-2] .*: ncclGroupEnd: .*; if others use NCCL_COMM_ID=$NCCL_COMM_ID, choose another port"
    kill "$first" || true
    wait "$first" || true
    exec 5>&-
    rm -f "$file"
}

@test "the checkers find nothing in several processes" {
    need_devices
    launch openmpi 2 reduce --gang -n 5000 --check -k tagged
    [ "$statuses" = 0 ]
    [ "$(grep -c "ERROR SUMMARY: 0 errors" <<<"$errors")" -eq 2 ]
}

@test "the launchers' variables are read correctly, and invalid values are refused with the variable's name" {
    unit_program units/launcher
    holds ./launcher
}

@test "invalid numbers of launchers are refused at once, and the first of two launchers counts" {
    need_devices
    local numbers
    for numbers in "-1 2 0 2" "0 0 0 1" "0 1 0 0" "2 2 0 2" "0 65537 0 1" "0 18446744073709551615 0 18446744073709551615" \
        "99999999999999999999 2 0 2" "1.0 2 0 2"; do
        # shellcheck disable=SC2086  # words
        set -- $numbers
        capture env RANK="$1" WORLD_SIZE="$2" LOCAL_RANK="$3" LOCAL_WORLD_SIZE="$4" reduce -d sim --gang -n 5
        expect_status 2
        expect_refusal reduce "(is not a whole number|is not below [A-Z_]+=[0-9]+|is more than 65536 processes); start the program by torchrun"
    done
    # By the other launcher's variables, each of the two processes would be the only one.
    change=([0]="RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1" [1]="RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1")
    right openmpi 2 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
    [ "$(column gang | paste -sd ' ')" = "1 2" ]
}

# ---- files that several processes reduce together: each takes its pieces, and all find what one process finds

# shares OPTION... FILE: expects that any number of processes of reduce print what one prints.
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

@test "several processes find in a file what one finds, byte for byte" {
    need_devices
    local op
    once fractions fractions
    for op in sum min max mean; do shares --input-format raw:f32 --op $op fractions; done
    shares --input-format raw:f32 -t f64 --json fractions
    # Whole numbers, some of whose sums do not fit into 64 bits.
    perl -e 'print pack "q<*", (9223372036854775807) x 300000, (-9223372036854775807) x 300000, 77' >large
    shares --input-format raw:i64 large
    shares --input-format raw:i64 --op mean large
    npy '<i8' '(600001,)' <large >large.npy
    shares large.npy
    # From the second piece on, some do not fit into i64.
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

@test "several processes also find what one finds on devices" {
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

@test "several processes refuse the same files as one, with one message" {
    need_devices
    numbers 'd<' 1e308 1e308 1 | npy '<f8' '(3,)' >far.npy
    numbers 'd<' 1 2 3 | npy '<f8' '(4,)' >torn.npy
    npy '<f8' '(0,)' </dev/null >none.npy
    ends 4 "a sum of these finite numbers is outside the range of f64" openmpi 3 reduce --gang far.npy
    ends 4 "torn.npy: the header promises 4 elements" openmpi 3 reduce --gang torn.npy
    ends 4 "none.npy" openmpi 3 reduce --gang --op max none.npy
    ends 4 "no-such-file" openmpi 3 reduce --gang no-such-file
}

@test "what processes cannot share is refused, with a remedy" {
    need_devices
    seq 9 >words
    numbers 'f<' 1 2 3 | npy '<f4' '(3,)' >three.npy
    ends 2 "words can only be read from the beginning, .*; convert it, or start one process" openmpi 2 reduce --gang words
    ends 2 "standard input can only be read from the beginning" openmpi 2 reduce --gang -
    mkfifo pipe
    ends 2 "pipe can only be read from the beginning" openmpi 2 reduce --gang pipe
    ends 2 "several processes join results of one element each: sum, min, max or mean" \
        openmpi 2 reduce --gang --op var three.npy
    ends 2 "several processes join .*neither --accurate nor --exact" openmpi 2 reduce --gang --exact three.npy
    ends 2 "several processes find one result: give one --op" openmpi 2 reduce --gang --op sum,max three.npy
    ends 2 "several processes find one result: .*no --axis" openmpi 2 reduce --gang --axis 0 three.npy
    ends 2 "statistics finds more: choose another -k" openmpi 2 reduce --gang -k statistics three.npy
    # A different file of the same name.
    mkdir other
    numbers 'f<' 1 2 3 4 | npy '<f4' '(4,)' >other/three.npy
    change=([1]="env -C $scratch/other")
    ends 4 "three.npy is not the same file everywhere: rank 1 sees 4 numbers, f32 \(4,\), rank 0 3 numbers" \
        openmpi 2 reduce --gang three.npy
    change=()
    comes_by_address
    launch machines 2 reduce --gang three.npy
    unset NCCL_COMM_ID
    [ "$statuses" = 2 ]
    expect_errors_like "processes that share a file also need a folder .*GRIDUTILS_RENDEZVOUS"
    mkdir shared
    GRIDUTILS_RENDEZVOUS=$scratch/shared launch machines 2 reduce --gang three.npy
    expect_all 0
    [ "$(cat out.0)" = 6 ]
}

# ---- vecadd: each process writes its part of one file

# adds OPTION... A B: expects that any number of processes of vecadd write what one writes.
adds() {
    local ranks
    expect_fine vecadd "$@" -o alone || return
    for ranks in 2 3 5; do
        rm -f sum
        launch openmpi "$ranks" vecadd --gang "$@" -o sum
        expect_all 0 || return
        [ -z "$output$errors" ] || complain "expected no words: $*" || return
        cmp alone sum || complain "$ranks processes differ from one: $*" || return
    done
}

@test "several processes write the same sum of two files as one, byte for byte" {
    need_devices
    once fractions fractions
    adds --input-format raw:f32 fractions fractions
    head -c 12000004 fractions | npy '<f4' '(3000001,)' >long.npy
    adds long.npy long.npy
    adds -t f64 long.npy long.npy
    head -c 6000000 fractions | npy '<f4' '(500, 3000)' >matrix.npy
    sed "s/False, 'shape': (500, 3000) /True, 'shape': (500, 3000) /" matrix.npy >fortran.npy
    adds fortran.npy fortran.npy
    perl -e 'print pack "s<*", map { $_ % 1000 } 1 .. 1500000' | npy '<i2' '(500, 3000)' >short.npy
    adds matrix.npy short.npy
    adds short.npy short.npy
    # More processes than pieces, an element, and none.
    head -c 12 fractions >few
    adds --input-format raw:f32 few few
    numbers 'd<' 7 | npy '<f8' '(1,)' >one.npy
    adds one.npy one.npy
    npy '<f4' '(0,)' </dev/null >none.npy
    adds none.npy none.npy
    # Over a file, and through a link to one.
    echo old >sum && chmod 640 sum && ln -s sum link
    vecadd -d sim one.npy one.npy -o alone
    launch openmpi 3 vecadd --gang one.npy one.npy -o link
    expect_all 0
    cmp alone sum && [ -L link ] && [ "$(stat -c %a sum)" = 640 ]
}

@test "several processes also write what one writes on devices, and the checkers find nothing" {
    need_devices
    once fractions fractions
    export SIMCC_DEVICES=2
    head -c 12000004 fractions >some
    cat some some some some >many # so many pieces that each process takes the next one before it has written the last
    vecadd -d "$device" -k vector4 --input-format raw:f32 many many -o alone
    launch openmpi 2 vecadd --gang -k vector4 --input-format raw:f32 many many -o sum
    expect_all 0
    cmp alone sum
    head -c 4004 fractions >few
    launch openmpi 2 vecadd --gang --check -k vector4 --input-format raw:f32 few few -o sum
    [ "$statuses" = 0 ]
    [ "$(grep -c "ERROR SUMMARY: 0 errors" <<<"$errors")" -eq 2 ]
}

@test "unsigned numbers that i64 cannot hold are f64 for all processes, or refused by all" {
    need_devices
    perl -e 'print pack "Q<*", (18446744073709551615) x 400000' | npy '<u8' '(400000,)' >large.npy
    perl -e 'print pack "Q<*", (1) x 400000' | npy '<u8' '(400000,)' >small.npy
    adds small.npy small.npy
    adds large.npy small.npy
    perl -e 'print pack "Q<*", (1) x 399999, 18446744073709551615' | npy '<u8' '(400000,)' >late.npy
    rm sum
    refuses 4 "after 393216 elements of i64 there are f64: give a --dtype for all of them" vecadd late.npy small.npy -o sum
    ends 4 "after 393216 elements of i64 there are f64: give a --dtype for all of them" \
        openmpi 3 vecadd --gang late.npy small.npy -o sum
    [ ! -e sum ] || complain "there is a file"
    adds -t f64 late.npy small.npy
}

@test "what the processes cannot write together is refused, with a remedy" {
    need_devices
    numbers 'f<' 1 2 3 | npy '<f4' '(3,)' >three.npy
    numbers 'f<' 1 2 | npy '<f4' '(2,)' >two.npy
    sed "s/False, 'shape': (3,), }/True, 'shape': (3,), } /" three.npy >fortran.npy
    seq 3 >words
    local to
    mkfifo pipe
    cat pipe >/dev/null 3>&- &
    local reader=$!
    for to in "" "-o -" "-o /dev/stdout" "-o /dev/null" "-o pipe"; do
        # shellcheck disable=SC2086  # words
        ends 2 "several processes write parts of a file: name one with --output that is not a device or pipe, or start one" \
            openmpi 3 vecadd --gang three.npy three.npy $to
    done
    wait "$reader"
    ends 2 "JSON is written from its beginning on: start one process" openmpi 2 vecadd --gang --json three.npy three.npy -o sum
    ends 2 "words can only be read from the beginning" openmpi 2 vecadd --gang words words -o sum
    ends 2 "standard input can only be read from the beginning" openmpi 2 vecadd --gang three.npy - -o sum
    ends 2 "one of three.npy and fortran.npy is in Fortran order" openmpi 2 vecadd --gang three.npy fortran.npy -o sum
    ends 4 "(three.npy has shape|two.npy ends after 2)" openmpi 3 vecadd --gang three.npy two.npy -o sum
    ends 5 "^vecadd: rank 0 \(.*\): cannot write 'none/sum': No such file" openmpi 3 vecadd --gang three.npy three.npy -o none/sum
    ends 5 "cannot write '.*': it is a directory" openmpi 3 vecadd --gang three.npy three.npy -o .
    [ ! -e sum ] || complain "there is a file"
    echo old >sum
    ln sum other
    ends 2 "cannot write to 'sum', which a new file cannot replace" openmpi 2 vecadd --gang three.npy three.npy -o sum
    [ "$(cat sum)" = old ]
    perl -e 'print pack "l<*", (1) x 3000000, 2147483647' >large
    ends 4 "rank [0-2] .*: element 3000001: 2147483647 \+ 2147483647 does not fit into i32" \
        openmpi 3 vecadd --gang --input-format raw:i32 large large -o over
    [ ! -e over ]
}

@test "if a file cannot be written, all processes end with exit status 5, and nothing is left" {
    need_devices
    once fractions fractions
    head -c 8000000 fractions >some
    # A file size limit for one process, or for all.
    local rank
    echo 'ulimit -f 1000; exec "$@"' >limited
    local command="bash limited vecadd -d $device --gang --input-format raw:f32 some some -o sum"
    for rank in 0 1; do
        change=([rank]="$command" [1 - rank]="${command#bash limited }")
        launch openmpi 2 vecadd
        expect_all 5
        expect_errors_like "^vecadd: rank [01] \(.*\): cannot write to 'sum': File too large"
        [ ! -e sum ] || complain "there is a file"
    done
    # A folder that only the first process can see.
    mkdir here
    unshare -m true 2>/dev/null || return 0
    echo 'mount -t tmpfs none here; exec "$@"' >elsewhere
    command="vecadd -d $device --gang --input-format raw:f32 some some -o here/sum"
    change=([0]="$command" [1]="unshare -m bash elsewhere $command")
    launch openmpi 2 vecadd
    expect_all 5
    expect_errors_like "rank 1 \(.*\): cannot write 'here/sum': No such file or directory; name a file in a folder that all processes see"
    [ -z "$(ls -A here)" ] || complain "left behind: $(ls -A here)"
}

has_unfinished() { [ -n "$(find . -maxdepth 1 -name '.gridutils-*' -size +0)" ]; }

@test "a process that ends while files are added ends all, and the unfinished file is removed" {
    need_devices
    local victim signal
    once fractions fractions
    for _ in {1..12}; do cat fractions; done >large
    for victim in 0 2; do
        for signal in KILL TERM; do
            begin openmpi 3 vecadd --gang --input-format raw:f32 -k vector4 large large -o sum
            await has_unfinished
            kill -$signal "${processes[victim]}"
            finish
            if [ $signal = KILL ]; then
                [ "$statuses" = "137 3" ] || [ "$statuses" = "3 137" ] || complain "$victim: $statuses"
                expect_errors_like "^vecadd: rank $victim \(.*\) has ended without a word"
                rm -rf "$scratch/gridutils-"*
            else
                [ "$statuses" = 143 ] || complain "$victim: $statuses"
                [ -z "$errors" ] || complain "expected no words"
            fi
            [ ! -e sum ] || complain "there is a file"
            [ -z "$(find . -name '.gridutils-*')" ] || complain "left behind: $(find . -name '.gridutils-*')"
        done
    done
}

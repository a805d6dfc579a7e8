#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# NCCL in the simulator: collectives are right and in stream order, on any number of devices, in threads and in
# processes, and mistakes that would hang or be wrong on GPUs are reported.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Takes long: run.bash begins with it.
# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/nccl

setup_file() {
    [ "${SANITIZE-}" != thread ] || skip "no checkers beside ThreadSanitizer"
}

# builds PROGRAM [OPTION]...: compiles tests/nccl/PROGRAM.cu to ./PROGRAM silently.
builds() {
    local program=$1
    shift
    rm -f "$program"  # it may be a link to what another test uses
    capture once "$program" simcc -O1 "$@" "$programs/$program.cu" -lnccl -o "$program"
    expect_status 0
    expect_no_errors
    expect_output ""
}

# The files that ranks share, wherever they are.
shared_files() { ls /dev/shm /tmp "${TMPDIR:-/tmp}" 2>/dev/null | grep "^gridutils-nccl-.*$1" || true; }

# has_joined RANK NAME: waits until the rank has its lock on the file of that name.
has_joined() {
    local name file
    until
        name=$(shared_files "$2" | head -1)
        file=$(find /dev/shm /tmp "${TMPDIR:-/tmp}" -maxdepth 1 -name "${name:-none}" 2>/dev/null | head -1)
        grep -q ":$(stat -c %i "${file:-/}") $(($1 + 1)) $(($1 + 1))\$" /proc/locks
    do sleep 0.02; done
}

# in_processes RANKS VICTIM END [OTHERS]: runs ./ranks in RANKS processes, of which VICTIM ends by END and the others do
# OTHERS; leaves their statuses in $statuses, in the order of ranks, and all output in $output and $errors.
in_processes() {
    local ranks=$1 victim=$2 rank end
    local -a processes=()
    rm -f id
    for ((rank = 0; rank < ranks; ++rank)); do
        end=${4-} && [ "$rank" != "$victim" ] || end=$3
        ./ranks "$rank" "$ranks" "${ID-id}" "$end" >"out.$rank" 2>"err.$rank" 3>&- &
        processes+=($!)
    done
    statuses=''
    for ((rank = 0; rank < ranks; ++rank)); do
        status=0
        # (One that sleeps forever has done its part when the others have ended.)
        if [ "$rank" = "$victim" ] && [[ $3 = sleeps || $3 = destroys ]]; then continue; fi
        wait "${processes[$rank]}" || status=$?
        statuses+="$status "
    done
    if [[ $3 = sleeps || $3 = destroys ]]; then kill "${processes[$victim]}"; fi
    output=$(cat out.*) errors=$(cat err.*)
}

# mistake NAME STATUS TEXT: the program with this mistake ends with STATUS and prints TEXT; its checked build finds it.
mistake() {
    builds mistakes
    capture env SIMCC_TIMEOUT="${QUIET-0.2}" SIMCC_NCCL_TIMEOUT=1 SIMCC_DEVICES=2 timeout 30 ./mistakes "$1"
    expect_status "$2" && expect_errors_like "^mistakes: nccl: .*$3" || complain "$1"
}
checked_mistake() {
    builds mistakes --check
    capture env SIMCC_CHECK=all SIMCC_TIMEOUT="${QUIET-0.2}" SIMCC_NCCL_TIMEOUT=1 SIMCC_DEVICES=2 timeout 30 ./mistakes "$1"
    expect_status 86 && expect_errors_like "^=========.*$2" || complain "$1"
}

# ---- results

@test "every collective is right for every type and operator, in place and not, on 1, 2, 3 and 5 devices" {
    builds collectives
    local devices
    for devices in 1 2 3 5; do
        capture env SIMCC_DEVICES="$devices" ./collectives 0 1 7 1001
        expect_status 0 && expect_no_errors && expect_output_like '^[0-9]{6,}$' || complain "$devices devices"
    done
    # More than fits into a slot, on one thread and on many.
    capture env SIMCC_DEVICES=3 SIMCC_THREADS=1 ./collectives 1100003
    expect_status 0
    expect_output_like '^[0-9]{8,}$'
}

@test "the checkers find nothing in correct collectives" {
    builds collectives --check -DONE_TYPE
    capture env SIMCC_DEVICES=3 SIMCC_CHECK=all ./collectives 1 70
    expect_status 0
    expect_errors_like 'ERROR SUMMARY: 0 errors'
}

@test "sums start at rank 0, round at each step and wrap, and each rank may scale its own values" {
    builds arithmetic
    capture env SIMCC_DEVICES=3 ./arithmetic
    expect_status 0
    expect_output "order 0
order 1
wraps 44 5
mean -3 1333333334 6
rounds 2048 256
largest -1, least 3
scaled 321
destroyed 4
fp8 4: ncclAllReduce at arithmetic.cu:$(awk '/ncclFloat8e4m3/ { print NR; exit }' "$programs/arithmetic.cu"): the simulator does not reduce float8e4m3; collectives that only move data accept it"
}

@test "collectives keep the order of their stream: after and before kernels, with events, in groups and in graphs" {
    builds order
    local threads
    for threads in 1 2 16; do
        capture env SIMCC_DEVICES=3 SIMCC_THREADS="$threads" ./order
        expect_status 0
        expect_no_errors
        expect_output "kernels: 3.5 3.5 3.5
events: 6 6 6
null streams: 9 9 9
two streams: 12.25 12.25 12.25
two streams: 5 5 5
peers: 11 12 10
graphs: 18.5 18.5 18.5"
    done
    builds order --check
    capture env SIMCC_DEVICES=3 SIMCC_CHECK=all ./order
    expect_status 0
    expect_errors_like 'ERROR SUMMARY: 0 errors'
}

@test "each thread or process may have its own device, and a communicator may be split" {
    builds ranks
    capture env SIMCC_DEVICES=5 ./ranks threads
    expect_status 0
    expect_no_errors
    [ "$(sort <<<"$output")" = "rank 0 of 5: 105 105, then 2 of 3 under rank 4
rank 1 of 5: 105 105, then 1 of 2 under rank 3
rank 2 of 5: 105 105, then 1 of 3 under rank 4
rank 3 of 5: 105 105, then 0 of 2 under rank 3
rank 4 of 5: 105 105, then 0 of 3 under rank 4" ] || complain "threads"
    capture env SIMCC_DEVICES=3 ./ranks group
    expect_status 0
    expect_no_errors
    expect_output "device 0: rank 1 on 0
device 1: rank 0 on 1
device 2: rank -1 on -1"
    in_processes 3 none ''
    [ "$statuses" = "0 0 0 " ] || complain "statuses $statuses"
    [ "$output" = "rank 0 of 3: 60 60, then 1 of 2 under rank 2
rank 1 of 3: 60 60, then 0 of 1 under rank 1
rank 2 of 3: 60 60, then 0 of 2 under rank 2" ] || complain "processes"
    if command -v mpirun >/dev/null; then
        rm -f id
        # shellcheck disable=SC2016  # the ranks' shells expand it
        capture mpirun --allow-run-as-root --oversubscribe -n 3 sh -c './ranks "$OMPI_COMM_WORLD_RANK" 3 id'
        expect_status 0
        expect_output_like 'rank 2 of 3: 60 60'
    fi
}

@test "processes find each other by NCCL_COMM_ID, and do not join the leftovers of a dead run" {
    builds ranks
    local -x NCCL_COMM_ID="test-$$:1234"
    ID='' in_processes 2 none ''
    [ "$statuses" = "0 0 " ] || complain "statuses $statuses"
    [ -z "$(shared_files "test-$$")" ] || complain "$(shared_files "test-$$") is left"
    # A rank of a communicator of 2 waits, and is killed.
    ./ranks 0 2 '' >/dev/null 2>&1 3>&- &
    has_joined 0 "test-$$"
    { kill -9 %1 && wait %1; } 2>/dev/null || true
    ID='' in_processes 3 none ''
    [ "$statuses" = "0 0 0 " ] || complain "statuses $statuses"
    [ -z "$(shared_files "test-$$")" ] || complain "$(shared_files "test-$$") is left"
    NCCL_COMM_ID=nowhere capture ./ranks 0 1 ''
    expect_status 5
    expect_errors_like 'NCCL_COMM_ID=nowhere is not of the form HOST:PORT'
}

# ---- ranks that do not come

@test "a rank that is killed, ends, aborts or destroys its communicator ends the others within seconds and is named" {
    builds ranks
    local end
    for end in killed exits aborts destroys; do
        SECONDS=0
        in_processes 3 1 "$end"
        [[ $statuses = "3 "*" 3 " || $statuses = "3 3 " ]] || complain "$end: statuses $statuses"
        [ "$(grep -c -E '^ranks: nccl: rank 1 of 3 .*(has ended|has aborted its communicator|has destroyed its communicator), but ncclAllReduce\(100003 x float32, sum\), which rank [02] called at ranks.cu:[0-9]+, needs it$' <<<"$errors")" = 2 ] ||
            complain "$end"
        [ "$SECONDS" -lt 10 ] || complain "$end took $SECONDS seconds"
    done
}

@test "a program that asks for asynchronous errors may abort its communicator itself" {
    builds ranks
    in_processes 3 1 killed polls
    [ "$statuses" = "7 137 7 " ] || complain "statuses $statuses"
    [ "$output" = "rank 0: remote process exited or there was a network error
rank 2: remote process exited or there was a network error" ] || complain "$output"
}

@test "a rank of another process that makes no more calls is named once nothing progresses" {
    builds ranks
    SIMCC_TIMEOUT=0.5 in_processes 3 1 sleeps
    [ "$statuses" = "3 3 " ] || complain "statuses $statuses"
    grep -q 'rank 1 of 3 of the communicator never called ncclAllReduce' <<<"$errors" || complain "$errors"
    # One that is only late is waited for.
    in_processes 2 1 late
    [ "$statuses" = "0 0 " ] || complain "statuses $statuses"
}

@test "ranks that do not join are counted, those that disagree are refused, and nothing is left behind" {
    builds ranks
    local -x NCCL_COMM_ID="join-$$:1"
    SIMCC_NCCL_TIMEOUT=1 capture ./ranks 0 3 ''
    expect_status 5
    expect_errors_like '1 of 3 ranks have joined the communicator within SIMCC_NCCL_TIMEOUT=1 seconds; missing: 1, 2\.'
    # One that ends after joining, but before the last one joins, ends the others' wait.
    ./ranks 0 3 '' >out 2>err 3>&- &
    local first=$!
    has_joined 0 "join-$$"
    ./ranks 1 3 '' >/dev/null 2>&1 3>&- &
    local second=$!
    has_joined 1 "join-$$"
    SIMCC_NCCL_TIMEOUT=2 capture ./ranks 1 3 ''
    expect_status 5
    expect_errors_like 'rank 1 has joined twice'
    capture ./ranks 2 4 ''
    expect_status 5
    expect_errors_like 'rank 2 asks for a communicator of 4 ranks, but the first .* asked for 3'
    { kill -9 "$second" && wait "$second"; } 2>/dev/null || true
    status=0
    wait "$first" || status=$?
    errors=$(cat err)
    expect_status 5
    expect_errors_like 'the process of rank 1 of 3 has ended before all ranks had joined'
    [ -z "$(shared_files "join-$$")" ] || complain "$(shared_files "join-$$") is left"
    # The id of a program that has ended is no longer valid.
    unset NCCL_COMM_ID
    SIMCC_NCCL_TIMEOUT=0.2 capture ./ranks 0 2 id
    expect_status 5
    expect_errors_like '1 of 2 ranks'
    capture ./ranks 1 2 id
    expect_status 5
    expect_errors_like 'the unique id is no longer valid'
}

@test "an id that nobody joins disappears with its program, even if that ends without cleaning up" {
    cat >quits.cu <<'EOF'
#include <cstdio>
#include <cstdlib>
#include <nccl.h>
int main() {
    ncclUniqueId id;
    if (ncclGetUniqueId(&id) != ncclSuccess) return 1;
    std::puts(id.internal);
    std::fflush(stdout);
    std::quick_exit(7);
}
EOF
    simcc quits.cu -lnccl -o quits
    capture ./quits
    expect_status 7
    [[ $output = gridutils:/*/gridutils-nccl-* ]] || complain "the id is $output"
    [ ! -e "${output#gridutils:}" ] || complain "${output#gridutils:} is left"
}

@test "leftovers of a killed program in shared memory are removed by the next, and lack of space is reported" {
    builds ranks
    ./ranks 0 2 id >/dev/null 2>&1 3>&- &
    local maker=$! left
    until left=$(shared_files "" | grep -x "gridutils-nccl-$maker-.*"); do sleep 0.02; done
    { kill -9 "$maker" && wait "$maker"; } 2>/dev/null || true
    left=$(find /dev/shm /tmp "${TMPDIR:-/tmp}" -maxdepth 1 -name "$left" 2>/dev/null | head -1)
    touch -d '2 minutes ago' "$left"
    SIMCC_NCCL_TIMEOUT=0.1 capture ./ranks 0 2 id
    [ ! -e "$left" ] || complain "$left is left"

    # Only this test runs with less room than ranks share.
    unshare -m true 2>/dev/null || skip "no mount namespaces here"
    exec 9<./ranks
    SIMCC_DEVICES=2 capture unshare -m bash -c \
        'for place in /dev/shm /tmp; do mount -t tmpfs -o size=64k none "$place"; done; TMPDIR=/tmp exec /proc/self/fd/9 threads'
    exec 9<&-
    expect_status 5
    expect_errors_like 'neither /dev/shm nor TMPDIR nor /tmp has 32 MiB'
    # With another folder, /dev/shm is not needed.
    SIMCC_DEVICES=2 capture unshare -m bash -c 'mount -t tmpfs -o size=64k none /dev/shm && exec ./ranks threads'
    expect_status 0
    expect_no_errors
}

# ---- mistakes

@test "a call that other ranks do not make is reported with its place, rather than waited for" {
    local line
    line=$(awk '/return ncclAllReduce/ { print NR; exit }' "$programs/mistakes.cu")
    local missing="rank 1 of 2 of the communicator never called ncclAllReduce\(1000 x float32, sum\), which rank 0 called at mistakes.cu:$line; put calls for several devices of one thread between ncclGroupStart and ncclGroupEnd"
    mistake missing-rank 3 "$missing"
    QUIET=0.1 mistake missing-rank-of-a-thread-that-asks 3 "$missing"
    checked_mistake missing-rank "$missing"
    local alone='one thread called .* outside of a group, where each call may wait for the other; put calls'
    mistake no-group 3 "$alone"
    mistake message-without-group 3 "$alone"
    checked_mistake no-group "$alone"
    mistake crossing-messages 3 'does not reach the ncclRecv that matches ncclSend\(1000 x float32, to rank [01]\)'
    mistake rank-alone 0 '1 of 2 ranks have joined .*between ncclGroupStart and ncclGroupEnd'
}

@test "ranks with different collectives, counts, types, operators or roots are reported" {
    local differs='collective 1 of the communicator differs between ranks: rank 0 of 2 called'
    mistake counts 3 "$differs ncclAllReduce\(1000 x float32, sum\), rank 1 called ncclAllReduce\(999 x float32, sum\)"
    mistake operators 3 "$differs .*, rank 1 called ncclAllReduce\(1000 x float32, max\)"
    mistake types 3 "$differs .*, rank 1 called ncclBroadcast\(1000 x int32, root 0\)"
    mistake roots 3 "$differs .*root 0\), rank 1 called .*root 1\)"
    mistake collectives 3 "$differs ncclAllReduce\(.*, rank 1 called ncclBroadcast"
    mistake message-counts 3 'a message differs between its ranks: rank 0 called ncclSend\(1000 .* rank 1 called ncclRecv\(999 '
    checked_mistake counts "$differs"
    checked_mistake message-counts 'a message differs'
}

@test "buffers, streams and communicators of other ranks are refused" {
    mistake other-device 0 "sendbuff 0x[0-9a-f]+ is memory of device 0, but the communicator's rank is on device 1"
    mistake host-memory 0 'sendbuff 0x[0-9a-f]+ is memory of the host; NCCL needs memory of device 0'
    mistake small-allocation 0 'the call needs 4004 bytes, but the allocation #1 of 4000 bytes ends after 4000'
    mistake overlap 0 'sendbuff and recvbuff overlap: recvbuff begins 4 bytes after'
    mistake null 0 'recvbuff is null'
    mistake freed 0 'is in no allocation: .* into the freed 4000-byte allocation #1'
    mistake destroyed 0 'the communicator has been destroyed, or never was one'
    mistake stream-of-another-device 0 'the stream belongs to device 1'
    mistake root 0 'there is no rank 2 among the 2'
    mistake device-twice 0 'ranks 0 and 1 of one communicator are both on device 1'
    mistake too-many-devices 0 'there is no device 2 among the 2 simulated ones; SIMCC_DEVICES sets their number'
    mistake end-without-start 0 'ncclGroupEnd was called without ncclGroupStart'
    checked_mistake other-device 'is memory of device 0'
    checked_mistake overlap 'overlap'
}

@test "the checkers see a collective's buffers: unordered kernels and bytes that were never written" {
    checked_mistake unordered-kernel 'Race reported between a kernel and an operation of another stream'
    checked_mistake uninitialized 'Uninitialized access'
}

@test "programs also compile with NVIDIA's own header" {
    need nvcc
    [ -e "$(dirname "$(command -v nvcc)")/../include/nccl.h" ] || skip "no nccl.h beside nvcc"
    [[ $(g++ -dumpmachine) == "$(uname -m)"-* ]] || skip "g++ compiles for another processor"
    local program
    for program in order ranks; do
        capture nvcc -std=c++17 -ptx "$programs/$program.cu" -o /dev/null  # (It reads the host's code, too.)
        expect_status 0 && expect_no_errors || complain "$program"
    done
}

@test "a program without NCCL contains nothing of it" {
    printf 'int main() { return cudaDeviceSynchronize(); }\n' >plain.cu
    simcc -O1 plain.cu -o plain
    ! nm -C plain | grep -i nccl || complain "symbols of NCCL"
}

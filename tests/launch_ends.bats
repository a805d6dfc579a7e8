#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The end of one of several processes ends all of them: by signals, a reader that goes away, or a lack of space.
# shellcheck disable=SC2154,SC2034  # helpers.bash sets $device and $output; launch.bash reads $change

load helpers
load launch

# ended_by SIGNAL: expects that it ended all processes, quietly and soon.
ended_by() {
    local begun=$SECONDS
    finish
    [ $((SECONDS - begun)) -lt 10 ] || complain "it took $((SECONDS - begun)) s" || return
    [ "$statuses" = $((128 + $(kill -l "$1"))) ] || complain "$1: $statuses" || return
    [ -z "$errors" ] || complain "expected nothing on standard error" || return
    [ -z "$(cat out.[1-9])" ] || complain "others than the first have printed" || return
    nothing_is_left
}

@test "a signal to all processes, such as Ctrl-C, ends them all by that signal, and nothing is left behind" {
    need_devices
    local signal
    for signal in INT TERM INT HUP INT; do
        begin_long openmpi 3
        kill -"$signal" "${processes[@]}"
        ended_by "$signal"
    done
    # Two at once, the second before the first has been passed on.
    begin_long openmpi 3
    kill -INT "${processes[@]}"
    kill -INT "${processes[@]}"
    ended_by INT
}

has_unfinished() { [ -n "$(find . -name '.gridutils-*' -size +0)" ]; }

@test "a signal to one process also ends the others by it, and an unfinished file is removed" {
    need_devices
    local victim signal
    for victim in 0 2; do
        for signal in TERM USR1; do
            begin openmpi 3 "${long[@]}" -o table
            await has_unfinished
            kill -"$signal" "${processes[victim]}"
            ended_by "$signal"
            [ ! -e table ] || complain "there is a table"
        done
    done
}

@test "a signal ends processes that wait for others to come, and their folder is removed" {
    need_devices
    local folder
    folder=$scratch/gridutils-$(id -u)-job
    change=([2]="true -d")
    begin openmpi 3 "${long[@]}"
    await [ -e "$folder/rank-0" ]
    await [ -e "$folder/rank-1" ]
    kill -INT "${processes[0]}" "${processes[1]}"
    finish
    [ "$statuses" = "0 130" ] || complain "$statuses"
    [ -z "$errors" ] || complain "expected nothing on standard error"
    nothing_is_left
}

@test "signals at any moment, to one process or all, end all by that signal, and nothing is left behind" {
    need_devices
    local moment victims
    export GRIDUTILS_JOIN_TIMEOUT=2
    head -c 8000000 /dev/zero >zeros
    for moment in 0 0.01 0.03 0.06 0.1 0.15 0.2 0.3; do
        begin openmpi 3 vecadd --gang -k vector4 --input-format raw:f32 zeros zeros -o sum
        sleep $moment
        victims=("${processes[@]}")
        case $moment in *1*) victims=("${processes[2]}") ;; esac
        kill -TERM "${victims[@]}" 2>/dev/null || true
        finish
        # (Some may have succeeded, and those that ended before the signal are missed by the others.)
        case $statuses in
            0 | 143) [ -z "$errors" ] || complain "$moment: expected no words" ;;
            "0 143" | "143 0") [ ! -e sum ] || [ -z "$errors" ] || complain "$moment: expected no words" ;;
            "3 143" | "143 3") expect_errors_like "rank 2 of 3 did not come" ;;
            *) complain "$moment: $statuses" ;;
        esac
        rm -f sum
        nothing_is_left
    done
}

@test "signals that the caller ignores stay ignored by all processes" {
    need_devices
    echo 'exec env --ignore-signal=HUP "$@"' >ignoring
    local command="bash ignoring reduce -d $device --gang --csv -n 1:60 -k tagged -w 0 -r 2"
    change=([0]="$command" [1]="$command")
    begin openmpi 2 reduce
    await_rows
    kill -HUP "${processes[@]}"
    finish
    expect_all 0
    [ "$(wc -l <out.0)" -eq 121 ]
}

@test "the checkers print their reports when a signal ends all processes" {
    need_devices
    begin_long openmpi 2 --check
    kill -INT "${processes[0]}"
    finish
    [ "$statuses" = 130 ] || complain "$statuses"
    [ "$(grep -c "ERROR SUMMARY: 0 errors" <<<"$errors")" -eq 2 ] || complain "expected two summaries"
    nothing_is_left
}

@test "a reader of the first process that goes away ends all processes quietly, like a single one" {
    need_devices
    # shellcheck disable=SC2016  # for another shell
    echo '"$@" | head -1; exit ${PIPESTATUS[0]}' >piped
    local reader
    for reader in 1 2; do
        change=([0]="bash piped reduce -d $device --gang --csv -n 1:9999 -k tagged -w 0 -r 2")
        begin openmpi 3 "${long[@]}"
        ended_by PIPE
        [ "$(wc -l <out.0)" -eq 1 ] || complain "expected the header"
    done
}

# ---- processes of several machines that have no folder in common: each has a connection to the first

@test "without a folder, a killed process also ends all within seconds, and one line names it" {
    need_devices
    comes_by_address
    local victim begun
    for victim in 0 1 2; do
        begin_long machines 3
        begun=$SECONDS
        kill -KILL "${processes[victim]}"
        finish
        [ $((SECONDS - begun)) -lt 10 ] || complain "it took $((SECONDS - begun)) s"
        [ "$(grep -c -E "^reduce: rank $victim( \(.*\))? has ended without a word" <<<"$errors")" -eq 1 ] || complain "$victim"
        [ "$(wc -l <<<"$errors")" -eq 1 ] || complain "expected one line on standard error"
        [ "$statuses" = "137 3" ] || [ "$statuses" = "3 137" ] || complain "$statuses"
    done
    right machines 3 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
}

@test "without a folder, a signal to one process ends all by it" {
    need_devices
    comes_by_address
    local victim
    for victim in 0 2; do
        begin_long machines 3
        kill -TERM "${processes[victim]}"
        ended_by TERM
    done
    begin_long machines 2
    kill -INT "${processes[@]}"
    ended_by INT
}

@test "without a folder, a process that fails ends all with its message and its exit status" {
    need_devices
    comes_by_address
    change=([2]="SIMCC_DEVICES=0")
    ends 3 "^reduce: rank 2 \(.*\): the simulator has no device" machines 3 reduce --gang -n 100
    change=([0]="SIMCC_DEVICES=0")
    ends 3 "^reduce: rank 0 \(.*\): the simulator has no device" machines 3 reduce --gang -n 100
    change=()
    ends 5 "^vecadd: rank 0 \(.*\): cannot write to '/dev/full'" machines 3 vecadd --gang -n 100 -k vector4 -o /dev/full
    ends 2 "^reduce: unknown option '--bad'" machines 3 reduce --gang --bad
    change=([1]="reduce -d sim --gang -n 5")
    ends 2 "rank 1 \(.*\) was started with 'reduce -d sim --gang -n 5'" machines 2 reduce --gang -n 6
}

@test "without a folder, processes that do not come, come twice or come from another run are named" {
    need_devices
    comes_by_address
    export GRIDUTILS_JOIN_TIMEOUT=1
    change=([1]="true -d")
    launch machines 3 reduce --gang -n 5
    [ "$statuses" = "0 3" ] || complain "$statuses"
    expect_errors_like "^reduce: rank 1 of 3 did not come to $place within 1 seconds"
    [ "$(wc -l <<<"$errors")" -eq 1 ] || complain "expected one line on standard error"
    # shellcheck disable=SC2046  # words
    capture env $(variables machines 1 2) reduce -d sim --gang -n 5
    expect_status 3
    expect_refusal reduce "rank 0 did not answer at $place within 1 seconds"
    change=()
    GRIDUTILS_JOIN_TIMEOUT=20 begin_long machines 2
    # shellcheck disable=SC2046
    capture env $(variables machines 1 2) reduce -d sim --gang -n 5
    expect_status 2
    expect_refusal reduce "there is another rank 1, on .*; give each process a number of its own"
    # shellcheck disable=SC2046
    capture env $(variables machines 2 3) reduce -d sim --gang -n 5
    expect_status 2
    expect_refusal reduce "rank 2 is one of 3 processes, and rank 0 at $place one of 2"
    # Any other connections are ignored.
    echo "GET / HTTP/1.0" >"/dev/tcp/${place/://}"
    echo "1 3 a lie" >"/dev/tcp/${place/://}"
    head -c 100000 /dev/urandom >"/dev/tcp/${place/://}" || true
    kill -TERM "${processes[0]}"
    ended_by TERM
}

@test "a port in use, or an address of another machine, is reported in one line" {
    need_devices
    comes_by_address
    # A different run holds the port.
    change=([1]="true -d")
    begin machines 2 reduce --gang -n 5
    local first=${processes[0]}
    listens() { (exec 4<>"/dev/tcp/${place/://}") 2>/dev/null; }
    await listens
    change=()
    # shellcheck disable=SC2046  # words
    capture env $(variables machines 0 2) reduce -d sim --gang -n 5
    expect_status 3
    expect_refusal reduce "$place, where ranks hear of each other's end, is in use: it is the port after that of NCCL_COMM_ID"
    kill "$first"
    wait "$first" || true
    # shellcheck disable=SC2046
    NCCL_COMM_ID=192.0.2.1:21000 capture env $(variables machines 0 2) reduce -d sim --gang -n 5
    expect_status 3
    expect_refusal reduce "cannot listen at 192.0.2.1:21001, .*; let NCCL_COMM_ID name an address of the machine that rank 0 runs on"
    local address
    for address in 127.0.0.1 :21000 127.0.0.1: 127.0.0.1:0 127.0.0.1:65535 127.0.0.1:99999999999 127.0.0.1:21k; do
        # shellcheck disable=SC2046
        NCCL_COMM_ID=$address capture env $(variables machines 0 2) reduce -d sim --gang -n 5
        expect_status 2
        expect_refusal reduce "NCCL_COMM_ID='$address' is not HOST:PORT with a port from 1 to 65534"
    done
    # The next run gets its port at once.
    right machines 2 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
    NCCL_COMM_ID=[::1]:${NCCL_COMM_ID##*:} right machines 2 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
}

# in_places COMMANDS: begins a mount namespace, runs the shell commands there, which limit the space of file systems,
# and lets all processes run in it. It lasts until teardown.
in_places() {
    unshare -m true 2>/dev/null || skip "no mount namespaces here"
    mkdir -p full
    unshare -m bash -e -c "cd '$scratch'; $1; touch made; exec sleep 600" 3>&- &
    keeper=$!
    for _ in {1..500}; do [ ! -e made ] || break; sleep 0.02; done
    [ -e made ] || skip "no file systems can be mounted here"
    local enter="nsenter -m -t $keeper --wd=$scratch env TMPDIR=$scratch/full"
    change=([0]="$enter" [1]="$enter" [2]="$enter")
}

teardown() {
    [ -z "${keeper-}" ] || kill "$keeper" 2>/dev/null || true
    cd / && rm -rf "$scratch"
}

# The contents of a folder in the namespace that processes ran in.
names_there() { nsenter -m -t "$keeper" ls -A "$1"; }

small() { echo "mount -t tmpfs -o size=$1 none $2"; }

@test "a full /dev/shm alone is no obstacle to processes of the simulator" {
    need_devices
    in_places "$(small 64k /dev/shm)"
    right openmpi 3 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
    [ -z "$(names_there /dev/shm)" ]
}

@test "if no file system has room for the ranks' shared memory, one line says so, and nothing is left behind" {
    need_devices
    # (Mounted over /tmp, where this test and the programs may lie.)
    in_places "mkdir root; mount --bind '$root' root; mount --rbind . /mnt; $(small 1m /tmp); mkdir -p '$scratch' '$root'; \
        mount --rbind /mnt '$scratch'; mount --bind '$scratch/root' '$root'; \
        $(small 64k /dev/shm); $(small 1m "'$scratch/full'")"
    launch openmpi 3 reduce --gang -n 100 -k tagged -w 0 -r 2
    [ "$statuses" = 3 ] || complain "$statuses"
    [ "$(grep -c "^reduce: rank 0 (.*): ncclGetUniqueId: .*neither /dev/shm nor TMPDIR nor /tmp has 32 MiB" <<<"$errors")" -eq 1 ] ||
        complain "expected a line of rank 0"
    [[ $errors != *"rank 1"* && $errors != *"rank 2"* ]] || complain "others have nothing to say"
    for place in /tmp /dev/shm "$scratch/full"; do
        [[ $(names_there "$place") != *gridutils* ]] || complain "left behind in $place: $(names_there "$place")"
    done
}

@test "a TMPDIR without room for the processes to meet ends all with exit status 3 and its name" {
    need_devices
    local pages begun
    # From no room at all to room for some of what they write: cards, then their messages.
    for pages in 0 1 2 3; do
        begun=$SECONDS
        rm -f made
        in_places "$(small "$((pages + 1))p" "'$scratch/full'" | sed "s/size=\([0-9]*\)p/size=\$((\1 * \$(getconf PAGESIZE)))/"); \
            head -c \"\$(getconf PAGESIZE)\" /dev/zero >full/filler"
        GRIDUTILS_JOIN_TIMEOUT=2 launch openmpi 3 reduce --gang -n 100 -k tagged -w 0 -r 2
        [ "$statuses" = 3 ] || complain "$pages pages: $statuses"
        expect_errors_like "cannot (create|write and lock) $scratch/full/.*: No space left on device; .*GRIDUTILS_RENDEZVOUS"
        [ $((SECONDS - begun)) -lt 15 ] || complain "it took $((SECONDS - begun)) s"
        [ "$(names_there "$scratch/full")" = filler ] || complain "left behind: $(names_there "$scratch/full")"
        kill "$keeper"
    done
}

@test "a file size limit gives an error with a message, not a signal" {
    need_devices
    echo 'ulimit -f 1; exec "$@"' >limited
    local command="bash limited reduce -d $device --gang -n 100 -k tagged -w 0 -r 2"
    change=([0]="$command" [1]="$command")
    launch openmpi 2 reduce
    [ "$statuses" = 3 ] || complain "$statuses"
    expect_errors_like "reduce: rank [01] \(.*\): ncclGroupEnd: .*File too large"
    nothing_is_left
}

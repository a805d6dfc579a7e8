#!/usr/bin/env bats
# What ends one of several processes ends all of them: signals, a reader that goes away, places without room.
# shellcheck disable=SC2154,SC2034  # helpers.bash sets $device and $output; launch.bash reads $change

load helpers
load launch

# ended_by SIGNAL: all processes, quietly, and soon.
ended_by() {
    local begun=$SECONDS
    finish
    [ $((SECONDS - begun)) -lt 10 ] || complain "it took $((SECONDS - begun)) s" || return
    [ "$statuses" = $((128 + $(kill -l "$1"))) ] || complain "$1: $statuses" || return
    [ -z "$errors" ] || complain "expected nothing on standard error" || return
    [ -z "$(cat out.[1-9])" ] || complain "others than the first have printed" || return
    nothing_is_left
}

@test "a signal to all processes, as Ctrl-C is, ends them all by it, and nothing is left behind" {
    need_devices
    local signal
    for signal in INT TERM INT HUP INT; do
        begin_long openmpi 3
        kill -"$signal" "${processes[@]}"
        ended_by "$signal"
    done
    # Two at once, the second before the first has been told.
    begin_long openmpi 3
    kill -INT "${processes[@]}"
    kill -INT "${processes[@]}"
    ended_by INT
}

has_unfinished() { [ -n "$(find . -name '.gridutils-*' -size +0)" ]; }

@test "a signal to one process ends the others by it, too, and an unfinished file goes with them" {
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

@test "a signal ends processes that wait for others to come, and their folder goes with them" {
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

@test "what the caller ignores stays ignored by all processes" {
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

@test "the checkers have their last words when a signal ends all processes" {
    need_devices
    begin_long openmpi 2 --check
    kill -INT "${processes[0]}"
    finish
    [ "$statuses" = 130 ] || complain "$statuses"
    [ "$(grep -c "ERROR SUMMARY: 0 errors" <<<"$errors")" -eq 2 ] || complain "expected two summaries"
    nothing_is_left
}

@test "a reader of the first process that goes away ends all quietly, as it ends one" {
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

# in_places COMMANDS: begins a mount namespace in which COMMANDS, for the shell, have made places small, and lets all
# processes run there. It lasts until teardown.
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

# What lies in a place of the namespace that processes ran in.
names_there() { nsenter -m -t "$keeper" ls -A "$1"; }

small() { echo "mount -t tmpfs -o size=$1 none $2"; }

@test "a full /dev/shm alone is no obstacle to processes of the simulator" {
    need_devices
    in_places "$(small 64k /dev/shm)"
    right openmpi 3 reduce --gang --csv -n 100 -k tagged -w 0 -r 2
    [ -z "$(names_there /dev/shm)" ]
}

@test "where no place has room for what ranks share, one line says so, and nothing is left behind" {
    need_devices
    # (Over /tmp, where this test may lie, too, and the programs.)
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

@test "a TMPDIR without room for the processes to find each other ends all with exit status 3 and its name" {
    need_devices
    local pages begun
    # From none at all to some of what they write: cards, then what they tell each other.
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

@test "a limit of the size of files is an error with a message, and no signal" {
    need_devices
    echo 'ulimit -f 1; exec "$@"' >limited
    local command="bash limited reduce -d $device --gang -n 100 -k tagged -w 0 -r 2"
    change=([0]="$command" [1]="$command")
    launch openmpi 2 reduce
    [ "$statuses" = 3 ] || complain "$statuses"
    expect_errors_like "reduce: rank [01] \(.*\): ncclGroupEnd: .*File too large"
    nothing_is_left
}

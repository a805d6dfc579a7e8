#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# For tests of gangs of several processes: starts processes as launchers do.
# shellcheck disable=SC2154,SC2034  # helpers.bash sets $device, $output and $status

# variables LAUNCHER RANK RANKS: prints what a launcher sets for a process if all are on one machine.
variables() {
    case $1 in
        openmpi)
            echo "OMPI_COMM_WORLD_RANK=$2 OMPI_COMM_WORLD_SIZE=$3 OMPI_COMM_WORLD_LOCAL_RANK=$2 OMPI_COMM_WORLD_LOCAL_SIZE=$3" \
                "PMIX_NAMESPACE=${JOB-job}"
            ;;
        torchrun)
            echo "RANK=$2 WORLD_SIZE=$3 LOCAL_RANK=$2 LOCAL_WORLD_SIZE=$3 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none"
            ;;
        mpich) echo "PMI_RANK=$2 PMI_SIZE=$3 MPI_LOCALRANKID=$2 MPI_LOCALNRANKS=$3" ;;
        srun)
            echo "SLURM_PROCID=$2 SLURM_STEP_NUM_TASKS=$3 SLURM_LOCALID=$2 SLURM_STEP_TASKS_PER_NODE=$3 SLURM_NODEID=0" \
                "SLURM_JOB_ID=7 SLURM_STEP_ID=1 PMI_RANK=$2 PMI_SIZE=$3"
            ;;
        # Each process is on a machine of its own.
        machines)
            echo "OMPI_COMM_WORLD_RANK=$2 OMPI_COMM_WORLD_SIZE=$3 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1"
            ;;
    esac
}

# begin LAUNCHER RANKS PROGRAM [ARGUMENT]...: starts the processes. ${change[RANK]} is what differs for one of them:
# more variables, or a command with -d in place of the others'. (Bash lets what it starts in the background ignore
# Ctrl-C.)
declare -a change=() processes=()
begin() {
    local launcher=$1 ranks=$2 rank words
    shift 2
    export TMPDIR=$scratch
    processes=()
    for ((rank = 0; rank < ranks; ++rank)); do
        words="$(variables "$launcher" "$rank" "$ranks") ${change[$rank]-}"
        [[ ${change[$rank]-} == *" -d "* ]] || words+=" $1 -d $device ${*:2}"
        # shellcheck disable=SC2086  # words
        env --default-signal=INT $words >"out.$rank" 2>"err.$rank" 3>&- &
        processes+=($!)
    done
}

# comes_by_address: sets NCCL_COMM_ID to an address where nobody listens, nor at the next port, whose address is in
# $place.
comes_by_address() {
    local port
    for ((port = 20000 + $$ % 5000 * 2; ; port += 2)); do
        if ! (exec 4<>"/dev/tcp/127.0.0.1/$((port + 1))") 2>/dev/null; then break; fi
    done
    export NCCL_COMM_ID=127.0.0.1:$port
    place=127.0.0.1:$((port + 1))
}

# Waits for the processes. $statuses has their different exit statuses, $status that of the first process, $output what
# the first printed, and $errors what all wrote to standard error.
finish() {
    local process all=''
    for process in "${processes[@]}"; do
        status=0
        wait "$process" || status=$?
        all+="$status "
    done
    statuses=$(tr ' ' '\n' <<<"$all" | grep . | sort -u | paste -sd ' ')
    status=${all%% *} output=$(cat out.0) errors=$(cat err.*)
}

launch() {
    begin "$@"
    finish
}

# All processes ended with this status, and only the first one printed anything.
expect_all() {
    [ "$statuses" = "$1" ] || complain "expected the exit status $1 of all, not $statuses" || return
    [ -z "$(cat out.[1-9] 2>/dev/null)" ] || complain "processes other than the first have printed: $(cat out.[1-9])" || return
    nothing_is_left
}

nothing_is_left() {
    local left
    left=$(find "$scratch" /dev/shm -maxdepth 1 \( -name "gridutils-$(id -u)-*" -o -name '.gridutils-*' \) -print 2>/dev/null)
    [ -z "$left" ] || complain "left behind: $left"
}

# ends STATUS PATTERN LAUNCHER RANKS PROGRAM...: all end with this status, and one of them says why in one line.
ends() {
    local expected=$1 pattern=$2
    shift 2
    launch "$@"
    if ! { expect_all "$expected" && expect_errors_like "$pattern"; }; then return 1; fi
    [ "$(wc -l <<<"$errors")" -eq 1 ] || complain "expected one line on standard error"
}

right() {
    launch "$@"
    expect_all 0 || return
    [ -z "$errors" ] || complain "expected nothing on standard error" || return
    [ "$(column verify | sort -u)" = pass ] || complain "not all rows are right"
}

need_devices() { on_simulator || skip "as many devices as it likes"; }

# await COMMAND...: waits until the command succeeds.
await() {
    for _ in {1..3000}; do
        if "$@"; then return; fi
        sleep 0.02
    done
    complain "waited in vain: $*: $(cat err.*)"
}

# A run that takes minutes. begin_long LAUNCHER RANKS [OPTION]... starts it and waits until the first process has
# printed the header and two rows.
long=(reduce --gang --csv -n 1:9999 -k tagged -w 0 -r 2)
begin_long() {
    begin "$1" "$2" "${long[@]}" "${@:3}"
    await_rows
}
await_rows() { await has_rows out.0; }
has_rows() { [ "$(wc -l <"$1")" -ge 3 ]; }

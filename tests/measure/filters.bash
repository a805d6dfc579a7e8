#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether filters run at the machine's limits: a row per goal, with our rate and that of a peer in GB/s of input, and the
# processor time of each.
#
#   tests/measure/filters.bash [host]    without a GPU: about a minute, 5 GB of TMPDIR, 10 GB of memory for its pages
#   tests/measure/filters.bash gpu       on the first GPU, the same peers, the page cache and the bus: about five minutes,
#                                        52 GB of TMPDIR, 60 GB of memory
#   tests/measure/filters.bash gang      on all GPUs, with one of them and the page cache as peers: about two minutes
#
# Ours and the peer take turns, and the best of five runs counts: other work on the machine makes both slower. If it is
# busy, compare processor times: the last column has their ratio, or for text the GB that one core parses per second of
# its time. numpy is a peer if `python3 -c 'import numpy'` works; NUMPY=PYTHON names another
# interpreter. A row is NOT MET by wall-clock time alone. With `gpu`, what a file of a MiB takes, which is the start of CUDA,
# is printed, and taken from our times.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
where=${1-host}
rounds=${ROUNDS-5}
python=${NUMPY-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
device=sim
[ "$where" = host ] || device=gpu

# timed COMMAND FILE: appends wall-clock and processor seconds of the shell command to the file.
timed() {
    local TIMEFORMAT='%R %U %S'
    { time bash -o pipefail -c "$1" >/dev/null 2>errors; } 2>&1 | awk '{ print $1, $2 + $3 }' >>"$2"
}

start=0 start_cpu=0  # seconds before a filter reads

# goal NAME BYTES RATIO OURS [PEER]: our rate must be RATIO times the peer's; without a peer, RATIO is in GB/s.
goal() {
    local name=$1 bytes=$2 ratio=$3 ours=$4 peer=${5-} round
    : >ours
    : >peer
    for ((round = 0; round < rounds; ++round)); do
        timed "$ours" ours
        [ -z "$peer" ] || timed "$peer" peer
    done
    awk -v name="$name" -v bytes="$bytes" -v goal="$ratio" -v has_peer="${peer:+1}" -v start="$start" -v start_cpu="$start_cpu" '
        function least(value, i) { best[value, i] = best[value, i] == "" || $i < best[value, i] ? $i : best[value, i] }
        { of = FILENAME; least(of, 1); least(of, 2) }
        END {
            best["ours", 1] -= start
            best["ours", 2] -= start_cpu
            rate = bytes / best["ours", 1] / 1e9
            if (has_peer) {
                of_peer = bytes / best["peer", 1] / 1e9
                got = rate / of_peer
                busy = sprintf("%.2f", best["peer", 2] / (best["ours", 2] + 1e-9))
            } else {
                of_peer = 0; got = rate
                busy = sprintf("%.2f", bytes / best["ours", 2] / 1e9)
            }
            printf "%-44s %8.2f %8.2f %7.2f %6.2f  %-7s %8.2f %8.2f %6s\n", name, rate, of_peer, got, goal, (got >= goal ? "met" : "NOT MET"), best["ours", 2], best["peer", 2], busy
        }' ours peer
}

# A GiB of f32 and of other types, and text: a number per line.
perl -e 'srand 1; print pack "f<*", map { rand } 1 .. 262144' >mebibyte
for ((i = 0; i < 1024; ++i)); do cat mebibyte; done >one
cat one one one one >four
seq 60000000 >whole.txt
perl -e 'srand 1; printf "%.6f\n", 1000 * rand for 1 .. 1000000' >million
perl -e 'srand 1; printf "%.17g\n", rand for 1 .. 500000' >digits
for ((i = 0; i < 40; ++i)); do cat million; done >decimals.txt
for ((i = 0; i < 40; ++i)); do cat digits; done >doubles.txt
raw="--input-format raw:f32 -d $device"

# size FILE...: their size in bytes.
size() { cat "$@" | wc -c; }

# usable_cores: those that parse text, 32 at most.
usable_cores() { awk -v cores="$(nproc)" 'BEGIN { print cores < 32 ? cores : 32 }'; }

# read_at_once FILE READERS: a command that reads the file in equal parts, all at once.
read_at_once() {
    local blocks=$(($(size "$1") / $2 >> 20))
    echo "for ((i = 0; i < $2; ++i)); do dd if=$1 of=/dev/null bs=1M skip=\$((i * $blocks)) count=$blocks & done; wait"
}

printf '%-44s %8s %8s %7s %6s  %-7s %8s %8s %6s\n' goal GB/s peer ratio goal met 'cpu s' 'peer cpu' 'by cpu'
if [ "$where" = host ]; then
    goal "reduce FILE: dd bs=8M" "$(size four)" 0.95 "reduce $raw four" 'dd if=four of=/dev/null bs=8M'
    goal "cat | reduce -: cat | cat" "$(size four)" 0.95 "cat four | reduce $raw -" 'cat four | cat >/dev/null'
    goal "vecadd FILE FILE: dd of both" "$(size one one)" 0.95 "vecadd $raw one one" 'dd if=one of=/dev/null bs=8M; dd if=one of=/dev/null bs=8M'
    goal "cat | conv1d -: cat | cat" "$(size one)" 0.95 "cat one | conv1d $raw -" 'cat one | cat >/dev/null'
    if "$python" -c 'import numpy' 2>/dev/null; then
        sum="$python -c 'import numpy; print(numpy.fromfile(\"one\", numpy.float32).sum())'"
        goal "reduce FILE, one core: numpy" "$(size one)" 1 "taskset -c 0 reduce $raw one" "taskset -c 0 $sum"
        goal "reduce FILE, two cores: numpy" "$(size one)" 1 "taskset -c 0,1 reduce $raw one" "taskset -c 0,1 $sum"
    fi
    for kind in whole decimals doubles; do
        goal "reduce $kind.txt, one core" "$(size $kind.txt)" 1 "taskset -c 0 reduce -d sim $kind.txt"
    done
    cores=$(usable_cores)
    for kind in whole decimals doubles; do
        goal "reduce $kind.txt, $cores cores" "$(size $kind.txt)" "$cores" "reduce -d sim $kind.txt"
    done
elif [ "$where" = gang ]; then
    cat four four four four >sixteen
    gpus=$(devquery -d all --prop ordinal --value | wc -l)
    raw="--input-format raw:f32"
    # Twelve readers for each GPU, at most 32, as reduce has, and no more than processors.
    readers=$((gpus > 2 ? 32 : 12 * gpus))
    [ "$readers" -le "$(nproc)" ] || readers=$(nproc)
    cached=$(read_at_once sixteen "$readers")
    goal "reduce --gang FILE, $gpus GPUs: one GPU" "$(size sixteen)" 1 "reduce --gang $raw sixteen" "reduce -d 0 $raw sixteen"
    goal "reduce --gang FILE: $readers dd at once" "$(size sixteen)" 0.5 "reduce --gang $raw sixteen" "$cached"
    goal "vecadd --gang FILE FILE: one GPU" "$(size sixteen sixteen)" 1 "vecadd --gang $raw sixteen sixteen" "vecadd -d 0 $raw sixteen sixteen"
    for kind in whole decimals doubles; do
        goal "reduce --gang $kind.txt: one GPU" "$(size $kind.txt)" 1 "reduce --gang $kind.txt" "reduce -d 0 $kind.txt"
    done
else
    cores=$(usable_cores) readers=16
    [ "$readers" -le "$cores" ] || readers=$cores
    for ((i = 0; i < 8; ++i)); do cat four; done >big
    for kind in whole decimals doubles; do
        mv $kind.txt part
        for ((i = 0; i < 8; ++i)); do cat part; done >$kind.txt
    done
    bus=$(transfer -d gpu -q -n 256Mi -k pinned-h2d --csv | awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR == 2 { print $at["gbyte_per_s"] }')
    printf 'the bus, as transfer measures it: %s GB/s\n' "$bus"
    for ((round = 0; round < rounds; ++round)); do timed "reduce $raw mebibyte" starts; done
    read -r start start_cpu < <(sort -n starts)
    printf 'the start of CUDA: %s s, %s s of processor time\n' "$start" "$start_cpu"
    goal "reduce FILE: $readers dd at once" "$(size big)" 0.95 "reduce $raw big" "$(read_at_once big "$readers")"
    goal "reduce FILE: GB/s, goal 0.95 of the bus" "$(size big)" "$(awk -v bus="$bus" 'BEGIN { print 0.95 * bus }')" "reduce $raw big"
    goal "cat | reduce -: cat | cat" "$(size four)" 0.95 "cat four | reduce $raw -" 'cat four | cat >/dev/null'
    goal "vecadd FILE FILE: dd of both" "$(size four four)" 0.95 "vecadd $raw four four" 'dd if=four of=/dev/null bs=8M; dd if=four of=/dev/null bs=8M'
    goal "cat | conv1d -: cat | cat" "$(size four)" 0.95 "cat four | conv1d $raw -" 'cat four | cat >/dev/null'
    for kind in whole decimals doubles; do
        goal "reduce $kind.txt, $cores cores" "$(size $kind.txt)" "$cores" "reduce -d gpu $kind.txt"
    done
fi

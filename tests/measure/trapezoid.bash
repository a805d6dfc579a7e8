#!/usr/bin/env bash
# Measures trapezoid on a GPU, beside what was published and beside its own limits.
#     bash tests/measure/trapezoid.bash [BIN]     a minute; BIN is bin/ unless it is given
# First the textbook's table, 2^20 trapezoids in blocks of 32: milliseconds, published on a GK20A and a Titan X, ours, and
# how much faster the step is than one atomic per thread. Then large sizes: each variant's trapezoids per nanosecond and
# its ratio to atomic, which it is sampled in turns with. Then what expressions cost that are compiled at run time: the
# same function in both ways, and how long a start takes. The GPU should be idle.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH
trapezoid -q -d gpu -k block -n 1 -w 0 -r 1 --csv >/dev/null || { echo "trapezoid.bash: no GPU to measure on" >&2 && exit 77; }

# rows FIELD... OPTION...: those fields of a run's rows, separated by blanks. -- separates the two.
rows() {
    local fields=""
    while [ "$1" != -- ]; do
        fields+=${fields:+,}$1
        shift
    done
    shift
    trapezoid -q -d gpu --csv "$@" | mlr --icsv --onidx cut -o -f "$fields"
}

echo "variant  ours_ms  GK20A_ms  Titan_X_ms  times_atomic  goal met   (f32, 2^20 trapezoids, blocks of 32)"
declare -A gk20a=([atomic]=20.7 [shuffle]=14.4 [dissemination]=15.0)
declare -A titan_x=([atomic]=3.08 [shuffle]=0.210 [dissemination]=0.206)
while read -r kernel median ratio; do
    # The published steps gain 14.7 and 15.0 times on the Titan X, 1.4 on the GK20A.
    goal=- met=-
    case $kernel in
        shuffle | dissemination | block | grid-stride)
            goal=1.4 met=$(awk -v ratio="$ratio" 'BEGIN { print (ratio >= 1.4 ? "yes" : "no") }') ;;
    esac
    awk -v ns="$median" -v kernel="$kernel" -v a="${gk20a[$kernel]--}" -v b="${titan_x[$kernel]--}" -v r="$ratio" -v goal=$goal -v met="$met" \
        'BEGIN { printf "%-14s %8.4f %6s %6s %8.2f %5s %s\n", kernel, ns / 1e6, a, b, r, goal, met }'
done < <(rows kernel median_ns versus_ratio -- -b 32 -n 1Mi --versus atomic)

echo
echo "type  n  variant  trapezoids_per_ns  times_atomic"
for dtype in f32 f64; do
    for n in 1Mi 64Mi; do
        rows dtype n kernel median_ns versus_ratio -- -t $dtype -n $n -k 'atomic,shuffle,dissemination,block,grid-stride' --versus atomic |
            awk '{ printf "%s %11d %-14s %9.2f %9.2f\n", $1, $2, $3, $2 / $4, $5 }'
    done
    for function in parabola lorentz sin gauss sqrt; do
        rows dtype n kernel median_ns p_function -- -t $dtype -n 1Gi -k grid-stride --function $function --no-verify |
            awk '{ printf "%s %11d %-14s %9.2f         - %s\n", $1, $2, $3, $2 / $4, $5 }'
    done
done

echo
echo "function  compiled  trapezoids_per_ns  start_s   (f32, 2^28 trapezoids, grid-stride; goal: at least 0.95 of the built-in one)"
for function in 'x^2+1' '1+x^2'; do
    per_ns=$(rows n median_ns -- -n 256Mi -k grid-stride --function "$function" --from -3 --to 3 --no-verify | awk '{ printf "%.2f", $1 / $2 }')
    trapezoid -q -d gpu -n 1 -k grid-stride --function "$function" -w 0 -r 1 --csv >/dev/null
    start=$({ TIMEFORMAT=%R; time trapezoid -q -d gpu -n 1 -k grid-stride --function "$function" -w 0 -r 1 --csv >/dev/null; } 2>&1)
    case $function in 'x^2+1') how=before built_in=$per_ns ;; *) how="at run time" ;; esac
    echo "$function  $how  $per_ns  $start  $(awk -v a="$per_ns" -v b="$built_in" 'BEGIN { printf "%.3f of it: %s", a / b, (a >= 0.95 * b ? "met" : "NOT MET") }')"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures trapezoid on a GPU, and compares it with published times and with CUB.
#     bash tests/measure/trapezoid.bash [BIN]     a minute or two; BIN is bin/ by default
# First the textbook's table, 2^20 trapezoids in blocks of 32: our times in milliseconds, those published for a GK20A and
# a Titan X, and the speedup over one atomic per thread. Then our best against CUB, with samples in turns, from small
# sizes to large ones. Then trapezoids per nanosecond for every variant and function. Then the cost of compiling the
# function at run time: the same function in both ways, and how long a start takes. The GPU should be idle.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH
trapezoid -q -d gpu -k block -n 1 -w 0 -r 1 --csv >/dev/null ||
    { echo "trapezoid.bash: no GPU to measure on" >&2 && exit 77; }

# rows FIELDS OPTION...: these fields of a run's rows, separated by blanks.
rows() {
    local fields=$1
    shift
    trapezoid -q -d gpu --csv "$@" | mlr --icsv --onidx cut -o -f "$fields"
}

# scaled NUMBER DIVISOR
scaled() { awk -v number="$1" -v divisor="$2" 'BEGIN { printf "%.4f", number / divisor }'; }

# met RATIO GOAL
met() { awk -v ratio="$1" -v goal="$2" 'BEGIN { print (ratio >= goal ? "met" : "NOT MET") }'; }

echo "f32, 2^20 trapezoids, blocks of 32: the published steps gain 14.7 and 15.0 times on the Titan X, 1.4 on the GK20A"
echo "variant ours_ms GK20A_ms Titan_X_ms times_atomic goal met"
declare -A gk20a=([atomic]=20.7 [shuffle]=14.4 [dissemination]=15.0)
declare -A titan_x=([atomic]=3.08 [shuffle]=0.210 [dissemination]=0.206)
while read -r kernel median ratio; do
    goal=- verdict=-
    case $kernel in
        shuffle | dissemination | block | grid-stride) goal=1.4 verdict=$(met "$ratio" 1.4) ;;
    esac
    echo "$kernel $(scaled "$median" 1e6) ${gk20a[$kernel]--} ${titan_x[$kernel]--}" \
        "$ratio $goal $verdict"
done < <(rows kernel,median_ns,versus_ratio -b 32 -n 1Mi --versus atomic)

echo
echo "type n ours_us times_cub from to goal met"
for dtype in f32 f64; do
    while read -r kernel n median ratio low high; do
        [ "$kernel" = grid-stride ] || continue
        echo "$dtype $n $(scaled "$median" 1e3) $ratio $low $high 1.0 $(met "$ratio" 1)"
    done < <(rows kernel,n,median_ns,versus_ratio,versus_low,versus_high -t $dtype -k grid-stride,cub --versus cub \
        -n 1Ki,16Ki,256Ki,1Mi,16Mi,256Mi,1Gi --no-verify)
done

echo
echo "type n variant function trapezoids_per_ns"
for dtype in f32 f64; do
    for size in 1Mi 64Mi; do
        rows dtype,n,kernel,p_function,median_ns -t $dtype -n $size -k 'atomic,shuffle,dissemination,block,grid-stride'
    done
    for function in parabola lorentz sin gauss sqrt; do
        rows dtype,n,kernel,p_function,median_ns -t $dtype -n 1Gi -k grid-stride --function $function --no-verify
    done
done | awk '{ printf "%s %s %s %s %.2f\n", $1, $2, $3, $4, $2 / $5 }'

echo
echo "f32, 2^28 trapezoids: compiled with the program, and at run time"
echo "function trapezoids_per_ns start_s ratio goal met"
TIMEFORMAT=%R
for function in 'x^2+1' '1+x^2'; do
    per_ns=$(rows n,median_ns -n 256Mi -k grid-stride --function "$function" --from -3 --to 3 --no-verify |
        awk '{ printf "%.2f", $1 / $2 }')
    start=$({ time rows n -n 1 -k grid-stride --function "$function" -w 0 -r 1 >/dev/null; } 2>&1)
    built_in=${built_in-$per_ns}
    ratio=$(awk -v ours="$per_ns" -v built_in="$built_in" 'BEGIN { printf "%.3f", ours / built_in }')
    echo "$function $per_ns $start $ratio 0.95 $(met "$ratio" 0.95)"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ten thousand small expressions over all operators, types and intrinsics (tests/expressions/generate.pl), evaluated in
# the simulator, or by a GPU, and compared bit by bit with what a GPU answered before (tests/expressions/gpu.txt).
#
#     tests/expressions/compare.bash sim [EVERY [FIRST]] [-- OPTION...]    built by simcc, with these options
#     tests/expressions/compare.bash gpu [EVERY [FIRST]] [-- OPTION...]    built by nvcc, and run on the GPU
#     tests/expressions/compare.bash record FILE                           makes gpu.txt of the output of a GPU's program
#
# EVERY 1, the default, takes all of them, 20 one in twenty. tests/expressions/differences.txt lists those that may
# differ, with the reasons. Prints a line for each other that does, and the counts; exits 1 if there are any.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
answers=$here/gpu.txt
usage() {
    sed -n '5,7s/^# *//p' "$0" >&2
    exit 2
}

# The recorded answers, a line each: number and hash.
recorded() { grep -v '^#' "$answers" | tr ' ' '\n' | awk '{ print NR - 1, $1 }'; }

# The numbers of the expressions that may differ. A row of differences.txt is a pattern of types and text, and a reason.
differing() {
    perl "$here/generate.pl" --list | perl -e '
        open my $rows, "<", shift or die;
        my @patterns = map { (split /\t/)[0] } grep { !/^#/ && /\t/ } <$rows>;
        while (<STDIN>) {
            my ($number, $text) = /^(\d+)\t(.*)/ or die;
            print "$number\n" if grep { $text =~ /$_/ } @patterns;
        }' "$here/differences.txt"
}

[ $# -ge 1 ] || usage
mode=$1
shift
if [ "$mode" = record ]; then
    [ $# -eq 1 ] || usage
    echo "# Hashes of what a GPU answered, ten a line: tests/expressions/compare.bash record"
    awk '{ printf "%s%s", $2, NR % 10 ? " " : "\n" }' "$1"
    exit
fi

every=1 first=0
if [ $# -gt 0 ] && [ "$1" != -- ]; then every=$1 && shift; fi
if [ $# -gt 0 ] && [ "$1" != -- ]; then first=$1 && shift; fi
if [ $# -gt 0 ]; then shift; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
perl "$here/generate.pl" "$every" "$first" >"$work/expressions.cu"
case $mode in
    sim) simcc -w -I "$here" "$@" "$work/expressions.cu" -o "$work/expressions" ;;
    gpu) "${NVCC:-nvcc}" -w -std=c++17 -arch=native -fmad=false -I "$here" "$@" "$work/expressions.cu" -o "$work/expressions" ;;
    *) usage ;;
esac
"$work/expressions" >"$work/seen"
differing >"$work/differing"
recorded >"$work/recorded"
perl "$here/generate.pl" --list >"$work/list"
awk -F '[ \t]' '
    FILENAME ~ /differing$/ { may_differ[$1] = 1; next }
    FILENAME ~ /recorded$/ { answer[$1] = $2; next }
    FILENAME ~ /list$/ { number = $1; sub(/^[0-9]+\t/, ""); text[number] = $0; next }
    {
        ++count
        if ($2 == answer[$1]) ++same
        else if ($1 in may_differ) ++documented
        else { ++different; print "expression " $1 ": " text[$1] }
    }
    END {
        printf "%d expressions: %d the same, %d with a documented difference, %d different\n", count, same, documented, different
        exit different > 0
    }' "$work/differing" "$work/recorded" "$work/list" "$work/seen"

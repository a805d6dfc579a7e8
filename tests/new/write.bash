#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# write.bash NAME: writes the four files of a small program that works, verified and tested, to begin one's own from.
# They are those of this folder with another name. (`make new NAME=x` calls it.)
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

refuse() {
    echo "make new: $1" >&2
    exit 2
}

name=${1-}
[ -n "$name" ] || refuse "a name is missing: make new NAME=x"
[[ $name =~ ^[a-z][a-z0-9]*$ ]] || refuse "'$name' is no name for a program: use a to z and digits, a letter first"
case $(type -t -- "$name" || true) in
    builtin | keyword) refuse "'$name' is a word of the shell; choose another name" ;;
esac
if grep -q "^$name()" tests/helpers.bash; then refuse "'$name' is a function of the tests; choose another name"; fi

declare -A made=(
    [scale.cu]=tools/$name.cu
    [scale.cuh]=kernels/$name.cuh
    [scale.bats]=tests/$name.bats
    [scale.1]=man/$name.1
)
for file in "${made[@]}" "tools/$name.cpp" "tools/$name" "kernels/$name" "tests/$name" "tests/$name.bash"; do
    [ ! -e "$file" ] || refuse "$file is there already; choose another name"
done
for model in "${!made[@]}"; do
    sed "s/^\.Dd .*/.Dd $(date '+%B %-d, %Y')/; s/scale/$name/g; s/Scale/${name^}/g; s/SCALE/${name^^}/g" \
        "tests/new/$model" >"${made[$model]}"
done
# A longer or shorter name may want other breaks of lines.
if command -v clang-format >/dev/null; then clang-format -i "tools/$name.cu" "kernels/$name.cuh"; fi
printf '%s\n' "tools/$name.cu, kernels/$name.cuh, tests/$name.bats and man/$name.1 are written." \
    "make bin/$name && bats tests/$name.bats builds and tests it."

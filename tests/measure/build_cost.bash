#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a clean build costs: CPU-seconds (user and system) of every object, the most expensive first, and their sum.
#     tests/measure/build_cost.bash [MAKE ARGUMENT]...      for example NVCC= (without nvcc), ARCHS=90a, bin/reduce
# Builds a copy of the tree in a temporary folder, with a shell for make that times each recipe line. The sum counts
# processor time, so a busy machine changes it little; make's own time for reading the Makefile is not included.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
(cd "$root" && git ls-files -z --cached --others --exclude-standard |
    tar --null --files-from=- --ignore-failed-read -cf -) 2>/dev/null | tar -xf - -C "$copy"
# `make toolkit` has put nvcc into a folder that git ignores.
if [ -d "$root/build/toolkit" ]; then mkdir -p "$copy/build" && ln -s "$root/build/toolkit" "$copy/build/toolkit"; fi

cat >"$copy/timing-shell" <<'SHELL'
#!/usr/bin/env bash
# Runs sh -c LINE, and adds a row to the log: CPU-seconds, a tab, the file that the line writes.
TIMEFORMAT='%U %S'
row=$(mktemp "$COST_LOG.XXXXXX")
{ time /bin/sh "$@" 2>&3; } 3>&2 2>"$row"
status=$?
read -r user system <"$row"
rm -f "$row"
product='the rest'
if [[ ${!#} =~ \ -o\ ([^ ]+) ]]; then product=${BASH_REMATCH[1]}; fi
awk -v "a=$user" -v "b=$system" -v "name=$product" 'BEGIN { printf "%.2f\t%s\n", a + b, name }' >>"$COST_LOG"
exit $status
SHELL
chmod +x "$copy/timing-shell"

export COST_LOG=$copy/cost.log
make -s -C "$copy" -j"$(nproc)" SHELL="$copy/timing-shell" "${@:-all}" >"$copy/make.log" 2>&1 ||
    { cat "$copy/make.log" >&2 && exit 1; }
awk -F '\t' '{ cost[$2] += $1; sum += $1 }
    END { for (name in cost) printf "%8.2f  %s\n", cost[name], name; printf "%8.2f  sum\n", sum }' "$COST_LOG" |
    sort -k 1,1rn -k 2

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every plant of memcheckdemo and every corrected twin under a checker, and scores its findings by two figures.
#
#     tests/long/scoreboard.bash sim|gpu [FOLDER]
#
# sim: each plant and each twin under --check. A plant that the simulator should find must end with exit status 86, and
# its report must have the expected class and name the faulty line; a twin must end with 0 and no report. gpu: each plant
# under its own compute-sanitizer command, where the first finding must match the plant's regular expression and some
# finding must name the faulty line, and a plant that no tool reports must give none; each twin under all four tools,
# which must find nothing.
#
# Prints a row per plant, as CSV, then "found N of M" and "false N of M" on standard error, each with the names of the
# failures. Exits 0 only if there are none. The reports are kept in FOLDER.
set -u

backend=${1-}
case $backend in
    sim | gpu) ;;
    *) echo "Usage: tests/long/scoreboard.bash sim|gpu [FOLDER]" >&2; exit 2 ;;
esac
demo=$(cd "$(dirname "$0")/../.." && pwd)/bin/memcheckdemo
logs=${2:-$(mktemp -d)}
mkdir -p "$logs" || exit
export demo logs backend

# ---- one run: its report in $logs/NAME, its exit status in $logs/NAME.status

# keep NAME COMMAND...
keep() {
    local name=$1 status=0
    shift
    timeout -k 2 60 "$@" >"$logs/$name" 2>&1 </dev/null || status=$?
    echo "$status" >"$logs/$name.status"
}

# run_one PLANT FLAGS: all runs of a plant and its twin. FLAGS are compute-sanitizer's, or the simulator's besides
# --check.
run_one() {
    local plant=$1 tool
    local -a flags
    read -r -a flags <<<"$2"
    if [ "$backend" = sim ]; then
        keep "$plant" "$demo" -d sim --check ${flags[@]+"${flags[@]}"} "$plant"
        keep "$plant.twin" "$demo" -d sim --check ${flags[@]+"${flags[@]}"} --fixed "$plant"
        return
    fi
    keep "$plant.bare" "$demo" -d gpu "$plant"
    keep "$plant" compute-sanitizer "${flags[@]}" "$demo" -d gpu "$plant"
    # The twin runs below, under each tool.
    if [ ${#flags[@]} -gt 2 ]; then
        keep "$plant.twin" compute-sanitizer "${flags[@]}" "$demo" -d gpu --fixed "$plant"
    fi
    for tool in memcheck racecheck initcheck synccheck; do
        keep "$plant.twin.$tool" compute-sanitizer --tool "$tool" "$demo" -d gpu --fixed "$plant"
    done
}
export -f run_one keep

# ---- judging a report

# findings FILE: the first line of each finding.
beginnings="Invalid |Program hit |Leaked |Malloc/Free [Ee]rror|Stack overflow|Error: |Warning: |Address |Warp "
beginnings+="|Unknown Error|Uninitialized |Unused memory|Host API |Barrier error|Deadlock"
findings() {
    sed -n -E 's/^=========  ?([^ ])/\1/p' "$1" | grep -E "^($beginnings)" |
        grep -v -E "^Error: (No attachable|Target application)"
}

# classes FILE: the checkers with findings, each once, as in "initcheck+racecheck"; none if there are no findings.
classes() {
    local all
    all=$(findings "$1" | sed -E '
        s/^((Error|Warning): Race|.*hazard).*/racecheck/
        s/^(Uninitialized |Unused |Host API ).*/initcheck/
        s/^(Barrier |Deadlock).*/synccheck/
        /^(racecheck|initcheck|synccheck)$/!s/.*/memcheck/' | sort -u | paste -sd +)
    echo "${all:-none}"
}

# names_line FILE PLACES: whether the report names one of PLACES, as in "a.cuh:12 and a.cuh:15".
names_line() {
    local place
    for place in ${2// and / }; do
        if grep -q -E "^=========.*${place##*/}([^0-9]|\$)" "$1"; then return 0; fi
    done
    return 1
}

# is_clean NAME: the run ended with 0, reported nothing, and has a summary if its checker writes one.
is_clean() {
    [ "$(cat "$logs/$1.status")" = 0 ] || return
    if [ "$backend" = gpu ]; then
        grep -q -E '^========= (ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards)' "$logs/$1" || return
    fi
    [ -z "$(findings "$logs/$1")" ]
}

# ---- all of them

list=$("$demo" -d "$backend" --list --json) || exit
# If the GPU can access the host's memory, a kernel may use a host pointer.
legal=none
reaches_host=$("${demo%/*}/devquery" -d "$backend" --prop pageable_memory_access --value 2>/dev/null)
if [ "$backend" = gpu ] && [ "$reaches_host" = 1 ]; then legal=host-ptr-on-device; fi
field=flags
if [ "$backend" = sim ]; then field=simulator_flags; fi
# shellcheck disable=SC2016  # the inner bash expands
jq -r --arg field "$field" '.plant, (.[$field] // "")' <<<"$list" |
    tr '\n' '\0' | xargs -0 -n 2 -P "${SCOREBOARD_JOBS:-2}" bash -c 'run_one "$1" "$2"' run

found=0 plants=0 clean=0 twins=0 missed='' noisy=''
echo plant,expected,found,line,twin,status,first_finding
while IFS=$'\t' read -r plant class simulator simulator_class reported named; do
    solution=$("$demo" -d "$backend" --reveal "$plant")
    places=$(sed -n 's/^at: //p' <<<"$solution")
    pattern=$(sed -n 's/^report: //p' <<<"$solution")
    status=$(cat "$logs/$plant.status")
    first=$(findings "$logs/$plant" | head -1)
    seen=$(classes "$logs/$plant")
    line=no
    if names_line "$logs/$plant" "$places"; then line=yes; fi
    good=no
    if [ "$backend" = sim ]; then
        expected=$simulator_class
        # Plants that the simulator finds in part are shown, but not counted.
        if [ "$simulator" = '~' ]; then expected="$expected?"; fi
        if [ "$status" = 86 ] && [[ $seen == *$simulator_class* ]] && [ $line = yes ]; then good=yes; fi
    elif [ "$reported" = 0 ] || [ "$plant" = "$legal" ]; then
        expected=none
        if [ -z "$first" ]; then good=yes; fi
    else
        expected=$class
        if grep -q -E "^($pattern)" <<<"$first" && [ "$seen" = "$class" ]; then
            if [ $line = yes ] || [ "$named" = 0 ]; then good=yes; fi
        fi
    fi
    if [[ $expected != *\? ]]; then
        plants=$((plants + 1))
        if [ $good = yes ]; then found=$((found + 1)); else missed+=" $plant"; fi
    fi
    twin=clean
    for log in "$logs/$plant.twin" "$logs/$plant".twin.{memcheck,racecheck,initcheck,synccheck}; do
        [ -f "$log" ] || continue
        twins=$((twins + 1))
        if is_clean "${log##*/}"; then
            clean=$((clean + 1))
        else
            twin=no
            noisy+=" ${log##*/}"
        fi
    done
    echo "$plant,$expected,$seen,$line,$twin,$status,${first//,/;}"
done < <(jq -r '[.plant, .class, .simulator, .simulator_class, .reported, .line] | @tsv' <<<"$list")

echo "found $found of $plants${missed:+, not:$missed}" >&2
echo "false $((twins - clean)) of $twins${noisy:+:$noisy}" >&2
[ "$found" = "$plants" ] && [ "$clean" = "$twins" ] && [ "$plants" -gt 0 ]

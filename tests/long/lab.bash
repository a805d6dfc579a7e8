#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Takes plants of memcheckdemo through the lab as a class would, one per processor at a time:
#     tests/long/lab.bash sim|gpu [PLANT]...
# (On a GPU eight at most: more programs that initialize it at once only wait for each other.)
# For each, by default all of them: the command from --command finds the defect, and nothing in the twin, and --grade
# passes the two reports; --grade-fix fails the program from --export and one whose result comes from the host, and
# passes the corrected one. On a GPU this needs nvcc and compute-sanitizer in PATH.
# Prints a row per plant, as CSV: the exit status of each grade. Exits 0 only if all are as expected.
set -u

backend=${1-}
case $backend in
    sim | gpu) shift ;;
    *) echo "Usage: tests/long/lab.bash sim|gpu [PLANT]..." >&2; exit 2 ;;
esac
bin=$(cd "$(dirname "$0")/../.." && pwd)/bin
export backend PATH=$bin:$PATH
if [ "$backend" = gpu ]; then
    for needed in nvcc compute-sanitizer; do
        command -v $needed >/dev/null || { echo "tests/long/lab.bash: $needed is not in PATH" >&2; exit 2; }
    done
    export CUDA_DEVICE_MAX_CONNECTIONS=1  # a program's start takes half the time, see tests/run.bash
fi

# grade COMMAND...: its exit status; its output is kept in grades.
grade() {
    timeout -k 2 600 memcheckdemo -d "$backend" "$@" -f human >>grades 2>&1
    echo $?
}

# through_the_lab PLANT: its row, in its own folder.
through_the_lab() {
    local plant=$1 folder row
    folder=$(mktemp -d) && cd "$folder" || exit
    # shellcheck disable=SC2046  # a command's words
    timeout -k 2 60 $(memcheckdemo --quiet -d "$backend" --command "$plant") >plant.log 2>&1 </dev/null
    # shellcheck disable=SC2046
    timeout -k 2 60 $(memcheckdemo --quiet -d "$backend" --command --fixed "$plant") >twin.log 2>&1 </dev/null
    memcheckdemo -d sim --export "$plant" >plant.cu
    memcheckdemo -d sim --export --fixed "$plant" >corrected.cu
    # The original run(), and then one that discards its result.
    sed 's,cudaError_t run(,cudaError_t first_run(,
        s,^// ---- an input.*,std::vector<int> expected(const std::vector<int>\& in);\
cudaError_t run(const std::vector<int>\& in\, std::vector<int>\& out) {\
    const cudaError_t error = first_run(in\, out);\
    out = expected(in);\
    return error;\
}\
&,' corrected.cu >host.cu
    row=$plant,$(grade --grade plant.log --twin twin.log "$plant"),$(grade --grade-fix plant.cu "$plant")
    row+=,$(grade --grade-fix host.cu "$plant"),$(grade --grade-fix corrected.cu "$plant")
    echo "$row"
    if [ "$row" != "$plant,0,1,1,0" ]; then cat grades >&2; fi
    cd / && rm -rf "$folder"
}
export -f through_the_lab grade

if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046  # one argument each
    set -- $(memcheckdemo -d sim --list --csv --no-header | cut -d , -f 1)
fi
echo plant,reports,plant_as_it_is,result_of_host,corrected
rows=$(mktemp)
jobs=$(nproc)
if [ "$backend" = gpu ] && [ "$jobs" -gt 8 ]; then jobs=8; fi
printf '%s\n' "$@" | xargs -P "$jobs" -I '{}' bash -c 'through_the_lab {}' | tee "$rows"
right=$(grep -c ',0,1,1,0$' "$rows")
rm "$rows"
echo "$right of $# as they should be" >&2
[ "$right" = $# ]

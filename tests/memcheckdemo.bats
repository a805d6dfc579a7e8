#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What memcheckdemo promises: every plant runs as intended, every twin is right, a checker finds the former and nothing
# in the latter; and list, command, hints, solution, mystery and grade give the right output.
# shellcheck disable=SC2154  # helpers.bash sets $root, $scratch and the rest

# Tests side by side

load helpers

plants() { memcheckdemo -d sim --list --csv --no-header | cut -d , -f 1; }

# The files of the plants, one each.
sources() { find "$root/kernels/memcheckdemo" -mindepth 2 -name '*.cuh'; }

# field NAME PLANT: a field of the plant's row in the list.
field() { memcheckdemo -d sim --list --json | jq -r --arg plant "$2" "select(.plant == \$plant) | .$1"; }

# place PLANT: the faulty line, or the two of a race, one per line, as FILE:LINE.
place() { memcheckdemo -d sim --reveal "$1" | sed -n 's/^at: //p' | sed 's/ and /\n/'; }

# report PLACE [RUN]: a compute-sanitizer report of a write past the end of shared memory there, with the row of RUN, a
# plant and its version.
report() {
    printf '========= %s\n' "COMPUTE-SANITIZER" "Invalid __shared__ write of size 4 bytes" \
        "    at gpu::shift_right(const int *, int *)+0x90 in ${1##*/}" "    by thread (255,0,0) in block (0,0,0)"
    row "${2-oob-shared faulty}"
    printf '========= %s\n' "ERROR SUMMARY: 1 error"
}
# clean_report [RUN]
clean_report() {
    printf '========= %s\n' "COMPUTE-SANITIZER"
    row "${1-oob-shared fixed}"
    printf '========= %s\n' "ERROR SUMMARY: 0 errors"
}
row() { printf 'plant,version,symptom,detail\n%s,right,all 256 elements are right\n' "${1/ /,}"; }

# Words that no name and no exported program may contain: they would give a defect away.
tells='oob|bounds|\brac[ey]|leak|uninit|overflow|missing|forg[eo]t|align|null-|double|diverg|unused|wrong|stale|fault'
tells+='|bug'

# claimed SENTENCE: the symptom that a hint claims without reservation, if any.
claimed() {
    local sometimes='mostly|often|as long as|by chance|sometimes|Without a| or |may|On a GPU|A GPU'
    if grep -q -E -i "$sometimes" <<<"$1"; then return; fi
    sed -n -E 's/.*(result|sums?|total|count|elements) (is|are) right.*/right/p; t
        s/.*(is|are) wrong.*|.*too small.*|.*(element|shared) is not what .*|.*what was .* before.*/wrong/p; t
        s/.*crash.*/crash/p' <<<"$1"
}

# ---- runs

@test "every plant runs as intended, in ten seconds or on a busy machine in a minute, and its twin's result is right" {
    need jq
    local plant hangs begin claim
    [ "$(plants | wc -l)" -eq "$(sources | wc -l)" ]
    for plant in $(plants); do
        hangs=$(field hangs "$plant")
        begin=$SECONDS
        try memcheckdemo "$plant" --csv
        [ $((SECONDS - begin)) -le 60 ] || complain "$plant took $((SECONDS - begin)) s"
        if [ "$plant" = device-ptr-on-host ] && [ "$status" -eq 139 ]; then continue; fi
        if [ "$hangs" = 1 ] && [ "$status" -eq 3 ]; then continue; fi
        expect_status 0
        expect_clean_table
        [ "$(column plant) $(column version)" = "$plant faulty" ] || complain "not the plant's row"
        [[ $(column symptom) =~ ^(right|wrong|refused|crash)$ ]] || complain "unknown symptom"
        claim=$(claimed "$(memcheckdemo -d sim --hint 1 "$plant")")
        [ -z "$claim" ] || [ "$(column symptom)" = "$claim" ] || complain "$plant: the hint says $claim"
    done
    for plant in $(plants); do
        expect_fine memcheckdemo --fixed "$plant" --csv
        [ "$(column version) $(column symptom)" = "fixed right" ] || complain "$plant: the twin is not right"
    done
}

@test "symptoms that must show without a checker do" {
    local plant
    for plant in oob-neighbor memcpy-wrong-kind launch-too-many-threads reduce-missing-barrier async-copy-no-wait \
        uninit-shared; do
        try memcheckdemo "$plant" --csv
        [ "$(column symptom)" = wrong ] || complain "$plant should be wrong"
    done
    for plant in null-deref sticky-error async-misattribution device-double-free stack-overflow; do
        try memcheckdemo "$plant" --csv
        [ "$(column symptom)" = crash ] || complain "$plant should be ended"
    done
    try memcheckdemo double-free --csv
    [ "$(column symptom),$(column detail)" = refused,cudaErrorInvalidValue ]
}

@test "a hang is ended with exit status 3, like a CUDA error" {
    try memcheckdemo syncwarp-missing-lane --csv
    expect_status 3
    if on_simulator; then [ "$(column symptom)" = hang ]; else expect_errors_like "ended by the watchdog"; fi
}

@test "the checker finds every plant and nothing in any twin" {
    need jq
    if ! on_simulator; then
        need compute-sanitizer
        export SCOREBOARD_JOBS=8
    fi
    capture bash "$root/tests/long/scoreboard.bash" "$device" "$scratch/logs"
    cat stdout stderr >&2
    expect_status 0
    [ "$(wc -l <stdout)" -eq $(($(sources | wc -l) + 1)) ]
    expect_errors_like "found [0-9]+ of [0-9]+"
    expect_errors_like "false 0 of [0-9]+"
    # Each of these reports passes unchanged.
    local plant twin legal=none
    if [ "$(devquery -d "$device" --prop pageable_memory_access --value)" = 1 ]; then legal=host-ptr-on-device; fi
    for plant in $(plants); do
        twin=$scratch/logs/$plant.twin
        [ -f "$twin" ] || twin=$scratch/logs/$plant.twin.memcheck
        if [ "$plant" = "$legal" ] && ! on_simulator; then continue; fi
        expect_fine memcheckdemo --grade "$scratch/logs/$plant" --twin "$twin" "$plant" --csv
    done
}

# ---- the sources

@test "names of functions and files say what they compute, never what is wrong" {
    capture xargs -a <(sources) grep -h -o -E '^[a-z_][A-Za-z_ :<>*]*[a-z_]+\('
    expect_status 0
    [ "$(wc -l <<<"$output")" -ge $((4 * $(sources | wc -l))) ]
    ! grep -E -i "$tells" <<<"$output" || complain "a name gives its defect away"
    ! sources | sed 's,.*/,,' | grep -E -i "$tells" || complain "a file's name gives its defect away"
}

@test "a plant's head with a wrong or a missing key fails the build, which names the file and the key" {
    local plant=kernels/memcheckdemo/bounds/spread.cuh message
    mkdir -p tools "${plant%/*}" && cp -R "$root/tools/memcheckdemo" tools && copy_makefile .
    # refused EDIT MESSAGE...: what the build says of the plant after an edit.
    refused() {
        sed "$1" "$root/$plant" >"$plant"
        capture awk -f tools/memcheckdemo/plants.awk "$plant"
        [ "$status" -eq 1 ] || complain "$1 is taken" || return
        shift
        for message; do expect_errors_like "$plant$message" || return; done
    }
    refused 's/ tool:/ tols:/' ":4: 'tols' is not a key" ": the key 'tool' is missing"
    refused 's/ hint 2:/ hint 1:/' ":9: the key 'hint 1' is there twice" ": the key 'hint 2' is missing"
    refused 's/row 6/row six/' ": the key 'plant' should have the form "
    refused 's/since 11.0/in no toolkit/' ": the key 'report' contradicts" ": the key 'finding' is missing"
    refused 's/ simulator: +/ simulator: y/' ": the key 'simulator' should have the form "
    refused '/^..! /d' ": the key 'plant' is missing" ": the key 'cure' is missing"
    cp "$root/$plant" "$plant" && cp "$plant" "${plant%/*}/twin.cuh"
    capture env -u MAKEFLAGS -u MAKELEVEL make NVCC= build/plant_table.inc
    expect_status 2
    [ ! -e build/plant_table.inc ]
    expect_errors_like "twin.cuh: the key 'plant' has the name of $plant"
}

@test "the line that --reveal names is a statement" {
    local plant at file line
    for plant in $(plants); do
        [ "$(place "$plant" | wc -l)" -ge 1 ]
        for at in $(place "$plant"); do
            file=${at%:*} line=${at##*:}
            capture sed -n "${line}{s,  //! here.*,,;p}" "$root/$file"
            [[ $output =~ [\;}]$ && ! $output =~ ^[[:space:]]*// && ! $output =~ constexpr ]] || complain "$plant: $at"
        done
    done
}

# ---- list, command, hints and solutions

@test "the list has a row per plant: class, flags, symptom on hardware, toolkit, and the simulator's part" {
    expect_fine memcheckdemo --list --csv
    expect_clean_table
    [ "$(head -1 <<<"$output" | cut -d , -f 1-7)" = plant,class,flags,bare,toolkit,simulator,simulator_class ]
    [ -z "$(column plant | sort | uniq -d)" ]
    [ "$(column class | sort -u | paste -sd ' ')" = "initcheck memcheck racecheck synccheck unreported" ]
    [ "$(column simulator | sort -u | paste -sd '')" = "+Y~" ]
    cp stdout with-list
    expect_fine memcheckdemo --csv
    cmp stdout with-list
    expect_fine memcheckdemo --list -f human
    expect_output_like "^plant +class +compute-sanitizer"
    expect_output_like "crash of the process"
}

@test "mlr and jq read the list" {
    need mlr jq
    pipeline 'memcheckdemo -d $device --list --csv | mlr --icsv --onidx filter "\$class == \"unreported\"" then count'
    expect_status 0
    expect_no_errors
    expect_output "$(xargs -a <(sources) grep -l -x '//! class: unreported' | wc -l)"
    pipeline 'memcheckdemo -d $device --list --json | jq -r "select(.class == \"initcheck\") | .plant"'
    expect_status 0
    expect_no_errors
    expect_output_like "^memset-short"
}

@test "--command, --hint and --reveal obey --format where it is given" {
    need jq
    expect_fine memcheckdemo --command oob-neighbor --json
    jq -e '.plant == "oob-neighbor" and (.command | test("oob-neighbor$"))' <stdout >/dev/null
    expect_fine memcheckdemo --hint 2 --mystery 3 --json
    jq -e '.plant == "mystery-3" and .number == 2 and (.hint | length) > 15' <stdout >/dev/null
    expect_fine memcheckdemo --reveal oob-shared --json
    jq -e '.plant == "oob-shared" and (.at | test("kernels/.*:[0-9]+")) and .defect != null and .cure != null' <stdout >/dev/null
    expect_fine memcheckdemo --hint 1 oob-shared --csv
    expect_clean_table
    on_simulator && return
    expect_fine memcheckdemo --reveal global-counter --json
    jq -e '.report == null' <stdout >/dev/null
}

@test "--check, --check=all and simcc -G mean the same checks: leaks are looked for only if named" {
    local plant
    for plant in leak-global leak-device-heap; do
        for list in --check --check=all; do
            capture memcheckdemo -d sim $list "$plant"
            expect_status 0
        done
        capture memcheckdemo -d sim --check=all,leakcheck "$plant"
        expect_status 86
    done
    capture memcheckdemo -d sim --check oob-shared
    expect_status 86
    printf 'int main() { void* p; return cudaMalloc(&p, 4); }\n' >leak.cu
    capture simcc -G leak.cu -o leak
    capture ./leak
    expect_status 0
    SIMCC_CHECK=all,leakcheck capture ./leak
    expect_status 86
}

@test "--command prints the line for compute-sanitizer or the simulator, and says when no tool reports a plant" {
    if on_simulator; then
        expect_fine memcheckdemo --command oob-neighbor
        expect_output "memcheckdemo --device sim --check oob-neighbor"
        expect_fine memcheckdemo --command lane-spinlock
        expect_output "memcheckdemo --device sim --check --schedule lockstep lane-spinlock"
        expect_fine memcheckdemo --command --fixed unused-memory
        expect_output "memcheckdemo --device sim --check=all,leakcheck,unusedcheck --fixed unused-memory"
        expect_fine memcheckdemo --command --mystery 3
        expect_output_like "^memcheckdemo --device sim --check.* --mystery 3\$"
        # Without a GPU, the command is always this one.
        capture env CUDA_VISIBLE_DEVICES= memcheckdemo --quiet --command global-counter
        expect_output "memcheckdemo --device sim --check global-counter"
        # The command works.
        capture bash -c "$output"
        expect_status 86
        return
    fi
    expect_fine memcheckdemo --command oob-neighbor
    expect_output "compute-sanitizer --tool memcheck --padding 32 memcheckdemo --device gpu oob-neighbor"
    expect_fine memcheckdemo --command --fixed memset-short
    expect_output "compute-sanitizer --tool initcheck memcheckdemo --device gpu --fixed memset-short"
    expect_fine memcheckdemo --command --mystery 3
    expect_output_like "^compute-sanitizer --tool [a-z]+.* memcheckdemo --device gpu --mystery 3\$"
    try memcheckdemo --command global-counter
    expect_status 0
    expect_errors_like "no tool of toolkit 13.0 reports it"
}

@test "every plant has a solution, and three hints that do not name it" {
    local plant hint
    for plant in $(plants); do
        for hint in 1 2 3; do
            capture memcheckdemo -d sim --hint $hint "$plant"
            expect_status 0
            expect_no_errors
            [ "${#output}" -gt 15 ] && [[ $output != *"$plant"* ]] || complain "hint $hint of $plant"
            echo "$output" >>hints
        done
        capture memcheckdemo -d sim --reveal "$plant"
        expect_status 0
        expect_no_errors
        expect_output_like "^$plant: .*
.{30,}
at: kernels/memcheckdemo/[a-z]+/[a-z_]+\.cuh:[0-9]+.*
report: .+\$"
    done
    [ "$(grep -c . hints)" -eq $((3 * $(sources | wc -l))) ]
}

@test "--mystery takes the same plant for the same seed and does not name it" {
    local seed plant
    for seed in $(seq 12); do
        expect_fine memcheckdemo --mystery "$seed" --fixed --csv
        [ "$(column plant) $(column symptom)" = "mystery-$seed right" ]
        expect_fine memcheckdemo --mystery "$seed" --reveal
        plant=${output%%:*}
        echo "$plant" >>chosen
        expect_fine memcheckdemo --mystery "$seed" --reveal
        [ "${output%%:*}" = "$plant" ]
        try memcheckdemo --mystery "$seed" --csv
        expect_status 0
        [[ $output$errors != *"$plant"* ]] || complain "$plant is named"
    done
    [ "$(sort -u chosen | wc -l)" -ge 5 ]
    grep -q -x "$(head -1 chosen)" <(plants)
}

# ---- grades

@test "--grade rejects reports of other runs, clean or not, and reports that do not name their run" {
    local at run format
    at=$(place oob-shared)
    report "$at" >plant.log
    for run in "oob-shared faulty" "double-free fixed" "mystery-1 fixed"; do
        clean_report "$run" >twin.log
        try memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
        expect_status 1
        [ "$(column verdict | paste -sd ' ')" = "pass pass pass pass pass fail pass" ] || complain "$run"
        report "$at" "${run/fixed/faulty}" >other.log
        if [ "$run" != "oob-shared faulty" ]; then
            clean_report >twin.log
            try memcheckdemo --grade other.log --twin twin.log oob-shared --csv
            expect_status 1
            [ "$(column verdict | paste -sd ' ')" = "fail pass pass pass pass pass pass" ] || complain "$run"
        fi
    done
    # Two runs in one file.
    clean_report | cat - <(clean_report "double-free fixed") >twin.log
    try memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
    expect_status 1
    # As compute-sanitizer's --log-file leaves it: without the program's output.
    clean_report | grep ===== >twin.log
    try memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
    expect_status 4
    [ "$(column verdict | paste -sd ' ')" = "pass pass pass pass pass inconclusive pass" ]
    expect_errors_like "^memcheckdemo: twin.log does not say which run it is of: .*--log-file out"
    # The program's row names the run in every format, and so does the checked simulator.
    for format in human csv tsv jsonl md; do
        capture memcheckdemo -d sim --fixed oob-shared -f $format
        clean_report | grep ===== | sed '/COMPUTE/r stdout' >twin.log
        expect_fine memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
    done
    capture memcheckdemo -d sim --check --fixed oob-shared
    cp stderr twin.log
    expect_fine memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
    # If only the simulator finds a defect, a clean report of the simulator is wrong, and a clean one of
    # compute-sanitizer is not.
    capture memcheckdemo -d sim --check --fixed global-counter
    sed 's/fixed/faulty/' stderr >plant.log
    cp stderr twin.log
    try memcheckdemo --grade plant.log --twin twin.log global-counter --csv
    expect_status 1
}

@test "--grade passes the right tool, report and line with a clean twin" {
    report "$(place oob-shared)" >plant.log
    clean_report >twin.log
    expect_fine memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
    expect_clean_table
    [ "$(column aspect | paste -sd ' ')" = "run summary tool class line twin_run twin" ]
    [ "$(column verdict | sort -u)" = pass ]
    pipeline 'memcheckdemo -d $device --grade - --twin twin.log oob-shared --csv <plant.log'
    expect_status 0
}

@test "--grade fails a wrong line, a wrong tool, an unreported plant and a reported twin" {
    clean_report >twin.log
    report "kernels/memcheckdemo/memcheck_bounds.cuh:1" >other-line.log
    try memcheckdemo --grade other-line.log --twin twin.log oob-shared --csv
    expect_status 1
    [ "$(column verdict | paste -sd ' ')" = "pass pass pass pass fail pass pass" ]
    # A number that only begins with the line's number is another line.
    report "$(place oob-shared)0" >other-line.log
    try memcheckdemo --grade other-line.log --twin twin.log oob-shared --csv
    expect_status 1
    report "$(place oob-shared)" "shared-counter faulty" >plant.log
    clean_report "shared-counter fixed" >other-twin.log
    try memcheckdemo --grade plant.log --twin other-twin.log shared-counter --csv
    expect_status 1
    [ "$(column verdict | paste -sd ' ')" = "pass pass fail fail fail pass pass" ]
    clean_report "oob-shared faulty" >plant.log
    try memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
    expect_status 1
    report "$(place oob-shared)" >plant.log
    try memcheckdemo --grade twin.log --twin twin.log oob-shared --csv
    expect_status 1
    try memcheckdemo --grade plant.log --twin plant.log oob-shared --csv
    expect_status 1
    [ "$(column verdict | paste -sd ' ')" = "pass pass pass pass pass fail fail" ]
}

@test "--grade never passes a report without a summary or a twin: it is inconclusive" {
    report "$(place oob-shared)" | grep -v SUMMARY >plant.log
    clean_report >twin.log
    try memcheckdemo --grade plant.log --twin twin.log oob-shared --csv
    expect_status 4
    [ "$(column verdict | paste -sd ' ')" = "pass inconclusive inconclusive inconclusive inconclusive pass pass" ]
    report "$(place oob-shared)" >plant.log
    try memcheckdemo --grade plant.log oob-shared --csv
    expect_status 4
    [ "$(column verdict | tail -1)" = inconclusive ]
    # Nothing was found in a program that did not reach its end.
    { clean_report && printf '========= Target application returned an error\n'; } >ended.log
    for twin in ended.log /dev/null; do
        try memcheckdemo --grade plant.log --twin $twin oob-shared --csv
        expect_status 4
        [ "$(column verdict | tail -1)" = inconclusive ]
    done
    : >empty.log
    try memcheckdemo --grade empty.log --twin twin.log oob-shared --csv
    expect_status 4
}

@test "--grade passes a hang that no tool reports if the watchdog ended it, but no other run that it ended" {
    # hang PLANT: the output of compute-sanitizer and the program when it hangs.
    hang() {
        printf '%s\n' "========= COMPUTE-SANITIZER" "========= memcheckdemo: $1 faulty" \
            "memcheckdemo: $1: ended by the watchdog after 9 seconds: it hangs" \
            "========= Target application returned an error"
    }
    local log plant=syncwarp-missing-lane
    clean_report "$plant fixed" >twin.log
    # A summary may follow, which adds nothing.
    hang "$plant" >plant.log
    hang "$plant" | cat - <(echo "========= ERROR SUMMARY: 0 errors") >summary.log
    for log in plant.log summary.log; do
        expect_fine memcheckdemo --grade $log --twin twin.log "$plant" --csv
        [ "$(column found | sed -n 2p)" = "ended by the watchdog" ]
        [ "$(column verdict | sort -u)" = pass ]
    done
    # A finding still counts.
    hang "$plant" | cat - <(echo "========= Barrier error detected. Invalid arguments.") >found.log
    try memcheckdemo --grade found.log --twin twin.log "$plant" --csv
    expect_status 1
    # Not to be judged: runs interrupted earlier, without compute-sanitizer, of another plant, or of a twin.
    hang "$plant" | grep -v watchdog >early.log
    hang "$plant" | grep -v COMPUTE >alone.log
    hang "$plant" | sed '3s/syncwarp-missing-lane/lane-spinlock/' >other.log
    for log in early.log alone.log other.log; do
        try memcheckdemo --grade $log --twin twin.log "$plant" --csv
        expect_status 4
    done
    hang "$plant" | sed 's/faulty/fixed/' >hung-twin.log
    try memcheckdemo --grade plant.log --twin hung-twin.log "$plant" --csv
    expect_status 4
    # A tool does report this one, and a report without a summary may lack its findings.
    hang cuda-barrier-misuse >plant.log
    clean_report "cuda-barrier-misuse fixed" >twin.log
    try memcheckdemo --grade plant.log --twin twin.log cuda-barrier-misuse --csv
    expect_status 4
}

@test "--grade knows the reports of all tools" {
    need jq
    # grades PLANT LINE...: a report with these lines on the plant, which must pass.
    grades() {
        local plant=$1
        shift
        { row "$plant faulty" && printf '========= %s\n' "COMPUTE-SANITIZER" "$@"; } >plant.log
        clean_report "$plant fixed" >twin.log
        expect_fine memcheckdemo --grade plant.log --twin twin.log "$plant" --csv
    }
    at() { place "$1" | head -1 | sed 's,.*/,,'; }
    grades reduce-missing-barrier \
        "Error: Race reported between Write access at gpu::tree_sum(...)+0x120 in $(at reduce-missing-barrier)" \
        "    and Read access at gpu::tree_sum(...)+0x110 [256 hazards]" "" \
        "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"
    grades memset-short "Uninitialized __global__ memory read of size 4 bytes" \
        "    at gpu::accumulate in $(at memset-short)" "ERROR SUMMARY: 192 errors"
    grades unused-memory " Unused memory in allocation 0x7f2d8a800000 of size 1,024 bytes" \
        "    Host Frame: gpu::run_ascend(bool) in $(at unused-memory)" "ERROR SUMMARY: 1 error"
    grades divergent-syncthreads "Barrier error detected. Divergent thread(s) in warp." \
        "    at gpu::swap_halves in $(at divergent-syncthreads)" "ERROR SUMMARY: 1 error"
    grades double-free \
        'Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaFree.' \
        "    Host Frame: gpu::run_two_owners(bool) in $(at double-free)" "ERROR SUMMARY: 1 error"
    grades leak-device-heap "Leaked 12 bytes at 0x205dfac20 on the device heap" \
        "LEAK SUMMARY: 384 bytes leaked in 32 allocations" "ERROR SUMMARY: 32 errors"
    # If no tool reports the plant, a clean report is right.
    grades global-counter "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
}

@test "a report that cannot be read is bad input" {
    refuses 4 "cannot read the report 'nowhere'" memcheckdemo --grade nowhere oob-shared
    clean_report >twin.log
    refuses 4 "cannot read the report 'nowhere'" memcheckdemo --grade twin.log --twin nowhere oob-shared
}

# ---- programs to be corrected

# On a GPU, these tests judge a copy.
compilers() { on_simulator || need nvcc compute-sanitizer; }

# corrupt EDIT: the corrected program of shared-counter with an edit, as copy.cu.
corrupt() { memcheckdemo -d sim --export --fixed shared-counter | sed -E "$1" >copy.cu; }

# The verdicts on copy, build, result, kernels and findings.
verdicts() { columns copy build result kernels findings; }

# expect_verdicts STATUS VERDICTS
expect_verdicts() {
    expect_status "$1" && expect_clean_table || return
    [ "$(verdicts)" = "$2" ] || complain "expected $2"
}

@test "--export writes a program in textbook form that reveals neither its defect nor its origin" {
    local plant
    for plant in $(plants); do
        expect_fine memcheckdemo --export "$plant"
        ! sed '/^\/\//d' <<<"$output" | grep -E 'FAULTY|BACKEND|#include "|//!' || complain "$plant"
        # (Its head comment says how it was requested.)
        ! sed 1,10d <<<"$output" | grep -i -E "$tells|$plant" || complain "$plant"
        [ "$(awk 'length > 120' <<<"$output" | wc -l)" -eq 0 ]
        expect_output_like '
int main\(int count, char\*\* arguments\) \{'
        cp stdout faulty.cu
        expect_fine memcheckdemo --export --fixed "$plant"
        ! cmp -s stdout faulty.cu || complain "$plant is its twin"
    done
    # A mystery remains one.
    expect_fine memcheckdemo --export --mystery 3
    expect_output_like "--grade-fix FILE.cu --mystery 3"
    plant=$(memcheckdemo -d sim --reveal --mystery 3 | sed 's/:.*//;q')
    [[ $output != *"$plant"* ]] || complain "$plant is named"
}

@test "every exported program builds, and gives the right result once it is corrected" {
    compilers
    local plant number=0
    # All in one program, each in its own namespace.
    {
        printf '#include <%s>\n' cuda_runtime.h cuda_pipeline.h cuda/barrier cstddef cstdio cstdlib vector
        for plant in $(plants); do
            for version in '' --fixed; do
                number=$((number + 1))
                printf 'namespace program_%d {\n' $number
                memcheckdemo -d sim --export $version "$plant" | sed "s/^int main(/int check_$number(/"
                printf '}\n'
            done
        done
        printf 'int main() {\n    int wrong = 0;\n    char* none[] = {nullptr};\n'
        for number in $(seq 2 2 $number); do
            printf '    wrong += program_%d::check_%d(1, none) != 0;\n' "$number" "$number"
        done
        printf '    return wrong;\n}\n'
    } >all.cu
    if on_simulator; then capture simcc -O0 all.cu -o all; else capture nvcc -arch=native -w all.cu -o all; fi
    expect_status 0
    capture ./all
    expect_status 0
    [ "$(grep -c -x 'seed 1: right' stdout)" -eq "$(sources | wc -l)" ]
}

@test "--grade-fix fails the plant, however it is written" {
    compilers
    memcheckdemo -d sim --export shared-counter |
        sed 's,^// .*,// corrected,; s,^    ,\t,; s, = ,=,; s,(counter,( /* the counter */counter,' >copy.cu
    try memcheckdemo --grade-fix - shared-counter --csv <copy.cu
    expect_status 1
    [[ "$(verdicts)" == "fail pass "*" pass fail" ]] || complain "verdicts"
    expect_errors_like "Race reported between .* in copy.cu:[0-9]+"
    # Renaming a variable changes the text, and nothing else.
    memcheckdemo -d sim --export shared-counter | sed 's/counter/number/g' >copy.cu
    try memcheckdemo --grade-fix copy.cu shared-counter --csv
    expect_status 1
    [[ "$(verdicts)" == "pass pass "*" pass fail" ]] || complain "verdicts"
}

@test "--grade-fix fails a program whose result does not come from its kernels" {
    compilers
    # The kernel runs, but the host computes.
    corrupt 's,^    TRY\(to_host.*,    out[0] = 0; for (int v : in) out[0] += v % 2 == 0;,'
    try memcheckdemo --grade-fix copy.cu shared-counter --csv
    expect_verdicts 1 "pass pass pass fail pass"
    # The result of one input, which the copy's main() accepts.
    corrupt 's,^        if \(in\[threadIdx.*|^    if \(in\[threadIdx.*,    if (threadIdx.x == 0) counter = 113;,
        s,^    return 0;,    return 0;  // right,'
    grep -q 'counter = 113' copy.cu
    try memcheckdemo --grade-fix copy.cu shared-counter --csv
    expect_verdicts 1 "pass pass fail pass pass"
    expect_output_like "wrong with seed [0-9]+"
    # No kernel at all.
    { sed '/^__global__/,$d' copy.cu && echo 'cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
        return cudaSuccess; }'; } >host.cu
    try memcheckdemo --grade-fix host.cu shared-counter --csv
    expect_status 1
    [ "$(column reason)" = "wrong with seed $(sed -n 's/.*seed //p' stdout)" ] && [ "$(column kernels)" = fail ]
}

@test "--grade-fix shows why a program does not build, and says what is missing if nothing can be built" {
    compilers
    corrupt '0,/__syncthreads\(\);/s//__syncthreads()/'
    try memcheckdemo --grade-fix copy.cu shared-counter --csv
    expect_status 1
    expect_verdicts 1 "pass fail untried untried untried"
    [ "$(column points)" = 0 ]
    [ "$(grep -c ' error: ' stderr)" -eq 1 ] || complain "expected one message"
    # Against several plants, it is still one message.
    try memcheckdemo --grade-fix copy.cu shared-counter oob-shared --csv
    expect_status 1
    [ "$(columns plant verdict | paste -sd ,)" = "shared-counter fail,oob-shared fail" ]
    [ "$(grep -c ' error: ' stderr)" -eq 1 ] || complain "expected one message"
    expect_errors_like "copy\\.cu[:(][0-9]+.* error: "
    corrupt ''
    capture env CXX=no-such-compiler memcheckdemo -d sim --grade-fix copy.cu shared-counter --csv
    expect_status 4
    [ "$(verdicts)" = "pass inconclusive untried untried untried" ]
    expect_errors_like "no-such-compiler is missing: install g\+\+, or set CXX to a compiler"
    mkdir bin && cp "$root/bin/memcheckdemo" bin && ln -s "$root/build/lib" lib
    capture env PATH=/usr/bin:/bin bin/memcheckdemo -d sim --grade-fix copy.cu shared-counter --csv
    expect_status 4
    expect_errors_like "simcc is missing: it belongs beside memcheckdemo, or into PATH"
    # A broken compiler says nothing about the copy.
    printf '#!/bin/sh\nexit 1\n' >broken && chmod +x broken
    capture env CXX="$PWD/broken" memcheckdemo -d sim --grade-fix copy.cu shared-counter --csv
    expect_status 4
}

@test "--grade-fix takes several copies, a row each, also those that cannot be read or name no plant" {
    compilers
    corrupt ''
    cp copy.cu fine.cu
    memcheckdemo -d sim --export --mystery 3 >mystery.cu
    head -c 2000000 /dev/zero >large.cu
    mkdir folder
    echo 'int nothing;' >other.cu
    try memcheckdemo --grade-fix copy.cu mystery.cu --grade-fix ./fine.cu nowhere.cu /dev/zero folder/ large.cu other.cu --csv
    expect_status 1
    expect_clean_table
    [ "$(columns file plant verdict points)" = "copy.cu shared-counter pass 5
./fine.cu shared-counter pass 5
mystery.cu mystery-3 fail 0
nowhere.cu none inconclusive 0
/dev/zero none inconclusive 0
folder/ none inconclusive 0
large.cu none inconclusive 0
other.cu none inconclusive 0" ] || complain "not these rows"
    expect_errors_like "cannot read the copy 'nowhere.cu': it cannot be read; name a file that --export wrote, or -"
    expect_errors_like "cannot read the copy 'large.cu': it is larger than 1 MiB"
    expect_errors_like "'other.cu' does not say in its head which plant it corrects: name the plant"
    try memcheckdemo --grade-fix nowhere shared-counter
    expect_status 4
    try memcheckdemo --grade-fix /dev/null shared-counter --json
    expect_status 4
}

@test "--grade-fix gives the same verdict every time, also on a busy machine" {
    compilers
    need jq
    corrupt ''
    memcheckdemo -q -d sim --export shared-counter | sed 's/counter/number/g' >faulty.cu
    cp faulty.cu again.cu
    local busy=() i
    for i in $(seq "$(nproc)"); do (while :; do :; done) & busy+=($!); done
    memcheckdemo -d "$device" -q --grade-fix copy.cu faulty.cu again.cu shared-counter --json 2>/dev/null | jq -r '[.verdict, .points] | join(" ")' >verdicts
    kill "${busy[@]}"
    [ "$(sort -u verdicts | paste -sd ,)" = "$(printf 'fail %s\npass 5' "$(sed -n 's/fail //p' verdicts | head -1)" | paste -sd ,)" ] || complain "$(cat verdicts)"
}

@test "--grade-fix ends a hanging program, and leaves nothing behind" {
    need pgrep
    mkdir temporary && export TMPDIR=$PWD/temporary
    corrupt 's/^    TRY\(finished.*/    for (;;) {}/'
    local signal pid
    ulimit -c 0
    for signal in TERM QUIT USR1; do
        env --default-signal "$root/bin/memcheckdemo" -d sim --grade-fix copy.cu shared-counter --csv >grades 2>messages &
        pid=$!
        # (During compilation, or while the copy runs.)
        until compgen -G "temporary/memcheckdemo.*/copy.cu" >copies; do sleep 0.05; kill -0 $pid; done
        kill -$signal $pid
        capture wait $pid
        expect_status $((128 + $(kill -l $signal)))
        [ -z "$(ls temporary)" ] || complain "$signal left: $(ls temporary)"
        [ -z "$(pgrep -f "$PWD/temporary")" ] || complain "still running after $signal"
    done
    # A reader that exits early is a signal, too.
    memcheckdemo -q -d sim --export --fixed oob-global-write >fine.cu
    capture bash -c 'memcheckdemo -q -d sim --grade-fix fine.cu oob-global-write 2>messages | true'
    [ -z "$(ls temporary)" ] || complain "left: $(ls temporary)"
}

@test "a plant of each kind goes through the lab: its reports, its program, and three copies" {
    compilers
    capture bash "$root/tests/long/lab.bash" "$device" device-ptr-on-host
    expect_status 0
    expect_output "plant,reports,plant_as_it_is,result_of_host,corrected
device-ptr-on-host,0,1,1,0"
}

# ---- usage and output

@test "options that make no sense are refused" {
    refuses 2 "unknown plant 'oob-shard'; did you mean 'oob-shared'\?" memcheckdemo oob-shard
    refuses 2 "unknown plant ''" memcheckdemo ''
    refuses 2 "unexpected operand 'double-free'" memcheckdemo oob-shared double-free
    refuses 2 "--limit '0'" memcheckdemo --grade-fix copy.cu --limit 0 oob-shared
    refuses 2 "name a plant" memcheckdemo --fixed
    refuses 2 "name a plant" memcheckdemo --reveal
    refuses 2 "'4' is not one of 1, 2, 3" memcheckdemo --hint 4 oob-shared
    refuses 2 "exclude each other" memcheckdemo --hint 1 --reveal oob-shared
    refuses 2 "exclude each other" memcheckdemo --export --grade-fix copy.cu oob-shared
    refuses 2 "name a plant" memcheckdemo --export
    refuses 2 "--twin goes with --grade" memcheckdemo --twin log oob-shared
    refuses 2 "leave 'oob-shared' out" memcheckdemo --mystery 1 oob-shared
    refuses 2 "--mystery 'x'" memcheckdemo --mystery x
    refuses 2 "only one of --grade and --twin can be standard input, which is read once" memcheckdemo --grade - --twin - oob-shared
}

@test "output that cannot be written is noticed, and a reader that exits early causes no message" {
    local options
    for options in '' --fixed --reveal '--hint 1' --command --export; do
        capture bash -c "memcheckdemo -d $device oob-shared $options >/dev/full"
        expect_status 5
        expect_errors_like "^memcheckdemo: cannot write to standard output: No space left on device"
    done
    pipeline 'memcheckdemo -d $device --list --csv | head -1'
    [ "$status" -eq 0 ] || [ "$status" -eq 141 ] || complain "expected 0 or 141"
    expect_no_errors
    expect_output_like "^plant,"
}

#!/usr/bin/env bats
# Every variant under the four tools of compute-sanitizer, on a GPU: the kernels are right, and not by accident.

load helpers

setup() {
    if on_simulator; then skip "compute-sanitizer needs a GPU"; fi
    command -v compute-sanitizer >/dev/null || skip "compute-sanitizer is not installed"
}

teardown() { :; }

# clean_under TOOL PROGRAM: one verified launch of every variant, aligned and not, finds nothing.
clean_under() {
    local tool=$1 program=$2 offset summary="ERROR SUMMARY: 0 errors"
    if [ "$tool" = racecheck ]; then summary="RACECHECK SUMMARY: 0 hazards displayed"; fi
    for offset in 0 1; do
        run compute-sanitizer --tool "$tool" --error-exitcode 86 "$program" -d gpu --profile -n 1000,1048577 --offset $offset
        echo "$output"
        [ "$status" -eq 0 ]
        [[ $output == *"$summary"* ]]
    done
}

@test "reduce is clean under memcheck" { clean_under memcheck reduce; }
@test "reduce is clean under racecheck" { clean_under racecheck reduce; }
@test "reduce is clean under initcheck" { clean_under initcheck reduce; }
@test "reduce is clean under synccheck" { clean_under synccheck reduce; }
@test "vecadd is clean under memcheck" { clean_under memcheck vecadd; }
@test "vecadd is clean under racecheck" { clean_under racecheck vecadd; }
@test "vecadd is clean under initcheck" { clean_under initcheck vecadd; }
@test "vecadd is clean under synccheck" { clean_under synccheck vecadd; }

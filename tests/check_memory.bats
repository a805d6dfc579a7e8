#!/usr/bin/env bats
# What memcheck and initcheck of the checked simulator promise: every planted mistake is found at its line, and the same
# program without it gives no finding.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/check

# under_check CHECKS COMMAND...
under_check() {
    local checks=$1
    shift
    capture env SIMCC_CHECK="$checks" "$@"
}

# finds_each PROGRAM CHECKS [DISTANCE]: every case of tests/check/PROGRAM.cu has its finding where the source marks it (or
# DISTANCE lines below), and none when it is fixed.
finds_each() {
    local program=$1 checks=$2 distance=${3:-0} line marker name title cases=0
    once "$program" simcc -G "$programs/$program.cu" -o "$program"
    while IFS=: read -r line marker; do
        read -r name title <<<"${marker#*@}"
        cases=$((cases + 1))
        under_check "$checks" "./$program" "$name"
        expect_status 86
        grep -qF -- "========= $title" <<<"$errors" || complain "$name: no '$title' in: $errors"
        grep -q " in $program.cu:$((line + distance))\b" <<<"$errors" || complain "$name: not line $line: $errors"
        under_check "$checks" "./$program" "$name" fixed
        expect_status 0
        [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "$name fixed: $errors"
    done < <(grep -n '// @' "$programs/$program.cu")
    [ "$cases" -ge 10 ] || complain "only $cases cases"
}

@test "wrong accesses of kernels are found at their lines, the corrected kernels are clean" {
    finds_each memory_device memcheck,initcheck
}

@test "mistakes of the host are found at their lines, the corrected programs are clean" {
    finds_each memory_host memcheck,initcheck,leakcheck 1
}

@test "unused memory is found on request" {
    once memory_host simcc -G "$programs/memory_host.cu" -o memory_host
    under_check unusedcheck ./memory_host unused
    expect_status 86
    [[ $errors == *"Not written 512 bytes, the first at 0x"*"50% of allocation were unused."* ]] || complain "$errors"
    under_check unusedcheck ./memory_host unused fixed
    expect_status 0
}

@test "an access out of bounds is reported with thread, block, allocation and both backtraces" {
    once memory_device simcc -G "$programs/memory_device.cu" -o memory_device
    under_check memcheck ./memory_device past-end
    expect_status 86
    local lines=(
        '========= Invalid __global__ write of size 4 bytes'
        '=========     at past_end\(int\*, int\)\+0x[0-9a-f]+ in memory_device\.cu:[0-9]+'
        '=========     by thread \(64,0,0\) in block \(0,0,0\)'
        '=========     Access to 0x[0-9a-f]+ is out of bounds'
        '=========     and is 1 bytes after the nearest allocation at 0x[0-9a-f]+ of size 256 bytes'
        '=========     Saved host backtrace up to driver entry point at kernel launch time'
        '=========         Host Frame: main in memory_device\.cu:[0-9]+ \[0x[0-9a-f]+\] in memory_device'
        '=========     Saved host backtrace up to driver entry point at allocation time'
        '========= ERROR SUMMARY: 2 errors'
    )
    for line in "${lines[@]}"; do
        grep -qE "^$line" <<<"$errors" || complain "no line like '$line' in: $errors"
    done
}

@test "after a wrong access the launch and all later calls fail" {
    once memory_device simcc -G "$programs/memory_device.cu" -o memory_device
    under_check memcheck ./memory_device past-end
    [[ $errors == *'Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure"'* ]] ||
        complain "no error 719 in: $errors"
}

@test "without checks there is no report" {
    once memory_host simcc -G "$programs/memory_host.cu" -o memory_host
    under_check none ./memory_host leak
    expect_status 0 && expect_no_errors
}

@test "a report covers kernels that still run when the program ends" {
    once ending simcc -G "$programs/ending.cu" -o ending
    under_check memcheck ./ending running
    expect_status 86 && expect_output ran
    [[ $errors == *"========= Invalid __global__ write of size 4 bytes"*"ERROR SUMMARY: 1 error" ]] || complain "$errors"
}

@test "of the calls that return a kernel's error, the first is reported" {
    once ending simcc -G "$programs/ending.cu" -o ending
    under_check memcheck ./ending failing
    expect_status 86
    [[ $errors == *"on CUDA API call to cudaDeviceSynchronize."*"ERROR SUMMARY: 2 errors" ]] || complain "$errors"
}

@test "a thread that a finding has stopped causes no further finding" {
    local schedule
    once memory_device simcc -G "$programs/memory_device.cu" -o memory_device
    for schedule in independent lockstep random:1 random:2; do
        SIMCC_SCHEDULE=$schedule capture ./memory_device goes-on
        [[ $errors == *"ERROR SUMMARY: 2 errors" ]] || complain "$schedule: $errors" || return
    done
}

@test "a program's own operators new and delete are the host's, and kernels use the device's heap" {
    local optimization
    cat "$programs"/own_operators.{cpp,cu} >one.cu
    for optimization in -O0 -O2; do
        simcc -G $optimization "$programs"/own_operators.{cpp,cu} -o two_files
        simcc -G $optimization one.cu -o one_file
        for program in ./two_files ./one_file; do
            capture timeout 120 $program
            expect_status 0 || return
            expect_output "cudaSuccess, 8 sides, 1 kept, 0 left"
        done
    done
}

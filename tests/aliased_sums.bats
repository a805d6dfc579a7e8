#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Additions that wait, and threads with another name for the sum.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH

@test "a thread sees what it has added by whatever other name it reads the sum" {
    local threads
    simcc -O2 "$root/tests/simcc/aliased_sums.cu" -o aliased_sums
    for threads in 1 4; do
        SIMCC_THREADS=$threads capture ./aliased_sums
        expect_status 0
        expect_no_errors
        expect_output "parameter: 0 wrong
variable: 0 wrong
object: 0 wrong
function: 0 wrong
pointer: 0 wrong
write: 0 wrong" || return
    done
}

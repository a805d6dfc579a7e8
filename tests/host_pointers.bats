#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Fast code and pointers to host memory: a kernel that follows one fails, wherever the pointer was.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH

@test "a pointer to host memory within an object faults, by name; the device's own and what kernels made do not" {
    local chosen kernels=(plain view nested nested nested use)
    simcc "$root/tests/simcc/host_pointers.cu" -o host_pointers
    for chosen in 0 1 2 3 4 5; do
        capture ./host_pointers $chosen
        expect_output_like "unused: 5
host, [a-z]*: cudaErrorIllegalAddress"
        expect_errors_like "simcc: kernel ${kernels[chosen]}, block .0,0,0.: access to host memory at 0x" || return
    done
    capture ./host_pointers 6
    expect_status 0
    expect_no_errors
    expect_output "plain: 0
view: 0
nested: 0
made by a kernel: 14
unused: 5
deleted: 15"
}

@test "copies of host pointers in device memory fault, too, and come back as they were" {
    local chosen kernels=(follow walk)
    simcc "$root/tests/simcc/copied_pointers.cu" -o copied_pointers
    for chosen in 0 1; do
        capture ./copied_pointers $chosen
        expect_output "device: 4
nodes: 7
back: 2 1
host: cudaErrorIllegalAddress"
        expect_errors_like "simcc: kernel ${kernels[chosen]}, block .0,0,0.: access to host memory at 0x" || return
    done
}

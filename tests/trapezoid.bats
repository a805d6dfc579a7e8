#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What trapezoid promises: every variant is right for every n, block, type, function and expression, and columns are true.

# Tests side by side on a GPU

load helpers

sizes="0 1 2 31 32 33 255 257 1000 4097"

# Every variant is right at these sizes. Further arguments are options.
expect_right() {
    expect_fine trapezoid -n "${sizes// /,}" -w 0 -r 1 --csv "$@"
    # shellcheck disable=SC2086  # one word per size
    expect_all_verified trapezoid $sizes
}

# The same as expect_all_verified, for functions that the library's variant lacks.
expect_ours_verified() {
    local n kernel
    diff <(for n; do for kernel in $(variants trapezoid | grep -v cub); do echo "$kernel $n pass"; done; done) \
        <(columns kernel n verify | grep -v '^cub ') >&2 || complain "not every variant is verified"
}

# If expressions cannot be compiled for the device, there is nothing to test.
need_compiler() {
    if on_simulator; then need "${CXX:-g++}" && return; fi
    capture trapezoid -d gpu --function 'x+0' -n 1 --csv
    [ "$status" -ne 77 ] || skip "$errors"
}

# refuses_expression TEXT COLUMN PATTERN: expects status 2, the message, and a mark below the text in that column.
refuses_expression() {
    try trapezoid --function "$1"
    expect_status 2 && expect_output "" || return
    [[ $(sed -n 1p stderr) =~ $3 ]] || complain "expected: $3" || return
    [ "$(sed -n 2p stderr)" = "    $1" ] || complain "expected the expression '$1'" || return
    [ "$(sed -n 3p stderr)" = "$(printf '%*s^' $((3 + $2)) '')" ] || complain "expected a mark in column $2" || return
    [ "$(wc -l <stderr)" -eq 3 ] || complain "expected three lines"
}

# unit_test WHICH: a test of tests/units/trapezoid.cpp, which says what is wrong.
unit_test() {
    once trapezoid unit_program units/trapezoid
    holds ./trapezoid "$1"
}

# integral_of EXPRESSION [OPTION]...: its integral by one variant.
integral_of() {
    local expression=$1
    shift
    expect_fine trapezoid -k cpu -t f64 -w 0 -r 1 --csv --function "$expression" "$@"
    column p_integral
}

@test "every variant is right for both types and small sizes" {
    expect_right -t f32
    expect_right -t f64
}

@test "every variant is right with blocks of any size" {
    local block
    for block in 1 31 32 100 1024; do expect_right -t f64 -b $block; done
}

@test "every variant is right for every function, forwards, backwards and from a point to itself" {
    local function
    for function in parabola lorentz sin gauss sqrt; do
        expect_fine trapezoid -q --function $function -n 1,777 -t f64 -w 0 -r 1 --csv
        expect_ours_verified 1 777
        expect_fine trapezoid -q --function $function --from 5/2 --to 0 -n 1,777 -w 0 -r 1 --csv
        expect_ours_verified 1 777
        [ "$(column p_integral | grep -c -v ^-)" -eq 0 ]
        expect_fine trapezoid -q --function $function --from 2 --to 2 -n 3 -w 0 -r 1 --csv
        [ "$(column p_integral | sort -u)" = 0.00000000 ]
    done
}

@test "every variant is right for a million trapezoids and one more" {
    local n=1048577
    expect_fine trapezoid -n $n -t f64 -k 'cpu*,block,grid-stride' -w 0 -r 1 --csv
    [ "$(column verify)" = "$(printf 'pass\n%.0s' 1 2 3 4)" ]
    on_simulator && return
    expect_fine trapezoid -n $n,33554435 -w 0 -r 1 --csv
    expect_all_verified trapezoid $n 33554435
}

# Beyond 2^24, floats cannot count by ones, and the grid-stride loop continues from another origin.
@test "the resident grid is right beyond 2^24 trapezoids in f32" {
    on_simulator && skip "takes seconds there"
    expect_fine trapezoid -n 16777216,16777217,50000001 -k grid-stride -w 0 -r 1 --csv
    [ "$(column verify | sort -u)" = pass ]
}

@test "known integrals have the right value" {
    local function
    expect_fine trapezoid -t f64 -n 16Ki -k block -w 0 -r 1 --csv
    [[ $(column p_integral) = 24.0000001* ]] || complain "x^2+1"
    for function in lorentz:3.1415926 sin:1.99999999 gauss:0.746824132 sqrt:0.66666656; do
        expect_fine trapezoid --function ${function%:*} -t f64 -n 16Ki -k block -w 0 -r 1 --csv
        [[ $(column p_integral) = "${function#*:}"* ]] || complain "$function: $(column p_integral)"
    done
    # The closed form also works for other bounds: the integral of the sine from 0 to 2 pi is 0.
    expect_fine trapezoid --function sin --to '2*pi' -t f64 -n 1Ki -k block -w 0 -r 1 --csv
    awk '{ exit !($1 < 1e-12 && $1 > -1e-12) }' <(column p_off_closed_form)
}

@test "the allowed error follows from n, and --tol replaces it" {
    # The trapezoidal rule is exact for x.
    expect_fine trapezoid --function x -n 1000000 -t f64 -k cpu -w 0 -r 1 --csv
    [ "$(column p_integral)" = 0.50000000000000000 ]
    try trapezoid -n 1000000 -t f64 -k cpu --tol 1e-18
    expect_status 1
    expect_errors_like "trapezoid: cpu: wrong result for n = 1000000, f64: got .*, expected .*, allowed error 2.4e-17"
    expect_fine trapezoid -n 1000000 -t f64 -k cpu --tol 1e-12 -w 0 -r 1 --csv
}

@test "a missing height is noticed, and the rounding of a function is not" {
    unit_test host
    [ "$status" -eq 0 ]
}

@test "half the width gives a quarter of the error, and the extrapolated integral is exact for a parabola" {
    expect_fine trapezoid -t f64 -n 1:64:x2 -k grid-stride -w 0 -r 1 --csv
    [ "$(column p_order | paste -sd ' ')" = "  2.0000 2.0000 2.0000 2.0000 2.0000" ]
    [ "$(column p_richardson | tail -n +2 | sort -u)" = 24.000000000000000 ]
    expect_fine trapezoid -t f64 --function sqrt -n 1Ki,2Ki,4Ki -k cpu -w 0 -r 1 --csv
    [[ $(column p_order | tail -n 1) = 1.49* ]] || complain "the square root is vertical at 0"
}

@test "--settle doubles n until the integral settles, and says so if it does not" {
    expect_fine trapezoid --settle 1e-6 -t f64 -k cpu,block --csv -w 0 -r 1
    [ "$(column n | uniq | head -n 3 | paste -sd ' ')" = "32 64 128" ]
    # The error is the last change divided by 3, at most 1e-6 of 24; the one before was larger.
    awk '{ error = $1 } END { exit !(error < 8e-6 && error > 1.9e-6) }' <(column p_off_closed_form)
    expect_fine trapezoid --settle 1e-2 -n 5 -k cpu --csv -w 0 -r 1
    [ "$(column n | paste -sd ' ')" = "5 10 20 40" ]
    expect_fine trapezoid --settle 0 --function 1 -k cpu --csv -w 0 -r 1
    [ "$(column n | paste -sd ' ')" = "32 64" ]
    refuses 2 "--settle doubles one number of trapezoids, and --size names 2" trapezoid --settle 1e-3 -n 1,2
    refuses 2 "twice 0 is 0" trapezoid --settle 1e-3 -n 0
    refuses 2 "--settle doubles --size up to [0-9]+ here, and 3221225472 is more: begin with [0-9]+ or less" trapezoid --settle 1e-3 -n 3Gi
    on_simulator || return 0
    try trapezoid --settle 1e-17 -t f64 -n 512Ki -k cpu -w 0 -r 1 --csv
    expect_status 1
    expect_errors_like "cpu: the integral has not settled at n = 1048576: allow a larger change by --settle$"
    # Never to a size that is too large for a grid.
    unit_test sizes
    [ "$status" -eq 0 ]
}

@test "a block's additions are ceil(log2 block) + 1, and the simulator counts the atomics" {
    expect_fine trapezoid -n 1024 -b 1024 -k atomic,block -t f64 -w 0 -r 1 --csv
    [ "$(column p_steps | paste -sd ' ')" = "1024 11" ]
    expect_fine trapezoid -n 1024 -b 32 -k shuffle,dissemination,block -w 0 -r 1 --csv
    [ "$(paste -d : <(column p_block_steps) <(column p_steps) | sort -u)" = 6:37 ]
    on_simulator || return 0
    capture trapezoid --counters -n 4Ki -b 256 -k 'atomic,shuffle,dissemination,block' --csv
    expect_status 0
    # All on one address: one per trapezoid, per warp, or per block.
    [ "$(column gatom_lanes | paste -sd ' ')" = "4096 128 128 16" ]
}

@test "the peer runs the default function, and is left out for others" {
    on_simulator && skip "a library for GPUs"
    try trapezoid -k cub -n 1000 --csv
    [ "$status" -ne 77 ] || skip "this toolkit's CUB has no such function"
    expect_fine trapezoid -k cub,grid-stride -n 1000 --versus cub --csv
    [ "$(column verify | paste -sd ' ')" = "pass pass" ]
    try trapezoid -k cub,grid-stride --function sin -n 1000 --csv
    expect_status 0
    expect_errors_like "trapezoid: cub is left out: it integrates the parabola only"
    [ "$(column kernel)" = grid-stride ]
    try trapezoid -k cub --function sin -n 1000
    expect_status 77
}

@test "a row shows what is integrated and how it is launched" {
    expect_fine trapezoid -k atomic -n 1000 -t f64 -b 128 --from -pi/2 --to 0.1 --csv -w 0 -r 1
    expect_clean_table
    [ "$(column p_function) $(column p_to)" = "x^2+1 0.1" ]
    [[ $(column p_from) = -1.570796326794896* ]]
    [ "$(column grid) $(column block) $(column bytes) $(column flop)" = "8 128 8 5000" ]
}

@test "the resident grid gives the same bits in every run" {
    expect_fine trapezoid -k grid-stride -n 100001 --function sin --csv -w 0 -r 1
    local first
    first=$(column p_integral)
    expect_fine trapezoid -k grid-stride -n 100001 --function sin --csv -w 0 -r 3
    [ "$(column p_integral)" = "$first" ]
}

# ---- expressions

@test "an expression is integrated by every variant, in both types" {
    need_compiler
    local dtype
    for dtype in f32 f64; do
        expect_fine trapezoid -q --function 'exp(-x*x)*sin(3*x)' --to 2 -n 1,1000 -t $dtype -w 0 -r 1 --csv
        expect_ours_verified 1 1000
    done
    [ "$(column p_function | sort -u)" = "exp(-x*x)*sin(3*x)" ]
    [[ $(column p_integral | tail -n 1) = 0.427220* ]]
    try trapezoid -v --function 'x ^ 2*x - (1)' -k block -n 1 -t f32 --csv
    expect_status 0
    expect_errors_like "trapezoid: the device computes power<2>\(x\)\*x-float\(1\)"
    # The expression of a built-in function is the built-in one, with its closed form.
    expect_fine trapezoid --function '((x)^2) + 1' --from -3 --to 3 -n 2 -k cpu -t f64 -w 0 -r 1 --csv
    [ "$(column p_function) $(column p_off_closed_form)" = "x^2+1 9.000" ]
}

@test "every function and operator gives the same on device and host" {
    need_compiler
    local all='abs(x)+sqrt(x)+cbrt(x)+exp(x)+exp2(x)+expm1(x)+log(x)+log2(x)+log10(x)+log1p(x)+sin(x)+cos(x)+tan(x)
        +asin(x/3)+acos(x/3)+atan(x)+sinh(x)+cosh(x)+tanh(x)+asinh(x)+acosh(1+x)+atanh(x/3)+erf(x)+erfc(x)+gamma(x)
        +lgamma(x+3)+floor(7*x)+ceil(7*x)+round(7*x)+trunc(7*x)+pow(x,1.5)+atan2(x,2)+hypot(x,3)+fmod(x,0.3)+min(x,1)
        +max(x;1)+x^2.5+x^3-x^-2*2^x/e+-pi*-x--x^0+x^63'
    all=$(tr -d ' \n' <<<"$all")
    local dtype
    for dtype in f32 f64; do
        expect_fine trapezoid --function "$all" --from 0.5 --to 1.5 -n 500 -b 1024 -t $dtype -k 'cpu,block' -w 0 -r 1 --csv
        [ "$(column verify | paste -sd ' ')" = "pass pass" ]
    done
    # The printed expression means the same when read again.
    local printed
    printed=$(column p_function | head -n 1)
    expect_fine trapezoid --function "$printed" --from 0.5 --to 1.5 -n 1 -t f64 -k cpu -w 0 -r 1 --csv
    [ "$(column p_function)" = "$printed" ]
}

@test "operators bind as in mathematics" {
    # The integral of a constant from 0 to 1 is that constant.
    local case
    for case in 2^3^2=512 -2^2=-4 2^-1=0.5 8/4/2=1 8-4-2=2 2+3*4=14 '(2+3)*4=20' -3--2=-1 2*-3=-6 +1=1 '--1=1' \
        '1e1*.5=5' '2-(3-4)=3' '8/(4/2)=4' '(-2)^2=4' 'max(1,min(5;3))=3' '-(1+2)=-3' 'atan2(0,1)=0'; do
        awk -v got="$(integral_of "${case%=*}" -n 1)" -v expected="${case##*=}" \
            'BEGIN { exit !(got == expected) }' || complain "$case, got $(column p_integral)"
    done
}

@test "a bad expression is refused with its place" {
    refuses_expression 'exp(-x*x' 4 "--function: this \( is not closed"
    refuses_expression '2x' 2 "an operator is missing before this"
    refuses_expression '(x+1)(x-1)' 6 "an operator is missing before this"
    refuses_expression 'sin x' 1 "sin needs its argument in parentheses"
    refuses_expression '1+sn(x)' 3 "this name is not known; did you mean sin\?"
    refuses_expression 'x+y' 3 "this name is not known: x is the variable"
    refuses_expression 'x+' 3 "an operand is missing here"
    refuses_expression 'x*/2' 3 "an operand is missing before this /"
    refuses_expression '(x))' 4 "this \) closes nothing"
    refuses_expression 'x**2' 2 "a power is written \^"
    refuses_expression 'min(x)' 6 "min needs two arguments"
    refuses_expression 'sin(x,1)' 6 "sin has one argument"
    refuses_expression 'max(1,2,3)' 8 "too many arguments"
    refuses_expression 'x,1' 2 "only functions of two arguments have a comma"
    refuses_expression 'sin()' 5 "sin needs its argument here"
    refuses_expression '()' 2 "an expression is missing"
    refuses_expression '1e999' 1 "outside the range of f64"
    refuses_expression ' ' 1 "there is no expression"
    refuses_expression '.' 1 "this is not a number"
}

@test "nothing but an expression reaches a compiler" {
    refuses_expression 'x;system("touch made")' 2 "only functions of two arguments have a comma"
    refuses_expression '__builtin_trap()' 1 "this name is not known"
    refuses_expression 'x//y' 3 "an operand is missing before this /"
    # shellcheck disable=SC2016  # no expansion is meant
    refuses_expression '$(touch made)' 1 "no expression has this character"
    try trapezoid --function $'x\n#include "made"'
    expect_status 2
    [ "$(sed -n 2p stderr)" = '    x?#include "made"' ]
    [ ! -e made ]
    # Longer and deeper than allowed.
    try trapezoid --function "$(printf '1+%.0s' {1..600})1"
    expect_status 2
    expect_errors_like "too long"
    try trapezoid --function "$(printf '(%.0s' {1..200})x"
    expect_errors_like "nested more than 100 deep"
}

@test "a long and deep expression compiles" {
    need_compiler
    local deep
    deep="$(printf 'sin(1+%.0s' {1..45})x$(printf ')%.0s' {1..45})$(printf -- '-x*%.0s' {1..200})x"
    expect_fine trapezoid --function "$deep" -n 10 -k cpu,block -t f64 -w 0 -r 1 --csv
    [ "$(column verify | sort -u)" = pass ]
}

@test "bounds are numbers or expressions without x" {
    [ "$(integral_of 1 --from -2/3 --to '2^-2' -n 1)" = 0.91666666666666663 ]
    refuses 2 "--from 'x' is not a number: a bound has no x in it" trapezoid --from x
    refuses 2 "--to '1/0' is inf: a bound is a finite number" trapezoid --to 1/0
    refuses 2 "too far apart for f32: choose others, or use -t f64" trapezoid --from=-1e39 -n 1
    try trapezoid --to '1+'
    expect_status 2
    expect_errors_like "--to: an operand is missing here"
    refuses 2 "--size 5000000000 is too large for blocks of 1 threads" trapezoid -n 5000000000 -b 1
}

@test "a function that is not finite is refused with the point" {
    refuses 4 "1/x is inf at x = 0: choose --from and --to" trapezoid --function 1/x -k cpu -n 4
    refuses 4 "sqrt\(x\) is nan at x = -1: choose" trapezoid -q --function sqrt --from=-1 -n 4
    # The first such point is named, and a part of the function counts.
    refuses 4 "log\(x-0.5\) is nan at x = 0: choose" trapezoid --function 'min(1,log(x-0.5))' -k cpu -n 4
    refuses 4 "1/\(x-0.75\) is inf at x = 0.75: choose" trapezoid --function '1/(1/(x-0.75))' -k cpu -n 8
    refuses 4 "exp\(x\) is 1\.[0-9]*e\+39 at x = 90, beyond the range of f32: choose other bounds, or use -t f64" \
        trapezoid --function 'exp(x)' --to 90 -k cpu -n 1
    expect_fine trapezoid --function 'exp(x)' --to 90 -k cpu -n 1 -t f64 --csv
    refuses 4 "1000 heights of 1e\+38 add up to 1e\+41, beyond the range of f32: .* use -t f64" \
        trapezoid --function 1e38 -k cpu -n 1000
    refuses 4 "cpu: the sum of 1/x is inf" trapezoid --function 1/x -k cpu -n 4 --no-verify
}

@test "without a compiler for expressions the exit status is 77" {
    on_simulator || skip "NVRTC is found in too many ways"
    cp "$root/bin/trapezoid" alone
    export LD_LIBRARY_PATH=$root/build/lib/gridutils
    capture env PATH=/nowhere ./alone -d sim --function 'x+2' -n 1
    expect_status 77
    expect_errors_like "cannot start simcc, which compiles --function for the simulator: .*; install it"
    capture env CXX=/nowhere/g++ trapezoid -q -d sim --function 'x+2' -n 1
    expect_status 77
    expect_errors_like "simcc could not compile --function for the simulator: .*; it needs g\+\+"
    # Installed under other names, they are used together.
    mv alone g-trapezoid
    printf '#!/bin/sh\n>asked\nexec "%s/bin/simcc" "$@"\n' "$root" >g-simcc
    chmod +x g-simcc
    capture ./g-trapezoid -q -d sim --function 'x+2' -n 1 -k block --csv
    expect_status 0
    [ -e asked ]
    rm g-simcc && mv g-trapezoid alone
    # The host's variants, and known functions, need no compiler.
    capture env PATH=/nowhere ./alone -q -d sim --function 'x+2' -n 1 -k 'cpu*' --csv
    expect_status 0
    capture env PATH=/nowhere ./alone -q -d sim --function 'x^2 + 1' -n 1 --csv
    expect_status 0
}

@test "the kernels and every function compile from source text for GPUs" {
    local library
    for library in "${CUDA_HOME:-/usr/local/cuda}"/lib*/libnvrtc.so /usr/local/cuda*/lib*/libnvrtc.so; do
        [ ! -e "$library" ] || break
    done
    [ -e "$library" ] || skip "libnvrtc is not installed"
    unit_test gpu
    [ "$status" -eq 0 ]
}

# ---- as every program

@test "the checked simulator finds nothing" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 3 16; do
        SIMCC_THREADS=$threads capture trapezoid --check=all -n 1,1000,20001 -b 96 --csv
        expect_status 0
        expect_all_verified trapezoid 1 1000 20001
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "a table of integrals goes through a pipe, which may close early" {
    need mlr datamash
    pipeline 'trapezoid -q -d $device -n 16,64 -k block | mlr --icsv --ojson cut -f p_order | grep -c p_order'
    expect_status 0
    expect_output 2
    pipeline 'trapezoid -q -d $device -n 1:200 -k cpu | datamash -t , --header-in count n'
    expect_output 200
    pipeline 'trapezoid -q -d $device -n 1:64 -k cpu -w 0 -r 1 | head -n 1 >/dev/null || [ $? = 141 ]'
    expect_status 0
    expect_no_errors
}

@test "misspelt names are refused" {
    refuses 2 "unexpected operand 'x'" trapezoid x
    refuses 2 "unknown option '--func'; did you mean" trapezoid --func x
    refuses 2 "unknown kernel 'blok'; did you mean 'block'" trapezoid -k blok
    refuses 2 "--settle '2' is not a number from 0 to 1" trapezoid --settle 2
    refuses 2 "i32" trapezoid -t i32
}

@test "the examples of its page run" { need mlr && run_examples trapezoid.1; }

# ---- checks and steps of an expression, which is a library of its own

@test "an expression is checked, counted and shown in steps like a named function" {
    on_simulator || skip "for the simulator"
    expect_fine trapezoid --function 'x*x+1' -n 8 -k tree --counters --csv
    [ "$(column exchanges)" -gt 0 ] || complain "nothing is counted"
    capture trapezoid -q --function 'x*x+1' -n 8 -k tree --check --csv
    expect_status 0
    [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "findings"
    expect_fine trapezoid --function 'x*x+1' -n 8 -k tree --steps --csv
    expect_output_like $'\ntree,1,'
}

# ---- steps

@test "a tree adds n heights in ceil(log2 n) + 1 steps: a million in 21, one after another in a million" {
    expect_fine trapezoid -t f64 -n 8,16,1000,1000000 -b 1024 -k atomic,tree -w 0 -r 1 --csv
    [ "$(columns kernel n p_steps verify)" = "atomic 8 8 pass
tree 8 4 pass
atomic 16 16 pass
tree 16 5 pass
atomic 1000 1000 pass
tree 1000 11 pass
atomic 1000000 1000000 pass
tree 1000000 21 pass" ] || complain "steps"
}

@test "--grid 1 --block 1 is the sequential program: in the simulator with the same bits as one core" {
    local n
    for n in 0 1 2 1000; do
        try trapezoid -t f32 -n $n -k cpu,per-thread --function parabola --grid 1 --block 1 -w 0 -r 1 --csv
        expect_status 0 && expect_no_errors || return
        # (A GPU's products and sums are fused.)
        ! on_simulator || [ "$(column p_integral | sort -u | wc -l)" -eq 1 ] || complain "two integrals" || return
        [ "$(column verify | sort -u)" = pass ] || complain "wrong" || return
        [ "$(columns kernel grid block | tail -1)" = "per-thread 1 1" ] || complain "shape" || return
    done
    try trapezoid -n 1000 -k 'per-*,tree' --grid 3 --block 32 -w 0 -r 1 --csv
    expect_status 0
    expect_errors_like 'tree is left out: the number of trapezoids decides its grid'
    [ "$(columns kernel grid verify)" = "per-thread 3 pass" ] || complain "three blocks"
}

@test "--steps shows how many heights become one: in turns, by shuffles, and with the sum in every lane" {
    capture trapezoid --steps -k atomic -n 4 --from 0 --to 4 -f human
    expect_status 0
    expect_no_errors
    [ "$(sed -n '/^step/p' <<<"$output" | awk '{ print $3, $4, $5 }' | paste -s -d ';')" = "0 9 9;1 2 11;2 5 16;3 10 26" ] || complain "turns"
    local variant
    for variant in shuffle shuffle-xor dissemination; do
        capture trapezoid --steps -k $variant -n 32 -t f64 --from 0 --to 32 --csv
        expect_status 0 && expect_clean_table , || return
        [ "$(awk -F , '$2 == 5 && $5 == 0 { print $6 }' <<<"$output")" = 10960 ] || complain "the sum of $variant" || return
        awk -F , '$2 == 5 { print $6 }' <<<"$output" | sort -u | wc -l >lanes
        echo "$variant $(($(cat lanes) == 1 ? 1 : 0))" >>same
    done
    [ "$(paste -s -d ' ' same)" = "shuffle 0 shuffle-xor 1 dissemination 1" ] || complain "which lanes have the sum" || return
    capture trapezoid --steps -k shuffle -n 32 -f human
    [ "$(grep -o 'stride [0-9]*' <<<"$output" | paste -s -d ' ')" = "stride 16 stride 8 stride 4 stride 2 stride 1" ] || complain "strides"
}

@test "every variant that has steps ends them with the sum" {
    capture trapezoid --steps -t f64 -n 0,1,5,32 -f human
    expect_status 0
    expect_no_errors
    [ "$(sed -n 's/^The result is \([^,]*\), .*/\1/p' <<<"$output" | sort | uniq -c | awk '{ print $1 }' | sort -u)" = "$(variants trapezoid | grep -c -v -E 'cpu|cub')" ] ||
        complain "not one result for each n"
    capture trapezoid --steps -k cpu
    expect_status 2
    expect_refusal trapezoid 'cpu has no steps to show; these have: atomic, .* and grid-stride'
    capture trapezoid --steps -k block -n 65
    expect_status 2
    expect_refusal trapezoid 'needs 3 of 32 threads for 65 trapezoids: give it fewer, or --block up to 64'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# gridutils runs any program by its name, whatever it is called where it is installed, and lists them all.

# Needs no GPU

load helpers

# install_as NAME INSTALLED: a copy in bin/, since a program looks beside its real file.
install_as() {
    mkdir -p bin lib
    cp "$root/build/bin/$1" "bin/$2" && ln -sfn "$root/build/lib/gridutils" lib/gridutils
}

@test "without arguments it lists every program, with the line that its page begins with" {
    local page name
    capture gridutils
    expect_status 0
    expect_no_errors
    for page in "$root"/man/*.1; do
        name=$(basename "$page" .1)
        [ "$name" != gridutils ] || continue
        grep -q -x -F "$(printf '%-12s  %s' "$name" "$(sed -n 's/^\.Nd //p' "$page")")" <<<"$output" || complain "$name"
    done
    [ "$(wc -l <<<"$output")" -eq "$(($(find "$root"/man -name '*.1' | wc -l) - 1))" ]
    [ "$(LC_ALL=C sort <<<"$output")" = "$output" ] || complain "not in order"
}

@test "a program gets its arguments, standard input and environment, and its exit status is passed on" {
    capture gridutils reduce -d sim - < <(seq 100)
    expect_status 0
    expect_output 5050
    capture gridutils reduce --no-such-option
    expect_status 2
    expect_errors_like "^reduce: unknown option '--no-such-option'"
    COLUMNS=40 capture gridutils plot --help
    expect_status 0
    expect_output_like "^Usage: plot "
}

@test "a signal ends the program itself" {
    mkfifo input
    exec 9<>input  # never at its end
    gridutils reduce -d sim - <input &
    local program=$!
    until [ "$(readlink "/proc/$program/exe")" = "$root/build/bin/reduce" ]; do sleep 0.05; done
    kill -TERM "$program"
    status=0
    wait "$program" || status=$?
    exec 9>&-
    expect_status 143
}

@test "an unknown name is refused with the nearest ones" {
    capture gridutils redcue
    expect_status 2
    expect_refusal gridutils "unknown program 'redcue'; did you mean reduce\?; gridutils alone lists them"
    capture gridutils mat
    expect_status 2
    expect_refusal gridutils "did you mean matadd or matmul\?"
    capture gridutils --list
    expect_status 2
    expect_refusal gridutils "unknown option '--list': options of a program follow its name"
}

@test "programs are found beside it: as gridutils-NAME, which comes first, or with its own prefix" {
    install_as gridutils gu-gridutils
    install_as plot gu-plot
    capture bin/gu-gridutils plot --version
    expect_status 0
    expect_output_like "^gu-plot "
    printf '#!/bin/sh\necho a stranger\n' >bin/plot && chmod +x bin/plot
    rm bin/gu-plot
    install_as plot gridutils-plot
    capture bin/gu-gridutils plot --version
    expect_output_like "^gridutils-plot "
}

@test "what is not installed is 127, what cannot be started 126, and the list says what is missing" {
    install_as gridutils gridutils
    PATH=/usr/bin:/bin capture bin/gridutils vecadd
    expect_status 127
    expect_refusal gridutils "vecadd is not installed: it belongs beside gridutils, or into a folder of PATH"
    PATH=/usr/bin:/bin capture bin/gridutils
    expect_status 0
    expect_errors_like "^gridutils: not installed: .*, vecadd\$"
    printf '\177ELF' >bin/vecadd && chmod +x bin/vecadd
    capture bin/gridutils vecadd
    expect_status 126
    expect_refusal gridutils "cannot start .*/bin/vecadd: Exec format error"
}

@test "its completion has the names, and then what the program completes" {
    capture gridutils --complete tr
    expect_output "$(printf '%s\t%s\n' transfer 'measure copies between the host and devices' transpose \
        'transpose a matrix' trapezoid 'integrate a function by the trapezoidal rule')"
    capture gridutils --complete plot --siz
    expect_output_like "^--size"
    capture gridutils --complete --v
    expect_output --version
}

@test "help and version go to standard output; a full disk is an error" {
    capture gridutils --help
    expect_status 0
    expect_output_like "^Usage: gridutils \[NAME \[ARGUMENT\]...\]"
    capture gridutils -V
    expect_output_like "^gridutils \(gridutils\) [0-9]"
    status=0
    gridutils >/dev/full 2>err || status=$?
    expect_status 5
}

#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What --output does to its file, and to everything beside it.

load helpers

# The names in a folder, including hidden ones.
names_in() { (cd "$1" && find . -mindepth 1 -printf '%P\n' | sort | paste -sd ' '); }

# Moves the test into a folder of an ordinary user.
enter_users_folder() {
    need_user
    if [ "$(id -u)" -eq 0 ]; then
        mkdir home && chown 65534:65534 home && cd home || return
    fi
    seq 3 | as_user tee three >/dev/null
}

# user_try PROGRAM ARGUMENT...: like try, as that user.
user_try() {
    local program=$1
    shift
    capture as_user "$root/bin/$program" -d "$device" "$@"
}

@test "a dash, /dev/stdout and /dev/fd/N are written to where they lead, and stay what they are" {
    seq 3 >three
    expect_fine reduce three -o -
    expect_output 6
    [ "$(names_in .)" = "stderr stdout three" ]
    # Standard output may be a file that others write to as well.
    mkdir devices
    ln -s /proc/self/fd/1 devices/stdout
    for path in - /dev/stdout /proc/self/fd/1 devices/stdout; do
        { echo before; reduce -q -d "$device" three -o $path; echo after; } >log
        [ "$(paste -sd ' ' log)" = "before 6 after" ] || complain "$path: $(cat log)"
        [ "$(reduce -q -d "$device" three -o $path | cat)" = 6 ]
    done
    { echo before >&3; reduce -q -d "$device" three -o /dev/fd/3; echo after >&3; } 3>log
    [ "$(paste -sd ' ' log)" = "before 6 after" ]
    [ "$(reduce -q -d "$device" three -o /dev/stderr 2>&1 >/dev/null)" = 6 ]
    [ -L /dev/stdout ]
    [ -L devices/stdout ]
    capture bash -c "reduce -d $device three -o /dev/stdout >&-"
    expect_status 5
}

@test "every program takes a dash and a device" {
    local program
    for program in $(programs); do
        expect_fine "$program" --list -o -
        [ -n "$output" ]
        expect_fine "$program" --list -o /dev/null
        expect_output ""
    done
    [ -c /dev/null ]
    [ "$(names_in .)" = "stderr stdout" ]
}

@test "a named pipe gets the result and stays" {
    mkfifo pipe
    seq 3 >three
    timeout 10 cat pipe >got &
    expect_fine reduce three -o pipe
    wait $!
    [ "$(cat got)" = 6 ]
    [ -p pipe ]
}

@test "a link's target is written, and the link stays" {
    mkdir far
    seq 3 >three
    echo old >far/file
    chmod 600 far/file
    ln -s far/file link
    ln -s link link-to-link
    ln -s far/new dangling
    expect_fine reduce three -o link-to-link
    expect_fine reduce three -o dangling
    [ "$(readlink link-to-link) $(readlink link) $(readlink dangling)" = "link far/file far/new" ]
    [ "$(cat far/file) $(stat -c %a far/file) $(cat far/new)" = "6 600 6" ]
    [ "$(names_in far)" = "file new" ]
    ln -s circle circle
    refuses 5 "cannot write 'circle': Too many levels of symbolic links" reduce three -o circle
}

@test "a file keeps its mode, its owner and its other names" {
    local mode
    seq 3 >three
    for mode in 600 640 666 755; do
        echo old >file
        chmod $mode file
        expect_fine reduce three -o file
        [ "$(stat -c %a file) $(cat file)" = "$mode 6" ]
    done
    echo old and longer than the result >one
    ln one other
    expect_fine reduce three -o one
    [ "$(cat other) $(stat -c %h one)" = "6 2" ]
    # The longest possible file name.
    expect_fine reduce three -o "$(printf '%0255d' 0)"
    [ "$(id -u)" -eq 0 ] || return 0  # only root gives files away
    chown 65534:65534 file
    expect_fine reduce three -o file
    [ "$(stat -c '%u %g %a' file)" = "65534 65534 755" ]
}

@test "a file keeps its access list and its extended attributes" {
    cat >attribute.cpp <<'EOF'
#include <sys/xattr.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
// Sets or shows user.origin and an access list: user 1234 may read.
int main(int count, char** words) {
    const unsigned char list[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 210, 4, 0, 0, 4, 0, 4, 0,
                                  255, 255, 255, 255, 16, 0, 6, 0, 255, 255, 255, 255, 32, 0, 4, 0, 255, 255, 255, 255};
    const bool is_list = !std::strcmp(words[1], "list");
    const char* const name = is_list ? "system.posix_acl_access" : "user.origin";
    const void* const value = is_list ? static_cast<const void*>(list) : "class";
    const size_t bytes = is_list ? sizeof list : 5;
    if (count > 3) return setxattr(words[2], name, value, bytes, 0) == 0 ? 0 : 77;
    char seen[256];
    const ssize_t length = getxattr(words[2], name, seen, sizeof seen);
    return length == static_cast<ssize_t>(bytes) && !std::memcmp(seen, value, bytes) ? 0 : 1;
}
EOF
    "${CXX:-g++}" attribute.cpp -o attribute
    local kind
    for kind in user list; do
        rm -f sum
        echo old >sum
        ./attribute $kind sum set || skip "this file system knows no such attributes"
        try vecadd <(echo 1 2) <(echo 3 4) -o sum
        expect_status 0
        [ "$(cat sum)" = $'4\n6' ]
        ./attribute $kind sum || complain "$kind: the attribute is gone"
    done
}

@test "a file that the user may not write is refused before any work is done" {
    enter_users_folder
    echo precious | as_user tee file >/dev/null
    as_user chmod 400 file
    user_try reduce three -o file
    expect_status 5
    expect_refusal reduce "cannot write 'file': Permission denied; name another file, or make it writable"
    [ "$(cat file)" = precious ]
    user_try reduce -n 10 -o file
    expect_status 5
    as_user mkdir locked
    as_user chmod 555 locked
    user_try reduce three -o locked/file
    expect_status 5
    [ "$(names_in .)" = "file locked three" ]
}

@test "a writable file is written even if no file can be made beside it, or if it has another owner" {
    enter_users_folder
    export TMPDIR=$PWD
    as_user mkdir locked
    echo old | as_user tee locked/file >/dev/null
    as_user chmod 555 locked
    user_try reduce three -o locked/file
    expect_status 0
    [ "$(cat locked/file)" = 6 ]
    [ "$(id -u)" -eq 0 ] || return 0
    echo old >roots
    chmod 666 roots
    user_try reduce three -o roots
    expect_status 0
    [ "$(cat roots) $(stat -c '%u %a' roots)" = "6 0 666" ]
}

@test "no file is left beside the output after any signal, and the program ends by that signal" {
    local signal number
    mkfifo endless
    exec {feed}<>endless
    echo precious >out
    ulimit -c 0
    for signal in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU XFSZ VTALRM PROF IO PWR SYS \
        RTMIN RTMAX; do
        # (It reads from a silent pipe. A shell makes its background jobs ignore some signals.)
        env --default-signal "$root/bin/reduce" -q -d "$device" - -o out <endless 2>/dev/null &
        until [ -n "$(find . -name '.gridutils-*')" ]; do sleep 0.02; done
        kill -s $signal $!
        status=0
        wait $! 2>/dev/null || status=$?
        number=$(kill -l $signal)
        [ "$status" -eq $((128 + number)) ] || complain "$signal" || return
        [ "$(names_in .)" = "endless out" ] || complain "$signal: $(names_in .)" || return
        [ "$(cat out)" = precious ]
    done
    exec {feed}>&-
}

@test "no temporary folder is left after any signal" {
    export TMPDIR=$PWD/temporary
    mkdir programs temporary
    # A gnuplot that waits can be interrupted at any time.
    printf '#!/bin/sh\n: >started\nexec sleep 20.031\n' >programs/gnuplot && chmod +x programs/gnuplot
    printf 'tool,kernel,n,median_ns\nreduce,a,1,2\nreduce,a,2,3\n' >rows.csv
    ulimit -c 0
    local signal
    for signal in HUP INT QUIT ABRT USR1 SEGV PIPE ALRM TERM XCPU IO RTMIN; do
        rm -f started
        PATH=$PWD/programs:$PATH env --default-signal "$root/bin/plot" rows.csv -o plot.png 3>&- 2>/dev/null &
        until [ -e started ]; do sleep 0.02; done
        [ -n "$(ls temporary)" ]
        kill -s $signal $!
        status=0
        wait $! 2>/dev/null || status=$?
        [ "$status" -eq $((128 + $(kill -l $signal))) ] || complain "$signal" || return
        [ -z "$(ls -A temporary)" ] || complain "$signal left $(ls -A temporary)" || return
    done
    pkill -f "^sleep 20.031$" || true
}

@test "a signal that the caller ignores stays ignored" {
    mkfifo pipe
    exec {feed}<>pipe
    env --ignore-signal=HUP,INT "$root/bin/reduce" -q -d "$device" - -o out <pipe {feed}>&- &
    until [ -n "$(find . -name '.gridutils-*')" ]; do sleep 0.02; done
    kill -HUP $! && kill -INT $!
    echo 1 2 >&"$feed"
    exec {feed}>&-
    wait $!
    [ "$(cat out)" = 3 ]
}

@test "an output beyond the shell's file size limit leaves the file as it was, and nothing beside it" {
    echo precious >out
    ln out other
    for file in out new; do
        capture bash -c "ulimit -c 0 -f 1; exec reduce -d $device --list --csv -o $file"
        expect_status $((128 + $(kill -l XFSZ)))
        capture env --ignore-signal=XFSZ bash -c "ulimit -f 1; exec reduce -d $device --list --csv -o $file"
        expect_status 5
        expect_errors_like "File too large"
    done
    [ "$(cat out other | paste -sd ' ')" = "precious precious" ]
    [ "$(names_in .)" = "other out stderr stdout" ]
}

@test "a file cannot be both input and output, in any program and under any name" {
    local name
    seq 3 >file
    ln file hard
    ln -s file soft
    for name in file hard soft ./file "$PWD/file"; do
        refuses 2 "'file' and '$name' are the same file, both read and written" reduce file -o "$name"
        refuses 2 "same file, both read and written" vecadd file "$name" -o hard
        refuses 2 "same file, both read and written" matmul --shape 1x1x3 file file -o "$name"
        refuses 2 "same file, both read and written" memcheckdemo oob-global-write --grade file -o "$name"
        refuses 2 "same file, both read and written" memcheckdemo oob-global-write --grade three --twin file -o "$name"
    done
    refuses 2 "standard input and 'hard' are the same file" reduce - -o hard <file
    capture bash -c "reduce -d $device file >>soft"
    expect_status 2
    expect_errors_like "'file' and standard output are the same file"
    [ "$(paste -sd ' ' file)" = "1 2 3" ]
    # Anything but a file may be both.
    refuses 4 "no numbers" reduce /dev/null -o /dev/null
    expect_fine reduce file -o other -o result
    [ "$(cat result)" = 6 ]
    [ ! -e other ]
}

@test "two outputs cannot be one file" {
    local name
    ln -s same link
    for name in same ./same link "$PWD/same"; do
        refuses 2 "are the same file, written twice: write to two files" streams -n 100 --trace same -o "$name"
    done
    refuses 2 "--trace and the results would both be written to standard output: name a file" streams -n 100 --trace -
    refuses 2 "--trace and --output would both|--output and --trace would both" streams -n 100 --trace - -o -
    capture bash -c "streams -d $device -n 100 --trace log >log"
    expect_status 2
    [ "$(names_in .)" = "link log stderr stdout" ]
}

@test "a run that the checker or the watchdog ends leaves nothing beside the output" {
    on_simulator || skip "the checked simulator's"
    capture memcheckdemo -d sim device-ptr-on-host --check -o out
    expect_status 86
    [ "$(names_in .)" = "stderr stdout" ]
}

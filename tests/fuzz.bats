#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every input that a fuzzer ever found to break a reader is kept in tests/fuzz/seeds, with the initial inputs.
# `make fuzz` looks for more.

# Needs no GPU

load helpers

build_driver() {
    local backtrace
    backtrace=$("${CXX:-g++}" -print-file-name=libbacktrace.a)
    if [ "$backtrace" = libbacktrace.a ]; then backtrace=; fi
    # libsimt.a has the names of the checks, which the options need.
    "${CXX:-g++}" -std=c++20 -O1 -I "$root" "$root"/tests/fuzz/{targets,readers,tables,command_line,rewriter,expressions,driver}.cpp \
        "$root"/build/host/common/simt/{rewrite,driver}.o "$root"/build/host/tools/{plot,trapezoid}/own.o \
        "$root"/build/libgridutils.a "$root"/build/lib/gridutils/libsimt.a \
        $backtrace -Wl,--gc-sections -lfmt -lz -lpthread -ldl -lrt -o driver
}
# Makes ./driver.
driver() { once driver build_driver; }

@test "every seed of every fuzzer keeps its target's promises, and so do some mutations of it" {
    local target
    driver
    for target in "$root"/tests/fuzz/seeds/*/; do
        capture ./driver "$(basename "$target")" 0.3 1 "$target"*
        expect_status 0
        expect_errors_like '[0-9]+ seeds, [1-9][0-9]* mutations'
    done
}

@test "each target has seeds, and the driver knows no other target" {
    [ "$(find "$root"/tests/fuzz/seeds -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -sd ' ')" = \
        "$(sed -n 's/^    {"\(.*\)", fuzz_.*/\1/p' "$root"/tests/fuzz/targets.cpp | sort | paste -sd ' ')" ]
    driver
    capture ./driver nonsense 0 1 /dev/null
    expect_status 2
    expect_errors_like "no target 'nonsense'"
}

@test "the driver notices a broken promise, and keeps the input" {
    cat >broken.cpp <<'EOF'
#include "tests/fuzz/target.hpp"
static void no_sevens(std::string_view input) {
    if (input.find('7') != input.npos) broken("no input holds a 7", input);
}
const Target targets[] = {{"sevens", no_sevens}};
const Target& find_target(std::string_view) { return targets[0]; }
EOF
    sed -n '/^void broken/,/^}/p' "$root/tests/fuzz/targets.cpp" >>broken.cpp
    sed -i '1i #include <cstdio>\n#include <cstdlib>' broken.cpp
    "${CXX:-g++}" -std=c++20 -I "$root" broken.cpp "$root/tests/fuzz/driver.cpp" -o broken
    echo 5 >seed
    capture ./broken sevens 60 1 seed
    [ "$status" -ne 0 ]
    expect_errors_like 'broken: no input holds a 7'
    grep -q 7 fuzz-input
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes the readers with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, or, if clang lacks them, with the
# mutator of tests/fuzz/driver.cpp:
#     tests/long/fuzz.bash SECONDS [TARGET]...
# The seeds are tests/fuzz/seeds/TARGET; what libFuzzer adds goes to build/fuzz/TARGET. An input that breaks a promise
# is left in build/fuzz/TARGET-crash-*: the fix has to add it to the seeds, which make test replays.
set -u

cd "$(dirname "$0")/../.." || exit
seconds=${1-60}
# (To libFuzzer, 0 means forever.)
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "Usage: tests/long/fuzz.bash SECONDS [TARGET]..." >&2; exit 2; }
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- npy text tables formats sizes globs options simcc_options rewrite expression
sources=(common/io/*.cpp common/cli/{check_options,completion,option_table,options,sizes}.cpp common/measure/version.cpp common/simt/rewrite/*.cpp
    common/simt/driver/options.cpp tests/fuzz/{targets,readers,tables,command_line,rewriter,expressions}.cpp
    tools/trapezoid/expression.cpp tools/plot/*.cpp)
sanitizers=("-fsanitize=address,undefined" -fno-sanitize-recover=undefined)
# options.cpp gets the names of checks from the simulator. Its checkers define functions with the sanitizers' names, which
# are hidden here.
libraries=(build/fuzz/libsimt.a -lfmt -lz -lpthread -ldl)
backtrace=$(g++ -print-file-name=libbacktrace.a)
[ "$backtrace" = libbacktrace.a ] || libraries+=("$backtrace")
mkdir -p build/fuzz
objcopy --wildcard --localize-symbol='__sanitizer_*' --localize-symbol='__ubsan_*' --localize-symbol='__tsan_*' \
    build/lib/gridutils/libsimt.a build/fuzz/libsimt.a || exit

# compile COMPILER PROGRAM ENTRY [FLAG]...
compile() {
    local compiler=$1 program=$2 entry=$3
    shift 3
    local source object jobs=0 objects=()
    mkdir -p "build/fuzz/$program-objects"
    for source in "${sources[@]}" "$entry"; do
        object=build/fuzz/$program-objects/${source//\//_}.o
        objects+=("$object")
        if [ "$object" -nt "$source" ] && [ "$object" -nt build/fuzz/headers ]; then continue; fi
        "$compiler" -std=c++20 -O1 -g1 -I. "$@" -c "$source" -o "$object" &
        if ((++jobs % $(nproc) == 0)); then wait -n || return; fi
    done
    wait
    "$compiler" "$@" "${objects[@]}" "${libraries[@]}" -o "build/fuzz/$program"
}

# Header dependencies are not tracked: the newest header decides.
newest=$(find common tests/fuzz -name '*.hpp' -newer build/fuzz/headers 2>/dev/null | head -1)
if [ ! -e build/fuzz/headers ] || [ -n "$newest" ]; then touch build/fuzz/headers; fi
status=0
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' >build/fuzz/probe.cpp
if clang++ -fsanitize=fuzzer,address,undefined build/fuzz/probe.cpp -o build/fuzz/probe 2>/dev/null; then
    compile clang++ libfuzzer tests/fuzz/libfuzzer.cpp -fsanitize=fuzzer "${sanitizers[@]}" || exit
    for target; do
        mkdir -p "build/fuzz/$target"
        echo "fuzz: $target for $seconds seconds"
        FUZZ_TARGET=$target build/fuzz/libfuzzer -max_total_time="$seconds" -timeout=30 -max_len=4096 \
            -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="build/fuzz/$target-" "build/fuzz/$target" \
            "tests/fuzz/seeds/$target" 2>"build/fuzz/$target.log" || status=1
        grep -a -E '^stat::number_of_executed_units|^SUMMARY|^broken|Test unit written' "build/fuzz/$target.log"
    done
else
    echo "fuzz: clang++ has no libFuzzer here; the mutator of ours is used" >&2
    compile "${CXX:-g++}" driver tests/fuzz/driver.cpp "${sanitizers[@]}" || exit
    for target; do
        export FUZZ_INPUT=build/fuzz/$target-crash-input
        build/fuzz/driver "$target" "$seconds" 1 tests/fuzz/seeds/"$target"/* && continue
        status=1
        echo "fuzz: see $FUZZ_INPUT"
    done
fi
exit $status

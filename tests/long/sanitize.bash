#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds all programs for the simulator with a sanitizer in the host code, and runs test files with them:
#     tests/long/sanitize.bash address|thread [NAME]...
# NAME is a file tests/NAME.bats; by default those run that make sense. The build goes to build/address or
# build/thread, a copy of the source tree, and so never mixes with the programs in bin/.
# - address: AddressSanitizer and UndefinedBehaviorSanitizer, in everything except the code of the checked simulator.
# - thread: ThreadSanitizer in the runtime and the programs' main parts, but not in kernels, whose races are their own.
#   There is no checked simulator, since its instrumentation has the same names.
# BUILD_ONLY="bin/simcc bin/vecadd" builds only these, for tests that need no more.
# Files run side by side, as in tests/run.bash. Ends with their results and the number of the sanitizer's reports, which
# are in build/.../reports. Exits 0 only if there are none and no test failed.
set -u

cd "$(dirname "$0")/../.." || exit
case ${1-} in
    address | thread) export SANITIZE=$1 ;;
    *) echo "Usage: tests/long/sanitize.bash address|thread [NAME]..." >&2; exit 2 ;;
esac
shift
tree=$PWD/build/$SANITIZE
reports=$tree/reports
export CXX=$tree/tests/sanitize/c++

# Left out: sanitizer.bats (for compute-sanitizer), install.bats and docs.bats (they build or read, and run little),
# memcheckdemo.bats (sanitizers would end its plants), and, for threads, tests that check, abort or interrupt
# programs.
default=(common files verification properties vecadd reduce matmul streams devquery simcc)
backends=sim
if [ "$SANITIZE" = address ]; then
    default+=(tables fuzz check check_memory check_races check_counters)
    backends="sim checked"
fi
[ $# -gt 0 ] || set -- "${default[@]}"

mkdir -p "$tree" && rm -rf "${tree:?}"/{common,kernels,tools,tests,man,reports} && mkdir "$reports" &&
    cp -a Makefile README.md .ci .github .gitattributes common kernels tools tests man "$tree" || exit
# shellcheck disable=SC2086  # several targets
make -C "$tree" --no-print-directory -j"$(nproc)" NVCC= CXX="$CXX" OPTIMIZE=-O1 BACKENDS="$backends" \
    ${BUILD_ONLY:-all} || exit

# Reports go to their own files, so that programs that end by a signal, and tests that read standard error, hide none.
# UndefinedBehaviorSanitizer keeps to standard error beside AddressSanitizer: it ends the program, with a status that no
# test expects. Leaks are not checked: the simulator never joins its workers. It handles SIGSEGV itself, on its own stacks.
common=log_path=$reports/report:allocator_may_return_null=1:print_stacktrace=1
export ASAN_OPTIONS=$common:detect_leaks=0:allow_user_segv_handler=1:use_sigaltstack=0
export UBSAN_OPTIONS=$common:halt_on_error=1:exitcode=99
# A lane's fault ends with a jump out of the signal handler, which ThreadSanitizer takes for never leaving it.
export TSAN_OPTIONS=$common:exitcode=0:report_signal_unsafe=0
status=0
TEST_TIMEOUT=${TEST_TIMEOUT:-3600} bash "$tree/tests/run.bash" sim "${@/%/.bats}" || status=1
found=$(find "$reports" -name 'report.*' | wc -l)
echo "$SANITIZE: $found reports in build/$SANITIZE/reports"
exit $((status | (found > 0)))

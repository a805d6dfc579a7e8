#!/usr/bin/env bash
# Builds all programs for the simulator with a sanitizer in the host's code, and runs test files with them:
#     tests/long/sanitize.bash address|thread [NAME]...
# NAME is a file tests/NAME.bats; without one those run that make sense. The build goes to build/address or
# build/thread, a copy of the source tree, so that neither ever mixes with the programs in bin/.
# - address: AddressSanitizer and UndefinedBehaviorSanitizer, in everything but the code of the checked simulator.
# - thread: ThreadSanitizer in the runtime and the programs' main parts. Kernels are left alone: their races are their
#   own; and there is no checked simulator, whose instrumentation has the same names.
# BUILD_ONLY="bin/simcc bin/vecadd" builds so much alone, for tests that need no more.
# Files run side by side, as tests/run.bash runs them. Ends with their results and the number of the sanitizer's reports,
# which lie in build/.../reports. Exits 0 only if there are none and no test failed.
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

# Left out: sanitizer.bats (compute-sanitizer's), install.bats and docs.bats (they build or read, and run little),
# memcheckdemo.bats (its plants do what sanitizers end a program for), and for threads what is checked, aborted or
# interrupted.
default=(common files verification properties vecadd reduce matmul streams devquery simcc)
backends=sim
if [ "$SANITIZE" = address ]; then
    default+=(tables fuzz check check_memory check_races check_counters)
    backends="sim checked"
fi
[ $# -gt 0 ] || set -- "${default[@]}"

mkdir -p "$tree" && rm -rf "${tree:?}"/{common,kernels,tools,tests,man,reports} && mkdir "$reports" &&
    cp -a Makefile README.md .ci common kernels tools tests man "$tree" || exit
# shellcheck disable=SC2086  # several targets
make -C "$tree" --no-print-directory -j"$(nproc)" NVCC= CXX="$CXX" OPTIMIZE=-O1 BACKENDS="$backends" \
    ${BUILD_ONLY:-all} || exit

# Reports go to files of their own: programs that end by a signal, and tests that read standard error, hide none.
# Leaks are not looked for: the simulator never joins its workers. It handles SIGSEGV itself, on stacks of its own.
common=log_path=$reports/report:allocator_may_return_null=1:print_stacktrace=1
export ASAN_OPTIONS=$common:detect_leaks=0:allow_user_segv_handler=1:use_sigaltstack=0
export UBSAN_OPTIONS=$common
# A lane's fault ends in a jump out of the signal's handler, which ThreadSanitizer takes for never having left it.
export TSAN_OPTIONS=$common:exitcode=0:report_signal_unsafe=0
status=0
TEST_TIMEOUT=${TEST_TIMEOUT:-3600} bash "$tree/tests/run.bash" sim "${@/%/.bats}" || status=1
found=$(find "$reports" -name 'report.*' | wc -l)
echo "$SANITIZE: $found reports in build/$SANITIZE/reports"
exit $((status | (found > 0)))

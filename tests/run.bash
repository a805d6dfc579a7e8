#!/usr/bin/env bash
# Runs all tests on one backend: tests/run.bash sim, or tests/run.bash gpu.
# Prints TAP as it comes; the very last line is "N passed, N failed", with ", N skipped" when there are any.
# Exits 0 only if tests ran and none failed.
set -u

case ${1-} in
    sim | gpu) export GRIDUTILS_DEVICE=$1 ;;
    *) echo "Usage: tests/run.bash sim|gpu" >&2; exit 2 ;;
esac
command -v bats >/dev/null || { echo "tests/run.bash: bats is missing; install the package bats" >&2; exit 2; }
cd "$(dirname "$0")" || exit
# Without a GPU hardly a test could pass: devquery says what is missing.
if [ "$1" = gpu ]; then ../bin/devquery -d gpu --prop name --value >/dev/null || exit; fi

# Bats counts itself, but says so only in its pretty format: count its TAP lines, also those that a crash left out.
bats --tap ./*.bats | awk '
    { print; fflush() }
    /^1\.\.[0-9]+/ { planned = substr($0, 4) + 0 }
    /^not ok / { ++failed; next }
    /^ok .* # skip/ { ++skipped; next }
    /^ok / { ++passed }
    END {
        lost = planned - passed - failed - skipped
        if (lost > 0) { print "# " lost " tests did not run"; failed += lost }
        printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
        exit failed > 0 || passed == 0
    }'
results=("${PIPESTATUS[@]}")
exit $((results[0] | results[1]))

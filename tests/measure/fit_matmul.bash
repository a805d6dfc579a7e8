#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures the constants of matmul's cost model on one Hopper GPU, and prints them beside those in the source.
#     bash tests/measure/fit_matmul.bash [--dry-run] [PROGRAM]     a few minutes; PROGRAM is bin/matmul by default
# --dry-run prints the commands instead; without a GPU it shows them for one tile of each kernel.
# Needs python3 and numpy. The GPU should be idle, and its clocks not limited.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dry_run=
if [ "${1-}" = --dry-run ]; then
    dry_run=--dry-run
    shift
fi
program=${1:-$root/bin/matmul}
multiprocessors=132
if [ -z "$dry_run" ]; then
    python3 -c 'import numpy' || { echo "fit_matmul: python3 needs numpy" >&2; exit 77; }
    "$program" -d gpu --tile list -t bf16 >/dev/null || exit
    multiprocessors=$("$root/bin/devquery" -d gpu --prop multiprocessors --value)
fi
exec python3 "$root/tests/measure/fit_matmul.py" $dry_run "$program" "$multiprocessors" "$root"

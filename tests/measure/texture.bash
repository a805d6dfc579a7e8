#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shows the paths of every pattern of texture side by side on a GPU, constant memory beside the published cycles, and, if
# ncu is installed and may read the GPU's counters, the hit rate of the L1 cache.
#
#     tests/measure/texture.bash [OPTION OF TEXTURE]...
#
# DEVICE=sim tries the script without a GPU: its bandwidths mean nothing.
set -euo pipefail
export LC_ALL=C

texture=$(cd "$(dirname "$0")/../.." && pwd)/bin/texture
device=${DEVICE:-gpu}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# bandwidths: GB/s of each path, and the gain of textures over ordinary loads, here and as published for a Titan V.
bandwidths() {
    printf '%-11s %5s  %8s %8s %8s %8s  %12s %12s %9s\n' \
        pattern width global restrict array pitch array/global pitch/global published
    awk -F , '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        $at["p_path"] == "constant" { next }
        {
            pattern = $at["p_pattern"]
            key = sprintf("%-11s %5d", pattern, $at["p_width"] == "" ? 1 : $at["p_width"])
            if (!(key in known)) { known[key]; order[++count] = key; pattern_of[key] = pattern }
            rate[key, $at["p_path"]] = $at["gbyte_per_s"]
        }
        BEGIN {
            published["row"] = 387.8 / 445.9; published["column"] = 368.2 / 268.6
            published["filter-x"] = 1386 / 1602; published["random"] = 1170 / 1014
        }
        function shown(key, path) { return (key, path) in rate ? sprintf("%.1f", rate[key, path]) : "-" }
        function gain(key, path) {
            return (key, path) in rate && rate[key, "global"] > 0 ? sprintf("%.3f", rate[key, path] / rate[key, "global"]) : "-"
        }
        END {
            for (i = 1; i <= count; ++i) {
                key = order[i]
                printf("%s  %8s %8s %8s %8s  %12s %12s %9s\n", key, shown(key, "global"), shown(key, "restrict"),
                    shown(key, "texture-array"), shown(key, "texture-pitch"), gain(key, "texture-array"),
                    gain(key, "texture-pitch"),
                    pattern_of[key] in published ? sprintf("%.3f", published[pattern_of[key]]) : "-")
            }
        }' "$1"
}

# constants: cycles per access, and those published for a Titan V.
constants() {
    printf '\n%-20s %8s %10s\n' constant cycles published
    awk -F , '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        $at["p_path"] == "constant" {
            published = $at["p_pattern"] == "thread" ? 35 : 24
            printf("%-20s %8.1f %10d\n", $at["p_pattern"], $at["p_cycles_per_access"], published)
        }' "$1"
}

# hit_rates LOG: ncu's rows, one for each launch in the order of the variants. Every field is quoted, and the NVTX range
# names the variant.
hit_rates() {
    printf '\n%-28s %s\n' "L1 cache" "hits %"
    grep '^"' "$1" | awk -v names="$("$texture" --list --csv --no-header | cut -d , -f 1 | tr '\n' ' ')" '
        # Splits a line of quoted fields.
        function fields_of(line, field,   count) {
            count = 0
            while (match(line, /"([^"]|"")*"/)) {
                field[++count] = substr(line, RSTART + 1, RLENGTH - 2)
                line = substr(line, RSTART + RLENGTH)
            }
            return count
        }
        BEGIN { variants = split(names, name, " ") }
        { fields = fields_of($0, field) }
        NR == 1 {
            for (i = 1; i <= fields; ++i) {
                if (field[i] ~ /Push\/Pop_Range/) range = i
                if (field[i] == "l1tex__t_sector_hit_rate.pct") rate = i
            }
            next
        }
        NR == 2 { next }
        {
            for (i = 1; i <= variants; ++i)
                if (index(field[range], ":" name[i] ":")) printf("%-28s %6.1f\n", name[i], field[rate])
        }'
}

"$texture" -d "$device" -q --csv "$@" >"$scratch/table"
bandwidths "$scratch/table"
constants "$scratch/table"

if ! command -v ncu >/dev/null; then
    echo "texture.bash: ncu is not installed: no hit rates of the L1 cache" >&2
    exit
fi
if ! ncu --clock-control none --csv --page raw --nvtx --print-units base --metrics l1tex__t_sector_hit_rate.pct \
    "$texture" -d "$device" -q --profile "$@" >"$scratch/log" 2>&1; then
    if grep -q ERR_NVGPUCTRPERM "$scratch/log"; then
        echo "texture.bash: this user may not read the GPU's counters (ERR_NVGPUCTRPERM): no hit rates; as root, or" \
            "with the driver's option NVreg_RestrictProfilingToAdminUsers=0, they are shown" >&2
    else
        echo "texture.bash: ncu failed, so there are no hit rates: $(tail -1 "$scratch/log")" >&2
    fi
    exit
fi
hit_rates "$scratch/log"

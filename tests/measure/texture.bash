#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shows the paths of every pattern of texture side by side on a GPU, chains of loads beside the published cycles, and, if
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
    printf '%-16s %-6s %5s  %8s %8s %8s %8s %8s  %12s %12s %9s\n' \
        pattern texel width global restrict pitched array pitch array/global pitch/global published
    awk -F , '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        $at["p_rows"] == "" { next }
        {
            width = $at["p_width"] == "" ? 1 : $at["p_width"]
            key = sprintf("%-16s %-6s %5d", $at["p_pattern"], $at["p_texel"], width)
            if (!(key in known)) { known[key]; order[++count] = key }
            rate[key, $at["p_path"]] = $at["gbyte_per_s"]
            published[key, $at["p_path"]] = $at["published_gbyte_per_s"]
        }
        function shown(key, path) { return (key, path) in rate ? sprintf("%.1f", rate[key, path]) : "-" }
        function gain(of, key, path) {
            return of[key, path] > 0 && of[key, "global"] > 0 ? sprintf("%.3f", of[key, path] / of[key, "global"]) : "-"
        }
        END {
            for (i = 1; i <= count; ++i) {
                key = order[i]
                printf("%s  %8s %8s %8s %8s %8s  %12s %12s %9s\n", key, shown(key, "global"), shown(key, "restrict"),
                    shown(key, "pitched"), shown(key, "texture-array"), shown(key, "texture-pitch"),
                    gain(rate, key, "texture-array"), gain(rate, key, "texture-pitch"),
                    gain(published, key, "texture-array"))
            }
        }' "$1"
}

# chains: cycles per load, and those published.
chains() {
    printf '\n%-20s %8s %10s\n' chain cycles published
    awk -F , '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        $at["published_cycles"] != "" {
            printf("%-20s %8.1f %10d\n", $at["kernel"], $at["p_cycles_per_access"], $at["published_cycles"])
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

"$texture" -d "$device" -q --published --csv "$@" >"$scratch/table"
bandwidths "$scratch/table"
chains "$scratch/table"

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

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which rooms of the tree include which, and whether they may.
#     tests/rooms.bash [--up] [--as COMMIT] [FOLDER]
# Prints a line per edge: the room that includes, the room that is included, the number of #include lines, and "down" or
# "up"; then how many edges and lines go up, that is, against the table below; then the size of the largest circle of
# parts (a header with the .cpp of its name) that include each other, directly or through others. --up prints only the
# lines that go up, with their files. FOLDER is another checkout; if it is older than the rooms, --as COMMIT gives its
# files the names that they have in that commit.
set -eu

only_up='' later=''
while [[ ${1-} == --* ]]; do
    case $1 in
        --up) only_up=1 ;;
        --as) later=$2 && shift ;;
        *) echo "Usage: tests/rooms.bash [--up] [--as COMMIT] [FOLDER]" >&2 && exit 2 ;;
    esac
    shift
done
here=$(cd "$(dirname "$0")/.." && pwd)
cd "${1:-$here}"

# A room, and the rooms below it that it may include. Each room may include itself.
allowed() {
    cat <<'TABLE'
io           simt/include
process      io
cuda         io
measure      io cuda simt/check
gang         io cuda measure
cli          io cuda measure gang
kernels      io cuda
tools        io process cuda measure cli gang kernels
simcc        io measure simt/driver simt/rewrite simt/modules
simt/include
simt/exec    simt/include
simt/runtime simt/include simt/exec
simt/api     simt/include simt/exec simt/runtime
simt/modules simt/include simt/exec simt/runtime simt/api
simt/nccl    simt/include simt/exec simt/runtime
simt/library simt/include simt/exec simt/runtime
simt/blas    simt/include simt/exec simt/runtime simt/library
simt/rand    simt/include simt/exec simt/runtime simt/library
simt/fft     simt/include simt/exec simt/runtime simt/library
simt/check   simt/include simt/exec simt/runtime
simt/rewrite
simt/driver  simt/rewrite io
TABLE
}

# FILE and the file of this project that it includes, for every #include of one: those in quotes, and those in angle
# brackets that name one of simcc's headers.
includes() {
    find common kernels tools -type f 2>/dev/null | sort | grep -E '\.(cpp|hpp|cu|cuh|h)$|/include/cuda/' |
        xargs grep -H -E '^[[:space:]]*#[[:space:]]*include' |
        sed -n -E 's/^([^:]*):[[:space:]]*#[[:space:]]*include[[:space:]]*["<]([^">]*)[">].*/\1 \2/p' |
        while read -r file included; do
            for path in "$included" "${file%/*}/$included" "common/simt/include/$included"; do
                # (Files that the build writes are in no room.)
                if [ -f "$path" ] && [[ $path != build/* ]]; then
                    # Everything but the simulator means nvcc's own header by these names.
                    if [[ $path != common/simt/include/* || $file == common/simt/* ]]; then echo "$file $path"; fi
                    break
                fi
            done
        done | renamed
}

# The same with the names that files have in the commit of --as.
renamed() {
    if [ -z "$later" ]; then cat && return; fi
    awk 'NR == FNR { name[$2] = $3; next } { for (i = 1; i <= 2; ++i) if ($i in name) $i = name[$i]; print }' \
        <(git -C "$here" diff --find-renames=40% --diff-filter=R --name-status "$(git rev-parse HEAD)" "$later") -
}

# The lines of includes() with their rooms: from, to, file, included.
edges() {
    includes | awk -v OFS='\t' '
        function room(path, part) {
            split(path, part, "/")
            if (path ~ /^tools\/simcc/) return "simcc"
            if (part[1] != "common") return part[1]
            return part[2] == "simt" ? "simt/" part[3] : part[2]
        }
        { print room($1), room($2), $1, $2 }'
}

# The size of the largest strongly connected set of parts, from the closure of the relation "includes".
largest_circle() {
    includes | awk '
        function part(path) { sub(/\.[a-z]+$/, "", path); return path }
        { a = part($1); b = part($2); known[a]; known[b]; if (a != b) next_of[a] = next_of[a] " " b }
        # What can be reached from each part: few enough to walk from every one.
        function reach(from, seen, stack, depth, n, i, list) {
            stack[depth = 1] = from
            while (depth > 0) {
                n = split(next_of[stack[depth--]], list, " ")
                for (i = 1; i <= n; ++i) if (!(list[i] in seen)) { seen[list[i]]; stack[++depth] = list[i] }
            }
        }
        END {
            for (a in known) { delete seen; reach(a, seen); for (b in seen) reached[a, b] }
            for (a in known) {
                size = 1
                for (b in known) if (a != b && ((a, b) in reached) && ((b, a) in reached)) ++size
                if (size > largest) largest = size
            }
            print largest + 0
        }'
}

table=$(allowed)
edges | awk -F '\t' -v table="$table" -v only_up="$only_up" '
    BEGIN {
        n = split(table, row, "\n")
        for (i = 1; i <= n; ++i) { m = split(row[i], word, " "); for (j = 1; j <= m; ++j) may[word[1], word[j]] }
    }
    $1 == $2 { next }
    { ++lines[$1 "\t" $2] }
    !(($1, $2) in may) { up[$1 "\t" $2]; ++up_lines; if (only_up) print $3 ": " $4 }
    END {
        if (only_up) exit
        for (edge in lines) {
            split(edge, room, "\t")
            printf "%-13s %-13s %3d  %s\n", room[1], room[2], lines[edge], edge in up ? "up" : "down" | "sort"
            ++edges
        }
        close("sort")
        for (edge in up) ++up_edges
        printf "%d edges, %d of them up (%d lines)\n", edges, up_edges, up_lines
    }'
if [ -z "$only_up" ]; then echo "the largest circle of parts that include each other has $(largest_circle)"; fi

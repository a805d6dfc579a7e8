#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tree shows the architecture: where files lie, and which room includes which (tests/rooms.bash has the table).
# shellcheck disable=SC2154  # helpers.bash sets $root and $output

# Needs no GPU

load helpers

# The includes in kernels or tools that lead from one program's files to another's folder.
across() {
    (cd "$root" && grep -r -o -E "^ *# *include +\"$1/[^\"]+/" "$1") |
        sed -E "s,^$1/([^/.:]+)[^:]*:.*\"$1/([^/\"]+)/.*,\1 \2," | awk '$1 != $2' | sort -u
}

@test "the top level holds what the layout names, apart from dot files and build folders" {
    cd "$root"
    # holds FOLDER NAME...
    holds() {
        local folder=$1
        shift
        diff <(printf '%s\n' "$@") <(cd "$folder" && printf '%s\n' * | grep -v -x -e bin -e build -e shared) >&2 ||
            complain "$folder"
    }
    holds . Makefile README.md common kernels man tests tools
    holds common cli cuda gang host.mk io measure packages process simt
    holds common/simt api blas check driver exec fft include library modules nccl rand rewrite runtime simulator.mk
    holds common/simt/check core counters entry memory predict race sync trace
}

@test "no include goes up from one room to another" {
    cd "$root"
    capture bash tests/rooms.bash --up
    expect_status 0
    expect_output ""
}

@test "rooms.bash finds every edge, and those that go up" {
    local repository=$scratch/tree
    mkdir -p "$repository"/{tests,common/{io,cli,simt/{exec,check/core}}}
    cp "$root/tests/rooms.bash" "$repository/tests"
    cd "$repository"
    printf '#include "common/io/b.hpp"\n' >common/cli/a.cpp
    printf '#include "common/cli/a.hpp"\n' >common/io/b.hpp
    printf '#include "common/io/b.hpp"\n' >common/cli/a.hpp
    printf '# include "common/simt/check/core/d.hpp"\n#include <vector>\n' >common/simt/exec/c.hpp
    : >common/simt/check/core/d.hpp
    capture bash tests/rooms.bash --up
    [ "$(sort <<<"$output")" = "common/io/b.hpp: common/cli/a.hpp
common/simt/exec/c.hpp: common/simt/check/core/d.hpp" ] || complain "expected two includes"
    capture bash tests/rooms.bash
    expect_output_like "cli +io +2 +down"
    expect_output_like "io +cli +1 +up"
    expect_output_like "3 edges, 2 of them up \(2 lines\)"
    expect_output_like "the largest circle .* has 2"
}

@test "no program's kernels or helpers include another's" {
    [ -z "$(across kernels)" ] || complain "kernels: $(across kernels)"
    [ -z "$(across tools)" ] || complain "tools: $(across tools)"
    # The search does find the includes of a folder's own files.
    (cd "$root" && grep -r -q -E '^ *# *include +"kernels/matmul/' kernels/matmul)
}

@test "programs are started, and temporary folders made, in one place, and in the simulator's NVRTC" {
    [ "$(cd "$root" && grep -rlE 'posix_spawn|mkdtemp|\bexecv|\bpopen\(' common tools | sort | tr '\n' ' ')" = "common/io/process.cpp common/simt/modules/nvrtc.cpp " ] ||
        complain "elsewhere, too"
}

@test "the Makefile is a page, and a fragment of it is, too" {
    cd "$root"
    wc -l $(tree | grep -E '^Makefile$|\.mk$') | awk '$1 > ($2 == "Makefile" ? 150 : 100) && $2 != "total"' >"$scratch/long"
    [ ! -s "$scratch/long" ] || complain "too long: $(cat "$scratch/long")"
}

# ---- dependencies

@test "a new revision compiles one file again, and links what has it" {
    cd "$root"
    [ -d build/sim ] || skip "nothing is built"
    make -pn NVCC= all 2>/dev/null >"$scratch/rules" || true
    # All that depends on the file that has the revision, directly or through others. (What follows a | is not compared.)
    awk '/^[^ #\t=]+: / {
            target = substr($1, 1, length($1) - 1)
            for (i = 2; i <= NF && $i != "|"; ++i) needed[target] = needed[target] " " $i " "
        }
        END {
            is_new["build/version.hpp"] = found = 1
            while (found) {
                found = 0
                for (target in needed) for (file in is_new)
                    if (!(target in is_new) && index(needed[target], " " file " ")) is_new[target] = found = 1
            }
            for (file in is_new) print file
        }' "$scratch/rules" >"$scratch/again"
    [ "$(grep '\.o$' "$scratch/again")" = build/host/common/measure/version.o ] || complain "compiled: $(grep '\.o$' "$scratch/again")"
    grep -q -x bin/reduce "$scratch/again"
    grep -q -x bin/simcc "$scratch/again"
}

@test "a line // make: of a file that says what make does not know stops it, with the file's name" {
    mkdir -p common/io
    copy_makefile .
    printf '// make: -O7 (it is a test)\n' >common/io/number_reader.cpp
    capture env -u MAKEFLAGS -u MAKELEVEL make -n NVCC= clean
    expect_status 2
    expect_errors_like "common/io/number_reader.cpp:-O7"
}

@test "building one program names no file of another" {
    local program
    # (Nothing is there yet, so make names all that it would compile. Every program needs simcc.)
    mkdir tree && cp -R "$root"/{Makefile,common,kernels,man,tests,tools} tree
    for program in vecadd plot; do
        capture env -u MAKEFLAGS -u MAKELEVEL make -n -C tree V=1 NVCC= "bin/$program"
        expect_status 0
        grep -q "tools/$program[./]" stdout || complain "$program is not built" || return
        ! grep -o -E '(tools|kernels)/[a-z0-9_]+' stdout | grep -v -x -E "(tools|kernels)/($program|simcc)" >others ||
            complain "$program: $(sort -u others | head -5)" || return
    done
}

@test "a changed header rebuilds what uses it, in every backend, and a header that is gone is no error" {
    local backend
    cd "$root"
    [ -d build/sim ] || skip "nothing is built"
    # What make knows, including the compilers' lists of dependencies. (Its dry run does not help: it takes every flag
    # for a changed one.)
    make -pn NVCC= all 2>/dev/null >"$scratch/rules" || true
    # rebuilt HEADER: the objects that depend on it.
    rebuilt() {
        awk -v header="$1" -v root="$root" '/^build\/[^ ]+\.o: / {
            for (i = 2; i <= NF; ++i) {
                if ($i == header || $i == root "/" header) { print substr($1, 1, length($1) - 1); next }
            }
        }' "$scratch/rules"
    }
    rebuilt common/measure/statistics.hpp >"$scratch/objects"
    for backend in sim checked; do
        grep -q -x "build/$backend/tools/reduce.o" "$scratch/objects" || complain "$backend"
    done
    grep -q -x 'build/host/common/measure.o' "$scratch/objects" || complain "host"
    rebuilt common/simt/include/simt/warp.hpp >"$scratch/objects"
    grep -q -x 'build/sim/tools/reduce.o' "$scratch/objects" || complain "a header of simcc"
    rebuilt common/simt/exec/launch_watch.hpp >"$scratch/objects"
    ! grep -q tools/reduce "$scratch/objects" || complain "the runtime's headers are no business of a program"
    # Every header in a list of dependencies is also a target, so that make goes on without it. (Those in build/ are
    # targets anyway: make writes them.)
    for list in $(find build -name '*.d' -not -path 'build/toolkit/*'); do
        comm -23 <(tr -s ' \\' '\n' <"$list" | grep -E '\.(hpp|cuh|h)$' | grep -v '^build/' | sort -u) \
            <(sed -n -E 's/^([^ ]+\.(hpp|cuh|h)) ?:$/\1/p' "$list" | sort -u) >"$scratch/missing"
        [ ! -s "$scratch/missing" ] || complain "$list: $(head -3 "$scratch/missing")"
    done
}

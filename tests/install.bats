#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What make install puts where, and that make uninstall removes all of it.

# Needs no GPU

load helpers

# The tests run after the build: install what is there, rebuild nothing.
make_quietly() { capture make -s -C "$root" -o all "$@" DESTDIR="$scratch/image" PREFIX=/usr PROGRAM_PREFIX=gu-; }

installed() { (cd image && find . ! -type d | sort); }

@test "programs, pages, completions and what simcc needs are installed under prefix, and removed again" {
    local program
    make_quietly install
    expect_status 0
    for program in $(programs) $(host_programs) simcc gridutils; do
        [ -x "image/usr/bin/gu-$program" ] || complain "no gu-$program"
        [ -f "image/usr/share/man/man1/gu-$program.1" ] || complain "no page of $program"
    done
    [ -f image/usr/share/man/man7/gridutils.7 ]
    for program in $(programs) $(host_programs) simcc gridutils; do
        grep -q "complete .* gu-$program\$" "image/usr/share/bash-completion/completions/gu-$program"
        [ "$(grep -c @NAME@ "image/usr/share/bash-completion/completions/gu-$program")" -eq 0 ]
        bash -n "image/usr/share/bash-completion/completions/gu-$program"
        grep -q -x "#compdef gu-$program" "image/usr/share/zsh/site-functions/_gu-$program"
        grep -q "complete -c gu-$program " "image/usr/share/fish/vendor_completions.d/gu-$program.fish"
    done
    capture image/usr/bin/gu-reduce -d sim - < <(seq 100)
    expect_output 5050
    printf '#include <cstdio>\n__global__ void k() { printf("%%d ", threadIdx.x); }\nint main() { k<<<1, 3>>>(); return cudaDeviceSynchronize(); }\n' >mine.cu
    capture image/usr/bin/gu-simcc mine.cu -o mine
    expect_status 0
    capture ./mine
    expect_output "0 1 2 "
    # The folder with the form of a toolkit: its nvcc is the installed simcc, and no link leads out of the image.
    capture image/usr/bin/gu-simcc --print-cuda-home
    expect_output "$(realpath image)/usr/lib/gridutils/cuda"
    capture "$output/bin/nvcc" -run mine.cu
    expect_output "0 1 2 "
    image/usr/bin/gu-simcc -c mine.cu
    gcc mine.o -L"$PWD/image/usr/lib/gridutils/cuda/lib64" -lcudart -o mine
    LD_LIBRARY_PATH=$PWD/image/usr/lib/gridutils/cuda/lib64 capture ./mine
    expect_output "0 1 2 "
    for link in image/usr/lib/gridutils/cuda/{,*/,*/*/}*; do [ -e "$link" ] || complain "a link to nothing: $link"; done

    make_quietly uninstall
    expect_status 0
    [ -z "$(installed)" ] || complain "left behind: $(installed)"
}

@test "the revision is git's, or that of an archive, and a file is written only when it has changed" {
    need git
    # revision FOLDER: the one that programs built there have.
    revision() {
        make -s -C "$1" NVCC= build/version.hpp 2>/dev/null
        sed -n 's/^#define GRIDUTILS_REVISION "\(.*\)"$/\1/p' "$1/build/version.hpp"
    }
    git init -q tree
    git -C tree config user.name someone
    git -C tree config user.email someone@example.org
    mkdir -p tree/.github archive elsewhere
    copy_makefile tree
    cp "$root/.gitattributes" tree
    cp "$root/.github/REVISION" tree/.github
    git -C tree add .
    git -C tree commit -q -m first
    [ "$(revision tree)" = "$(git -C tree rev-parse HEAD | cut -c 1-12)" ] || complain "of a checkout: $(revision tree)"
    touch -d yesterday tree/build/version.hpp earlier
    revision tree >same
    [ ! tree/build/version.hpp -nt earlier ] || complain "written again though nothing has changed"
    git -C tree archive HEAD | tar -x -C archive
    [ "$(revision archive)" = "$(<same)" ] || complain "of an archive: $(revision archive)"
    echo "# changed" >>tree/Makefile
    [ "$(revision tree)" = "$(<same)-dirty" ] || complain "of a changed tree: $(revision tree)"
    # A folder that was copied, or an archive within another project's checkout, has no revision of its own.
    copy_makefile elsewhere
    cp -R tree/.github elsewhere
    git init -q .
    [ "$(revision elsewhere)" = unknown ] || complain "of a copy: $(revision elsewhere)"
    # Nothing else is compiled again.
    [ "$(cd "$root" && grep -rl '"build/version.hpp"' common kernels tools)" = common/measure/version.cpp ]
}

@test "the prefix reaches usage, messages and pages, but not the tables" {
    make_quietly install
    COLUMNS=200 capture image/usr/bin/gu-vecadd --help
    expect_output_like "^Usage: gu-vecadd \[OPTION\]"
    expect_output_like "See gu-vecadd\(1\) and gridutils\(7\)\."
    capture image/usr/bin/gu-vecadd --siez
    expect_status 2
    expect_refusal gu-vecadd "unknown option '--siez'; did you mean '--size'\?; gu-vecadd --help lists them"
    capture image/usr/bin/gu-vecadd -q -d sim -k cpu -n 1 --csv
    [ "$(column tool)" = vecadd ]
    capture image/usr/bin/gu-simcc
    expect_refusal gu-simcc "no input files; see gu-simcc --help"
    capture image/usr/bin/gu-plot --kind roofline <<<'n,flop,bytes,gflop_per_s
1,1,1,1'
    expect_errors_like "as in gu-plot rows.csv <\(gu-devquery --csv\)"
    need mandoc
    # (Names with a prefix may come elsewhere in the alphabet.)
    [ -z "$(mandoc -T lint -W warning image/usr/share/man/man[17]/* | grep -v 'unusual Xr order')" ] || complain "the pages have mistakes"
    grep -q -x '\.Dt GU-COMPARE 1' image/usr/share/man/man1/gu-compare.1
    grep -q -x '\.Nm gu-compare' image/usr/share/man/man1/gu-compare.1
    grep -q -x 'gu-compare: 1 row is slower by 3 % or more' image/usr/share/man/man1/gu-compare.1
    grep -q -x '\.It Xr gu-reduce 1' image/usr/share/man/man7/gridutils.7
    grep -q -x '\.Nm gridutils' image/usr/share/man/man7/gridutils.7
    grep -q -x '\$ seq 10 | gu-gridutils reduce -' image/usr/share/man/man1/gu-gridutils.1
    # Names of programs are words of English, too.
    grep -q 'the kernel that the others are compared with' image/usr/share/man/man1/gu-compare.1
    [ "$(cat image/usr/share/man/man[17]/* | wc -l)" -eq "$(cat "$root"/man/* | wc -l)" ]
}

@test "installcheck runs the examples of the pages with the installed programs" {
    need mlr datamash jq
    make_quietly install
    (cd image/usr/share/man/man1 && find . -type f ! -name gu-vecadd.1 ! -name gu-compare.1 -delete)
    rm image/usr/share/man/man7/*
    make_quietly installcheck
    expect_status 0
    expect_output_like "^gu-compare.1: [0-9]+"
    expect_output_like "2 pages: [0-9]+ examples passed, 0 failed, 0 left out"
    sed -i 's/^11$/12/' image/usr/share/man/man1/gu-vecadd.1
    make_quietly installcheck
    [ "$status" -ne 0 ] || complain "expected a failure"
    expect_output_like "1 failed"
    expect_errors_like "example of gu-vecadd.1, exit status 0:"
}

@test "a program of somebody else keeps its name: ours is gridutils-NAME, and says so in a line" {
    mkdir -p image/usr/bin
    printf '#!/bin/sh\n' >image/usr/bin/compare && chmod +x image/usr/bin/compare
    capture make -s -C "$root" -o all install DESTDIR="$scratch/image" PREFIX=/usr PROGRAM_PREFIX=
    expect_status 0
    expect_errors_like "another program is called compare: ours becomes gridutils-compare"
    [ -x image/usr/bin/plot ]
    [ "$(wc -c <image/usr/bin/compare)" -eq 10 ]
    capture image/usr/bin/gridutils compare --version
    expect_output_like "^gridutils-compare "
    grep -q '^\.Xr gridutils-compare 1' image/usr/share/man/man7/gridutils.7
    # Installed again, ours are no strangers.
    capture make -s -C "$root" -o all install DESTDIR="$scratch/image" PREFIX=/usr PROGRAM_PREFIX=
    [ ! -e image/usr/bin/gridutils-plot ] || complain "plot was taken for another program"
    capture make -s -C "$root" uninstall DESTDIR="$scratch/image" PREFIX=/usr PROGRAM_PREFIX=
    [ "$(installed)" = ./usr/bin/compare ] || complain "left behind: $(installed)"
}

@test "make dist writes a tarball that needs no git and is the same for the same commit" {
    need git xz
    local name
    git -C "$root" rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
    capture make -s -C "$root" dist PACKAGES="$scratch/first"
    expect_status 0
    name=$(basename "$(ls first/*.tar.xz)" .tar.xz)
    tar -x -f "first/$name.tar.xz"
    [ ! -e "$name/.git" ] && [ -f "$name/Makefile" ] || complain "not a source tree"
    capture make -s -C "$name" dist PACKAGES="$scratch/second"
    expect_status 0
    cmp "first/$name.tar.xz" "second/$name.tar.xz" || complain "not the same bytes"
    capture make -n -C "$name" NVCC= bin/vecadd
    expect_status 0
}

@test "a build without a library's headers says what to install" {
    printf '#!/bin/sh\nexec g++ -nostdinc "$@"\n' >bare && chmod +x bare
    capture make -s -C "$root" with-headers CXX="$PWD/bare"
    [ "$status" -ne 0 ] || complain "expected a failure"
    expect_errors_like 'missing: <fmt/format.h> <CLI/CLI.hpp> <nlohmann/json.hpp> <zlib.h>'
    capture make -s -C "$root" with-headers
    expect_status 0
    expect_no_errors
}

# The folder `path`, with the shell's commands that packages.sh runs, a compiler, and these commands, which do nothing.
path_with() {
    local command
    mkdir path
    for command in sh cat sed awk grep paste id chmod; do ln -s "$(command -v $command)" path; done
    for command; do printf '#!/bin/sh\n' >"path/$command"; done
    printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$PATH" "${CXX:-g++}" >path/g++
    for command in g++ "$@"; do chmod +x "path/$command"; done
}

# packages_in_path [NAME=VALUE]... ARGUMENT...
packages_in_path() {
    local variables=()
    while [[ $1 == *=* ]]; do variables+=("$1") && shift; done
    capture env PATH="$PWD/path" CXX=g++ "${variables[@]}" sh "$root/tests/setup/packages.sh" "$@"
}

@test "where there is no apt-get, the missing packages are named for the package manager that is there, or for all" {
    local manager
    path_with bash objcopy bats
    # type_with MANAGER LINE: what to type, where this is the only package manager.
    type_with() {
        printf '#!/bin/sh\nexit 1\n' >"path/$1" && chmod +x "path/$1"
        packages_in_path CXX=/no/such/c++ --install build
        rm "path/$1"
        expect_status 2
        [[ $(tail -1 <<<"$errors") == *": type: "*"$2" ]] || complain "expected: $2"
        [ "$(wc -l <<<"$errors")" -eq 2 ] || complain "expected two lines"
    }
    type_with dnf "dnf install fmt-devel cli11-devel json-devel zlib-devel kernel-headers"
    type_with pacman "pacman -S fmt cli11 nlohmann-json zlib linux-api-headers"
    type_with zypper "zypper install fmt-devel cli11-devel nlohmann_json-devel zlib-devel linux-glibc-devel"
    type_with apk "apk add fmt-dev cli11 nlohmann-json zlib-dev linux-headers"
    # What is there is not named; where there is no package manager that we know, all are.
    rm path/bats
    packages_in_path build test
    expect_status 2
    expect_errors_like "missing: bats gnuplot mlr "
    for manager in "apt-get install" "dnf install" "pacman -S" "zypper install" "apk add"; do
        expect_errors_like "type: (sudo )?$manager bats gnuplot"
    done
}

@test "apt-get installs what is missing, only that, and only for root" {
    path_with bash objcopy bats gnuplot datamash jq sqlite3 csvlook mandoc shellcheck clang-format perl python3 gdb pgrep script apt-get
    # (It installs miller, and the user is root unless USER_ID says otherwise.)
    # shellcheck disable=SC2016
    echo 'echo "$@" >>log; [ $1 = update ] || { echo "#!/bin/sh" >path/mlr && chmod +x path/mlr; }' >>path/apt-get
    rm path/id
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho ${USER_ID-0}\n' >path/id && chmod +x path/id
    packages_in_path USER_ID=1000 --install build test
    expect_status 2
    expect_errors_like $'missing: mlr\n.*type: sudo apt-get install miller$'
    [ ! -e log ]
    packages_in_path test build
    expect_status 2
    [ ! -e log ]
    packages_in_path --install build test
    expect_status 0
    expect_output "make: installing miller"
    [ "$(cat log)" = "update -q"$'\n'"install -q -y --no-install-recommends miller" ] || complain "$(cat log)"
}

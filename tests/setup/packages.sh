#!/bin/sh
# SPDX-License-Identifier: MIT
# What gridutils needs from a system, and the packages that have it in each family of Linux distributions:
#     tests/setup/packages.sh [--install] GROUP...
# The groups are build, boost (where the simulator needs it to switch lanes), test, browser (large: the tests of pages are
# skipped without it), cross (make test-aarch64) and clang.
# This looks for the commands and headers themselves, so it does not matter where they came from; CXX is the compiler
# whose headers count. If all are there, it prints nothing. Otherwise --install lets apt-get install the packages, where
# apt-get and root's rights are there; elsewhere, and without --install, it says what is missing and what to type, and
# exits with 2.
# (POSIX shell, since bash may be among what is missing.)
set -u

# group, command or header, and its package for apt-get, dnf, pacman, zypper and apk; - where none is known.
table() {
    cat <<'TABLE'
build bash                 bash                  bash              bash          bash                   bash
build g++                  g++                   gcc-c++           gcc           gcc-c++                g++
build objcopy              binutils              binutils          binutils      binutils               binutils
build <fmt/format.h>       libfmt-dev            fmt-devel         fmt           fmt-devel              fmt-dev
build <CLI/CLI.hpp>        libcli11-dev          cli11-devel       cli11         cli11-devel            cli11
build <nlohmann/json.hpp>  nlohmann-json3-dev    json-devel        nlohmann-json nlohmann_json-devel    nlohmann-json
build <zlib.h>             zlib1g-dev            zlib-devel        zlib          zlib-devel             zlib-dev
build <linux/futex.h>      linux-libc-dev        kernel-headers    linux-api-headers linux-glibc-devel  linux-headers
boost <boost/context/detail/fcontext.hpp> libboost-context-dev boost-devel boost libboost_context-devel boost-dev
test  bats                 bats                  bats              bats          bats                   bats
test  gnuplot              gnuplot-nox           gnuplot           gnuplot       gnuplot                gnuplot
test  mlr                  miller                miller            miller        miller                 miller
test  datamash             datamash              datamash          datamash      datamash               datamash
test  jq                   jq                    jq                jq            jq                     jq
test  sqlite3              sqlite3               sqlite            sqlite        sqlite3                sqlite
test  csvlook              csvkit                -                 csvkit        -                      -
test  mandoc               mandoc                mandoc            mandoc        mandoc                 mandoc
test  shellcheck           shellcheck            ShellCheck        shellcheck    ShellCheck             shellcheck
test  clang-format         clang-format          clang-tools-extra clang         clang-tools            clang-extra-tools
test  perl                 perl                  perl              perl          perl                   perl
test  python3              python3               python3           python        python3                python3
test  gdb                  gdb                   gdb               gdb           gdb                    gdb
test  pgrep                procps                procps-ng         procps-ng     procps                 procps-ng
test  script               bsdutils              util-linux-script util-linux    util-linux             util-linux-misc
browser chromium           chromium              chromium          chromium      chromium               chromium
cross aarch64-linux-gnu-g++ g++-aarch64-linux-gnu -                -             -                      -
cross qemu-aarch64         qemu-user             -                 -             -                      -
clang clang++              clang                 clang             clang         clang                  clang
TABLE
}

managers="apt-get dnf pacman zypper apk"
column_of() {
    case $1 in apt-get) echo 3 ;; dnf) echo 4 ;; pacman) echo 5 ;; zypper) echo 6 ;; apk) echo 7 ;; esac
}
install_by() {
    case $1 in pacman) echo "pacman -S" ;; apk) echo "apk add" ;; *) echo "$1 install" ;; esac
}

has_command() { command -v "$1" >/dev/null 2>&1; }

# The headers among the arguments that the compiler does not find. (Without a compiler: all.)
missing_headers() {
    # shellcheck disable=SC2086  # CXX may have options
    for header; do printf '#if !__has_include(%s)\nmissing %s\n#endif\n' "$header" "$header"; done |
        { ${CXX:-g++} -x c++ -E - 2>/dev/null || for header; do echo "missing $header"; done; } | sed -n 's/^missing //p'
}

# The rows of what is missing in these groups.
missing_rows() {
    # shellcheck disable=SC2046  # several headers
    headers=$(missing_headers $(table | while read -r group what _; do
        case " $* " in *" $group "*) case $what in '<'*) echo "$what" ;; esac ;; esac
    done))
    table | while read -r group what rest; do
        case " $* " in *" $group "*) ;; *) continue ;; esac
        case $what in
            '<'*) echo "$headers" | grep -q -F -x -e "$what" || continue ;;
            *) ! has_command "$what" || continue ;;
        esac
        echo "$group $what $rest"
    done
}

# The packages in these rows, each once, of the manager $1.
packages() { awk -v column="$(column_of "$1")" '$column != "-" && !seen[$column]++ { printf " %s", $column }'; }

may_install=
if [ "${1-}" = --install ]; then may_install=1 && shift; fi
[ $# -gt 0 ] || { echo "Usage: tests/setup/packages.sh [--install] GROUP..." >&2 && exit 2; }
rows=$(missing_rows "$@")
is_root() { [ "$(id -u)" = 0 ]; }

if [ "$rows" ] && [ "$may_install" ] && has_command apt-get && is_root; then
    names=$(echo "$rows" | packages apt-get)
    echo "make: installing$names"
    # shellcheck disable=SC2086  # several packages
    apt-get update -q >/dev/null &&
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $names >/dev/null || exit
    rows=$(missing_rows "$@")
fi
if [ "$rows" ]; then
    echo "make: missing: $(echo "$rows" | awk '{ print $2 }' | paste -sd ' ' -)"
    known=
    for manager in $managers; do has_command "$manager" && known=$manager && break; done
    sudo=$(is_root || echo "sudo ")
    for manager in ${known:-$managers}; do
        echo "make: type: $sudo$(install_by "$manager")$(echo "$rows" | packages "$manager")"
    done
    exit 2
fi >&2
# shellcheck disable=SC2086  # CXX may have options
set -- ${CXX:-g++}
has_command "$1" || { echo "make: the compiler $1 is not installed; choose another with CXX=" >&2 && exit 2; }

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds all programs for AArch64 with a cross compiler, and runs test files with them, under qemu on another processor:
#     tests/long/aarch64.bash [NAME]...
# NAME is a file tests/NAME.bats; by default all run. The build goes to build/aarch64, a copy of the source tree. simcc
# also runs as AArch64 code, and calls the cross compiler.
# Linux runs programs for another processor if an interpreter is registered. This script registers it only for itself and
# its children (Linux 6.7 and later), unless such programs run anyway (the package qemu-user-binfmt).
# BUILD_ONLY="bin/simcc bin/vecadd" builds only these; TEST_JOBS and TEST_TIMEOUT are those of tests/run.bash.
set -u

cd "$(dirname "$0")/../.." || exit
tree=$PWD/build/aarch64
cross=$tree/build/cross
target=aarch64-linux-gnu
say() { printf 'tests/long/aarch64.bash: %s\n' "$1" >&2; }
for command in $target-g++ qemu-aarch64; do
    command -v "$command" >/dev/null || { say "$command is missing; install g++-$target and qemu-user"; exit 2; }
done

# ---- the cross compiler under the names that make and the tests call, and the one library that no compiler includes

mkdir -p "$cross"/{bin,target,apt/lists/partial,apt/archives/partial} && cp -rsf /usr/$target/lib "$cross/target" || exit
for command in gcc ld ar nm objcopy objdump readelf; do ln -sf "$(command -v $target-$command)" "$cross/bin/$command"; done
printf '#!/bin/sh\nexec %s-g++ -B%s "$@"\n' $target "$cross/target/lib" >"$cross/bin/g++" && chmod +x "$cross/bin/g++" || exit
clang=$(PATH=${PATH//"$cross/bin:"/} command -v clang++)
if [ "$clang" ]; then
    printf '#!/bin/sh\nexec %s --target=%s -B%s "$@"\n' "$clang" $target "$cross/target/lib" >"$cross/bin/clang++" &&
        chmod +x "$cross/bin/clang++" || exit
fi

# (With its own package lists: the system's packages stay as they are.)
fetch_libraries() {
    local options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= -o "Dir::State=$cross/apt"
        -o "Dir::State::status=$cross/apt/status" -o "Dir::Cache=$cross/apt")
    cd "$cross/apt" && : >status && apt-get "${options[@]}" update || return
    # shellcheck disable=SC2046  # several packages
    apt-get "${options[@]}" download libfmt-dev \
        $(apt-cache "${options[@]}" depends libfmt-dev | sed -n 's/.*Depends: \(libfmt[0-9.]*\)$/\1/p') zlib1g-dev || return
    for package in *.deb; do dpkg-deb --extract "$package" . || return; done
    mv usr/lib/$target/libfmt.* usr/lib/$target/libz.a ../target/lib
}
if ! ls "$cross"/target/lib/{libfmt.*,libz.a} >/dev/null 2>&1 && ! (fetch_libraries) >"$cross/log" 2>&1; then
    cat "$cross/log" >&2
    say "apt-get does not find libfmt-dev and zlib1g-dev for arm64; put their libraries into $cross/target/lib"
    exit 2
fi
# (qemu tracks every mapped page: with 37 address bits that is quick.)
export PATH=$cross/bin:$PATH CXX=g++ QEMU_LD_PREFIX=$cross/target QEMU_RESERVED_VA=0x2000000000

# ---- make Linux run such programs

register() {
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || return
    # ELF for 64 bits, little-endian, executable (2) or position-independent (3), processor 183.
    local any8='\x00\x00\x00\x00\x00\x00\x00\x00' all8='\xff\xff\xff\xff\xff\xff\xff\xff'
    printf %s ":aarch64:M::\\x7fELF\\x02\\x01\\x01\\x00$any8\\x02\\x00\\xb7\\x00" \
        ":\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00$all8\\xfe\\xff\\xff\\xff:$(command -v qemu-aarch64):PF" \
        >/proc/sys/fs/binfmt_misc/register
}
echo 'int main() {}' >"$cross/empty.cpp" && g++ "$cross/empty.cpp" -o "$cross/empty" || exit
if [ "${GRIDUTILS_NAMESPACE-}" ]; then register; fi
if ! "$cross/empty" 2>/dev/null; then
    [ -z "${GRIDUTILS_NAMESPACE-}" ] ||
        { say "this kernel runs no programs for AArch64; install qemu-user-binfmt, or use Linux 6.7 or later"; exit 2; }
    GRIDUTILS_NAMESPACE=1 exec unshare --user --map-root-user --mount bash "$PWD/tests/long/aarch64.bash" "$@"
fi

# ---- build, test

rm -rf "${tree:?}"/{common,kernels,tools,tests,man} &&
    cp -a Makefile README.md .ci .github .gitattributes common kernels tools tests man "$tree" || exit
# shellcheck disable=SC2086  # several targets
make -C "$tree" --no-print-directory -j"${TEST_JOBS:-$(nproc)}" NVCC= ${BUILD_ONLY:-all bin/rewrite-test} || exit
if [ $# -eq 0 ] && [ "${BUILD_ONLY-}" ]; then exit; fi
TEST_TIMEOUT=${TEST_TIMEOUT:-7200} bash "$tree/tests/run.bash" sim "${@/%/.bats}"

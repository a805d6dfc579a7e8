#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `make new` promises: four files of a program that works, is verified, tested and documented, and nothing else.

# Needs no GPU

load helpers

# Copies the tree, with the build products that another program needs, into the folder tree.
copy_tree() {
    mkdir -p tree/build/{bin,sim,checked}
    cp -a "$root"/{Makefile,README.md,common,kernels,tools,tests,man} tree
    cp -a "$root"/build/{host,simt,lib} tree/build
    find "$root/build" -maxdepth 1 -type f -exec cp -a -t tree/build {} +
    cp -a "$root"/build/sim/cuda-unit.* tree/build/sim
    cp -a "$root"/build/checked/cuda-unit.* tree/build/checked
    cp -a "$root/bin/simcc" tree/build/bin
    ln -s build/bin tree/bin
}

# make_there ARGUMENT...: runs make in the copy.
make_there() {
    capture env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C tree --no-print-directory "$@"
}

@test "make new writes four files of a program that builds alone and passes its tests and those of the pages" {
    on_simulator || skip "it is built for the simulator only"
    copy_tree
    make_there new NAME=widen
    expect_status 0
    diff -r "$root" tree | grep -v -e "^Only in $root" -e '^Only in tree/build' >changed || true
    diff changed - <<'EOF'
Only in tree/kernels: widen.cuh
Only in tree/man: widen.1
Only in tree/tests: widen.bats
Only in tree/tools: widen.cu
EOF
    # (The copy's path, which is among these flags, must not cause all files of the checked simulator to be recompiled.)
    make_there NVCC= build/flags-checked
    touch -r "$root/build/flags-checked" tree/build/flags-checked
    ! grep -q -i scale tree/{tools,kernels,tests,man}/widen.* || complain "expected no trace of the model"
    make_there V=1 NVCC= bin/widen
    expect_status 0
    expect_no_errors
    [ "$(grep -c -e ' -c tools/widen.cu ' <<<"$output")" -eq 2 ] || complain "expected two compilations"
    # (The copy is no checkout, so its version has no revision.)
    [ "$(grep -e ' -c ' <<<"$output" | grep -v -c -e ' -c common/measure/version.cpp ')" -eq 2 ] || complain "expected no other compilations"
    ln -s "$root"/bin/* tree/bin 2>/dev/null || true  # the other programs, for the tests of the pages
    capture bats tree/tests/widen.bats
    expect_status 0
    [ "$(grep -c '^ok' <<<"$output")" -ge 6 ] || complain "expected its tests to run"
    capture bats tree/tests/docs.bats -f 'page and a test|named like it|checks|option|variant'
    expect_status 0
    [ "$(grep -c '^ok' <<<"$output")" -ge 6 ] || complain "expected the tests of the pages to run"
}

@test "make new refuses a name that is missing, invalid or taken, and writes nothing" {
    mkdir tree
    cp -a "$root"/{Makefile,README.md,common,kernels,tools,tests,man} tree
    cp -a tree before
    local name
    for name in '' 'Scale' 'a-b' '2d' 'a b' '../x' "x'" test column vecadd simcc helpers; do
        capture bash tree/tests/new/write.bash "$name"
        expect_status 2
        expect_output ""
        expect_errors_like '^make new: .*(missing|no name for|word of the shell|function of the tests|there already)'
    done
    make_there new
    expect_status 2
    expect_errors_like 'a name is missing: make new NAME=x'
    diff -r before tree
}

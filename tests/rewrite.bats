#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# simcc's rewriter: each pass by itself, text in and text out; and the launches it finds, compared with clang's.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Takes long: run.bash begins with it.
# Needs no GPU

load helpers

# Builds the test program if make test has not.
tester() {
    [ -x "$root/bin/rewrite-test" ] || make -C "$root" bin/rewrite-test >/dev/null
}

@test "each pass of the rewriter turns its cases into the expected text" {
    tester
    capture rewrite-test "$root"/tests/rewrite/*.txt
    expect_status 0
    expect_no_errors
    ! grep '^not ok' <<<"$output" || complain "a case failed"
    [ "$(grep -c '^ok' <<<"$output")" -eq "$(cat "$root"/tests/rewrite/*.txt | grep -c '^=== ')" ] || complain "a case is missing"
}

@test "every pass has cases" {
    diff <(sed -n 's/^void \(rewrite_\|refuse_\)\([a-z_]*\)(.*/\1\2/p' "$root/common/simt/rewrite/passes.hpp" | sort) \
        <(grep -oE '(rewrite|refuse)_[a-z_]+\(text' "$root/tests/rewrite/runner.cpp" | sed 's/(text//' | sort -u) ||
        complain "passes.hpp and runner.cpp differ"
    diff <(sed -n 's/^    {"\([a-z_]*\)",.*/\1/p' "$root/tests/rewrite/runner.cpp" | sort) \
        <(for file in "$root"/tests/rewrite/*.txt; do basename "$file" .txt; done | sort) || complain "a pass has no file of cases"
}

@test "the assembly of x86-64 and of AArch64 gets marks at every branch" {
    "${CXX:-g++}" -std=c++20 -I "$root" "$root"/tests/units/assembly.cpp "$root"/common/simt/driver/{assembly,work}.cpp \
        "$root"/common/simt/driver/places.cpp -o changes
    capture ./changes
    expect_status 0
    # The mark is one instruction: mov xzr, #2.
    command -v aarch64-linux-gnu-as >/dev/null || return 0
    printf 'block:\n\t.long 0xd280001f + (branch - block) * 8\n\tnop\nbranch:\n\tret\n' >mark.s
    aarch64-linux-gnu-as mark.s -o mark.o
    aarch64-linux-gnu-objdump --start-address=0 -D mark.o | grep -E 'd280005f|\.word.*0xd280005f'
}

@test "the rewriter finds the same launches in our programs as clang does" {
    need clang++ perl
    tester
    local file all=0
    for file in "$root"/tests/{simcc,check}/*.cu; do
        # (Clang takes seconds for each: the files with most of the launches.)
        [ "$(grep -c '<<<' "$file")" -ge 19 ] || continue
        # Clang accepts neither blanks within <<< and >>> nor braces between them.
        CXX=clang++ simcc -E -w -I "$root" -DBACKEND=sim -include "$root/tests/rewrite/cuda_for_clang.h" "$file" -o text.ii
        sed -i -E 's/<< </<<< /; s/>> >/>>> /; s/<<<\{1\}/<<<1/; s/\{[0-9, ]+\}>>>/1>>>/' text.ii
        rewrite-test --launches text.ii | sort -u >ours
        bash "$root/tests/rewrite/launches_by_clang.bash" text.ii >theirs
        diff ours theirs >&2 || complain "$file: not the same launches (above: < ours, > clang's)"
        all=$((all + $(wc -l <ours)))
    done
    [ "$all" -gt 200 ] || complain "expected more than 200 launches, saw $all"
}

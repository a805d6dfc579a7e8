#!/usr/bin/env bats
# simcc's rewriter: each pass by itself, text in and text out; and the launches it finds, against another compiler's.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

load helpers

# Builds the test program where make test has not.
tester() {
    [ -x "$root/bin/rewrite-test" ] || make -C "$root" bin/rewrite-test >/dev/null
}

@test "each pass of the rewriter makes of its cases what stands beside them" {
    tester
    capture rewrite-test "$root"/tests/rewrite/*.txt
    expect_status 0 && expect_no_errors
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

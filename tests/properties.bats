#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Properties that hold for any input, on random ones: statistics, sizes and globs, tables, number formats, generated
# inputs. A broken property names its case: run the program with those two words to run only that one.

# Needs no GPU

load helpers

@test "the median's interval holds the true median as often as promised; quantiles are right" {
    unit_program properties/statistics
    holds ./statistics
}

@test "lists of sizes and globs agree with an independent reader" {
    unit_program properties/words
    holds ./words
}

@test "any cells are read back from CSV, TSV, Markdown and JSON Lines by an independent reader" {
    unit_program properties/tables
    holds ./tables
}

@test "numbers and halves come back bit by bit; generated inputs are uniform and the same for any number of threads" {
    unit_program properties/numbers
    holds ./numbers
}

@test "a broken property is reported with the case that shows it" {
    cat >broken.cpp <<'EOF'
#include "tests/properties/property.hpp"
int main(int count, char** arguments) {
    Properties properties(count, arguments);
    properties.check("below-90", 1000, [](Random& random) { return below(random, 100) < 90 ? "" : "it is not"; });
    return properties.exit_status();
}
EOF
    "${CXX:-g++}" -std=c++20 -I "$root" broken.cpp -o broken
    capture ./broken
    expect_status 1
    expect_output_like '^broken: below-90 [0-9]+: it is not$'
    local number=${output#broken: below-90 }
    capture ./broken below-90 "${number%%:*}"
    expect_status 1
    expect_output_like 'below-90'
    capture ./broken other
    expect_status 1 && expect_output_like "no property 'other'"
}

#!/usr/bin/env bats
# What must hold for any input, on random ones: statistics, sizes and globs, tables, number formats, generated inputs.
# A broken property names the case: run the program with those two words to see that one alone.

load helpers

# compile NAME SOURCE...: the program of tests/properties/NAME.cpp.
compile() {
    local name=$1
    shift
    capture "${CXX:-g++}" -std=c++20 -O1 -I "$root" "$root/tests/properties/$name.cpp" "$@" \
        -Wl,--gc-sections -lfmt -lz -lpthread -ldl -o "$name"
    expect_status 0
}

holds() {
    capture "./$1"
    expect_status 0 && expect_output "" && expect_no_errors
}

@test "the median's interval holds the true median as often as promised; quantiles are right" {
    compile statistics "$root/build/libgridutils.a"
    holds statistics
}

@test "lists of sizes and globs agree with an independent reader" {
    compile words "$root"/common/cli/sizes.cpp "$root/build/libgridutils.a"
    holds words
}

@test "any cells are read back from CSV, TSV, Markdown and JSON Lines by an independent reader" {
    compile tables "$root/build/libgridutils.a"
    holds tables
}

@test "numbers and halves come back bit by bit; generated inputs are uniform and the same for any number of threads" {
    compile numbers "$root/build/libgridutils.a"
    holds numbers
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
    expect_status 1 && expect_output_like '^broken: below-90 [0-9]+: it is not$'
    local number=${output#broken: below-90 }
    capture ./broken below-90 "${number%%:*}"
    expect_status 1 && expect_output_like 'below-90'
    capture ./broken other
    expect_status 1 && expect_output_like "no property 'other'"
}

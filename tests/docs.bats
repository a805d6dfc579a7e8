#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The pages and the README describe all that the programs do, and nothing else.

# Needs no GPU

load helpers

# All programs of tools/, simcc among them.
tools() {
    local file
    for file in "$root"/tools/*.cu "$root"/tools/*.cpp; do
        file=${file##*/}
        echo "${file%.*}"
    done
}

# rendered PAGE...: the pages as the reader sees them, without overstriking.
rendered() {
    local page
    for page; do mandoc -T ascii "$root/man/$page"; done | sed 's/.\x08//g'
}

# The options of PROGRAM, one per line: -n, --size, ...
options() {
    "$1" --help | grep -o -E '^ +(-[A-Za-z](, | ))?(--[a-z0-9-]+)?' | tr -d ',' | tr -s ' ' '\n' | grep .
}

# The options that PAGE has entries for, in the same form.
documented_options() {
    sed -n -E 's/^\.It Fl ([A-Za-z]) , -([a-z0-9-]+).*/-\1\n--\2/p; s/^\.It Fl -([a-z0-9-]+).*/--\1/p' "$root/man/$1"
}

@test "every program has a page and a test file" {
    local program
    for program in $(tools); do
        [ -f "$root/man/$program.1" ] || complain "man/$program.1 is missing"
        [ -f "$root/tests/$program.bats" ] || complain "tests/$program.bats is missing"
    done
}

# They choose which programs they introduce: adding a program changes neither.
@test "the programs that the README and gridutils(7) introduce are there" {
    local program
    for program in $(sed -n -E 's/^\| (`[^|]*)\|.*/\1/p' "$root/README.md" | tr -d '`') \
        $(sed -n -E 's/^\.It Xr ([a-z0-9_-]+) 1$/\1/p' "$root/man/gridutils.7"); do
        tools | grep -q -x "$program" || complain "there is no $program"
        echo "$program" >>introduced
    done
    [ "$(sort introduced | uniq -c | grep -c ' 2 ')" -ge 5 ]  # the lists were understood
}

@test "every page belongs to a program and is named like it" {
    local page name section
    for page in "$root"/man/*; do
        name=${page##*/}
        section=${name##*.}
        name=${name%.*}
        grep -q -x "\.Dt ${name^^} $section" "$page" || complain "$page: .Dt is not ${name^^} $section"
        grep -q -x "\.Nm $name" "$page" || complain "$page: .Nm is not $name"
        [ "$section" = 7 ] || [ -f "$root/tools/$name.cu" ] || [ -f "$root/tools/$name.cpp" ] || complain "$page: no such program"
    done
}

@test "gridutils(7) refers to every page about all programs" {
    local page
    for page in "$root"/man/*.7; do
        page=${page##*/}
        [ "$page" = gridutils.7 ] || sed -n '/^\.Sh SEE ALSO/,$p' "$root/man/gridutils.7" | grep -q "^\.Xr ${page%.7} 7" || complain "$page"
    done
}

@test "every page passes mandoc's checks" {
    need mandoc
    local page
    for page in "$root"/man/*; do
        capture mandoc -T lint -W warning "$page"
        expect_status 0
        expect_output ""
    done
}

# A word that mdoc takes for a macro, such as In, would be shown as something else.
@test "headings are shown as they are written" {
    need mandoc
    local page heading
    for page in "$root"/man/*; do
        mandoc -T ascii "$page" | sed 's/.\x08//g' | tr -s ' \n' ' ' >page
        sed -n -E 's/^\.S[hs] //p' "$page" | sed 's/\\&//g; s/"//g' >headings
        while read -r heading; do
            grep -q -F -- "$heading" page || complain "${page##*/}: the heading '$heading'"
        done <headings
    done
}

@test "every option in a program's help is in its page or in gridutils(7)" {
    need mandoc
    local program option
    for program in $(programs) $(host_programs); do
        rendered "$program.1" gridutils.7 >pages
        [ "$(options "$program" | wc -l)" -gt 10 ]  # the list was understood
        for option in $(options "$program"); do
            grep -q -E -e "(^|[ ,])$option([] ,=[]|\$)" pages || complain "$program: $option is in no page"
        done
    done
}

@test "every option in a page is in the program's help" {
    local program option
    for program in $(programs) $(host_programs); do
        options "$program" >own
        options "$program" >>all
        for option in $(documented_options "$program.1"); do
            grep -q -x -e "$option" own || complain "$program.1 has $option, $program --help has not"
        done
    done
    [ "$(documented_options gridutils.7 | wc -l)" -gt 30 ]
    for option in $(documented_options gridutils.7); do
        grep -q -x -e "$option" all || complain "gridutils.7 has $option, no program has"
    done
}

@test "every variant, and every column of its own, is in the program's page" {
    need mandoc
    local program word
    for program in $(benchmarks); do
        rendered "$program.1" >page
        for word in $("$program" --list --csv --no-header | cut -d , -f 1) \
            $("$program" -d sim -n 1 --csv | head -1 | tr , '\n' | grep ^p_); do
            grep -q -E -e "^ +([a-z0-9_-]+, )*$word(,|\$| )" page || complain "$program.1 does not say what $word is"
        done
    done
}

@test "every column of the schema, exit status and environment variable is in gridutils(7)" {
    need mandoc
    local word
    rendered gridutils.7 >page
    for word in $(reduce -d sim -n 1 --ladder --versus cpu --raw --csv | head -1 | tr , '\n' | grep -v ^p_); do
        grep -q -w "$word" page || complain "gridutils.7 does not say what $word is"
    done
    for word in 0 1 2 3 4 5 77 86; do
        sed -n '/^EXIT STATUS/,/^[A-Z]* *$/p' page | grep -q -E "^ +$word +[A-Z]" || complain "exit status $word"
    done
    for word in $(grep -h -o -E '(getenv|environment_number)\("[A-Z_]+"' $(find "$root/common" -name "*.cpp" -not -path "*/check/*") | cut -d '"' -f 2 | sort -u); do
        grep -q -E "^ +$word( |\$)" page || complain "gridutils.7 does not say what $word does"
    done
}

@test "the citation and the newest entry of the changes name the version that the Makefile has" {
    local version
    version=$(sed -n 's/^VERSION := //p' "$root/Makefile")
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || complain "VERSION := $version"
    grep -q -x -F "version: $version" "$root/.github/CITATION.cff" || complain "CITATION.cff has another version"
    [[ $(grep -m 1 '^## ' "$root/.github/CHANGELOG.md") == "## $version ("* ]] || complain "CHANGELOG.md begins with another version"
}

@test "the examples in the pages of all programs run and print what they show" {
    need mlr datamash jq
    local program
    for program in $(tools); do
        grep -q '^\$ ' "$root/man/$program.1" || continue
        run_examples "$program.1" || return
        echo "$program" >>with_examples
    done
    [ "$(wc -l <with_examples)" -ge 5 ]
}
@test "gridutils(7) cuts tables of several programs after the columns that all share" {
    local shared
    shared=$(vecadd -d sim -k cpu -n 1 --csv | head -1 | tr , '\n' | grep -n -m 1 '^p_' | cut -d : -f 1)
    grep -q -x "> cut -d , -f 1-$((shared - 1)) >all.csv" "$root/man/gridutils.7" || complain "it does not cut behind $((shared - 1))"
}

@test "the examples of gridutils(7) and gridutils-simulator(7) run and print what they show" {
    need mlr datamash sqlite3 jq
    run_examples gridutils.7 && run_examples gridutils-simulator.7
}

@test "the examples of gridutils-course(7) run and print what they show" {
    need mlr datamash gdb
    unset SIMCC_PREDICT  # two ladders are in the order of predicted times
    run_examples gridutils-course.7
}

@test "every chapter of gridutils-course(7) has a command" {
    awk '/^\.S[hs]/ { title = $0 } /^\.Ss/ { commands[title] = 0 } /^\$ / { ++commands[title] }
         END { for (title in commands) { ++n; if (!commands[title]) print title } exit n < 60 }' \
        "$root/man/gridutils-course.7" >without || complain "most chapters are missing" || return
    [ ! -s without ] || complain "no command: $(cat without)"
}

@test "no file of the tree contains a path of a single machine" {
    cd "$root"
    capture grep -r -n -E '/(home|root|tmp|Users)/' Makefile README.md tools common kernels tests man
    expect_status 1
    expect_output ""
}

@test "the demo runs to its end, and the README shows its plot and its comparison" {
    local command
    export CUDA_VISIBLE_DEVICES=''
    capture bash "$root/tests/demo.bash"
    expect_status 0
    expect_output_like " verdict"
    expect_output_like "hello from thread 2 of block 1"
    expect_output_like "kernel,branch_efficiency,sld_conflicts,sst_conflicts"
    expect_output_like "conflicts,0\.9[0-9]*,[1-9][0-9]*,[1-9]"
    expect_output_like "sequential,0\.9[0-9]*,0,0"
    expect_output_like "\(exit code 86\)"
    expect_output_like 'make all` builds the others, too: banks collective '
    sed -n -E 's/^show "(.*\| (plot|compare) .*)"$/\1/p' "$root/tests/demo.bash" >commands
    [ "$(wc -l <commands)" -eq 2 ]
    while read -r command; do
        grep -q -F "    \$ $command" "$root/README.md" || complain "the README lacks: $command" || return
    done <commands
}

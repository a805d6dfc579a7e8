#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that need no build: tests/lint.bash SOURCE... Prints what is wrong; exits 1 if anything is.
# shellcheck disable=SC2317  # part calls the functions
set -u
cd "$(dirname "$0")/.." || exit

status=0
# part TITLE COMMAND...: prints nothing if the command succeeds.
part() {
    local title=$1 output
    shift
    if ! output=$("$@" 2>&1); then
        printf -- '---- %s\n%s\n' "$title" "$output"
        status=1
    fi
}

# Prints only the names of the files that clang-format would change: `make format` fixes them.
format() {
    local wrong
    wrong=$(clang-format --dry-run -Werror "$@" 2>&1 | sed -n 's/:[0-9]*:[0-9]*: error: .*//p' | uniq)
    [ -z "$wrong" ] || { echo "$wrong" && return 1; }
}

no_include_goes_up() {
    local up
    up=$(tests/rooms.bash --up)
    [ -z "$up" ] || { echo "$up" && return 1; }
}

# So a source that compiles shows that its header does, too.
own_header_is_first() {
    local source header wrong=0
    while read -r source; do
        header=${source%.cpp}.hpp
        [ ! -e "$header" ] || [ "$(grep -m1 '^#include' "$source")" = "#include \"$header\"" ] || { echo "$source" && wrong=1; }
    done < <(find common kernels tools -name '*.cpp')
    return "$wrong"
}

# awk takes `print a > b` for a redirection to the file b, whatever follows.
no_comparison_is_printed() { ! grep -nE "printf? [^(|]*[a-z_0-9\"] >=? [^|;]*\?" tests/*.bash tests/*.bats tests/*/*.bash; }

# After a list `a && b` whose first command fails, or after `! a`, bash goes on. Such a check can only fail as the last
# line of a test, or with its own way out (|| return, || complain). Here-documents, comments, quoted text and what is in
# parentheses are skipped: they are other languages or other shells.
no_check_is_lost() {
    # shellcheck disable=SC2016  # Perl's variables
    perl -e '
        sub lines_alone { return "_" . $_[0] =~ s/[^\n]//gr }
        my $check = qr/(?:expect_\w+|\[|\[_\]|grep|cmp|diff) /;
        for my $file (@ARGV) {
            open my $in, "<", $file;
            my $text = join "", <$in>;
            $text =~ s/(<<-?.?(\w+)[^\n]*\n)(.*?\n\s*\2\n)/$1 . lines_alone($3)/gse;
            $text =~ s/(\\.|(?<=[\s;])#[^\n]*|\x27[^\x27]*\x27|"(?:\\.|[^"\\])*")/lines_alone($1)/gse;
            1 while $text =~ s/(\([^()]*\))/lines_alone($1)/ge;
            $text =~ s/\[\[ .*? \]\]/[_]/g;
            my @lines = split /\n/, $text;
            for my $i (0 .. $#lines) {
                my ($line, $next) = ($lines[$i], $i + 1);
                ++$next while $next < @lines && $lines[$next] =~ /^\s*$/;
                $line .= $lines[$next++] while $line =~ /(&&|\|\|)\s*$/ && $next < @lines;
                my $is_check = $line =~ /^\s+(! |$check.*&& |[\w-]+ .*&& $check)/ && $line !~ /^\s+(if|elif|while|until) /;
                next if !$is_check || $line =~ /\|\||&& (return|continue|break|skip|\w+=)/ || $lines[$next] =~ /^}/;
                print "$file:", $i + 1, "\n" and $wrong = 1;
            }
        }
        exit !!$wrong' tests/*.bats tests/*.bash
}

every_file_names_its_licence() {
    awk 'FNR <= 2 && /SPDX-License-Identifier: MIT$/ { named[FILENAME] }
         FNR == 2 { nextfile }
         END { for (i = 1; i < ARGC; ++i) if (!(ARGV[i] in named)) { print ARGV[i]; wrong = 1 }; exit wrong }' \
        Makefile {common,common/*,tools,tests/setup}/*.mk .ci/run common/cli/completion.* common/packages/{*.bash,*.py,postinst,prerm} \
        tests/*.bats tests/*.bash tests/setup/*.sh tests/*/*.bash tools/*/*.awk tests/*/*.py "$@"
}

part "the form of sources: make format" format "$@"
part "scripts" shellcheck -s bash tests/*.bash tests/*/*.bash common/packages/*.bash .ci/run
part "scripts for any shell" shellcheck -s sh tests/setup/packages.sh
part "pages" mandoc -T lint -W warning man/*.[17]
part "awk: comparisons within print need parentheses" no_comparison_is_printed
part "tests: checks that cannot fail: a line each, or || return" no_check_is_lost
part "these files do not begin with a line SPDX-License-Identifier: MIT" every_file_names_its_licence "$@"
part "headers: every file includes what it uses (tests/includes.bash)" tests/includes.bash "$@" tests/new/*.cu tests/new/*.cuh
part "headers: these sources do not include their own header first" own_header_is_first
part "rooms: these includes go up (tests/rooms.bash)" no_include_goes_up
exit $status
